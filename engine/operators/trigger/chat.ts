import { z } from 'zod';
import { type ChatInput, REASONING_EFFORTS } from '#shared/chat-item.ts';
import { FileValue } from '#shared/file.ts';
import { CallRate } from '#shared/rate.ts';
import { defineOperator, output } from '../../base/operator.ts';

const MEDIA_TYPE = /^[\w.+-]{1,100}\/(?:\*|[\w.+-]{1,100})$/;

const toolCall = z.object({ id: z.string(), name: z.string(), arguments: z.unknown() });

const message = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string(),
  parts: z.array(z.looseObject({ type: z.enum(['text', 'image', 'file']) })).optional(),
  toolCalls: z.array(toolCall).optional(),
  toolCallId: z.string().optional(),
  name: z.string().optional(),
});

/** `ChatInput` for the type checker of flows. It validates nothing, since only the chat API creates one. */
const chatInput = z.object({
  text: z.string(),
  messages: z.array(message),
  history: z.array(message),
  files: z.array(FileValue),
  conversation: z.string(),
  model: z.string().nullable(),
  stream: z.boolean(),
  temperature: z.number().optional(),
  maxTokens: z.int().optional(),
  topP: z.number().optional(),
  stop: z.array(z.string()).optional(),
  user: z.string().optional(),
  key: z.string().optional(),
  tools: z.array(z.record(z.string(), z.unknown())).optional(),
  toolChoice: z.enum(['auto', 'none', 'required']).optional(),
  schema: z.record(z.string(), z.unknown()).optional(),
  schemaName: z.string().optional(),
  schemaStrict: z.boolean().optional(),
  json: z.boolean().optional(),
  seed: z.int().optional(),
  presencePenalty: z.number().optional(),
  frequencyPenalty: z.number().optional(),
  logitBias: z.record(z.string(), z.number()).optional(),
  reasoningEffort: z.enum(REASONING_EFFORTS).optional(),
  verbosity: z.enum(['low', 'medium', 'high']).optional(),
  parallelToolCalls: z.boolean().optional(),
});

export default defineOperator({
  title: 'Chat message',
  doc: 'Starts the flow when someone chats with it: POST /v1/chat/completions with the model flow:<id>, or, for clients of the original, POST /api/v2/chat/completions with chat_mode chat_flow and the flow’s id. The flow’s result is the answer; a stream is sent as it arrives.',
  icon: 'message-circle',
  summary: '[{title}]',
  synonyms: 'chat trigger, chatbot, chat, bot, conversation, when chat message received, telegram bot',
  params: z.object({
    title: z.string().max(200).optional().describe('Name of the flow in lists of chat partners.'),
    description: z.string().max(2000).optional().describe('The subject of the chat, in one sentence.'),
    files: z
      .strictObject({
        accept: z
          .array(
            z
              .string()
              .regex(MEDIA_TYPE, 'must be a media type such as image/png or image/*')
              .meta({ says: 'write a media type such as image/png or image/*' }),
          )
          .max(50)
          .default([])
          .describe('Media types, such as `image/*` or `application/pdf`; any if empty.'),
        maxBytes: z.int().min(1).max(20_000_000).default(20_000_000).describe('The most bytes of a file.'),
        most: z.int().min(0).max(10).default(10).describe('How many files a message may have; 0 for none.'),
      })
      .optional()
      .describe('The files that messages may have; without it 10 of any type, of 20 MB each.'),
    rate: CallRate.optional().describe(
      'How many messages it takes; further ones get 429 with Retry-After. Without it there is no limit.',
    ),
  }),
  options: { Files: ['files'], Limits: ['rate'] },
  inputs: {},
  outputs: {
    out: output<ChatInput>({
      doc: 'The message as `text`, all `messages` of the request, the stored `history` of the conversation, its `files`, and how the answer is wanted.',
      schema: chatInput as unknown as z.ZodType<ChatInput>,
    }),
  },
  effects: 'read',
  trigger: true,
  examples: [
    {
      title: 'A question',
      params: { title: 'Greeter' },
      outputs: {
        out: {
          text: 'Hello?',
          messages: [{ role: 'user', content: 'Hello?' }],
          history: [],
          files: [],
          conversation: 'e2c7a7a6-6d4e-4c0c-9e3e-0d5f7f0f3f11',
          model: null,
          stream: true,
        },
      },
    },
  ],
});

import { z } from 'zod';
import { ChatBody, ChatQuery } from '#shared/chat-request.ts';
import { CompletionBody } from '#shared/completion-request.ts';
import { EmbeddingBody } from '#shared/embedding-request.ts';
import { ResponseBody } from '#shared/response-request.ts';
import { Conversation, ConversationListQuery, ConversationPage } from '#shared/conversation.ts';
import type { RouteGroup } from '../description.ts';

const Usage = z.object({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  prompt_tokens_details: z.object({ cached_tokens: z.int() }).optional(),
});

const Completion = z.object({
  id: z.string().describe('The conversation.'),
  object: z.literal('chat.completion'),
  created: z.int().describe('Unix seconds.'),
  model: z.string(),
  choices: z.array(
    z.object({
      index: z.int(),
      message: z.looseObject({ role: z.literal('assistant'), content: z.string() }),
      finish_reason: z.enum(['stop', 'length', 'tool_calls', 'content_filter']),
    }),
  ),
  usage: Usage,
});

const Model = z.looseObject({ id: z.string(), object: z.literal('model') });

const chunks = z
  .string()
  .describe(
    'Lines `data: <chunk as JSON>`; the last is `data: [DONE]`. An error comes as a chunk with `error`.',
  );

const onTheWay = [
  'invalid_chat_mode',
  'invalid_chat_param',
  'chat_mode_not_offered',
  'model_not_found',
  'app_not_found',
  'flow_not_found',
  'flow_not_chat',
  'flow_invalid',
  'agent_budget',
  'model_bad_request',
  'setting_unsupported',
  'input_unsupported',
  'overloaded',
  'draining',
] as const;

const chatCompletions = {
  summary: 'Chats with a model, an app or a flow.',
  guide: 'chat',
  query: ChatQuery,
  body: ChatBody,
  content: { 'application/json': Completion, 'text/event-stream': chunks },
  errors: onTheWay,
} as const;

const completions = {
  summary: 'Answers a prompt, as OpenAI’s older interface has it.',
  guide: 'chat',
  body: CompletionBody,
  content: {
    'application/json': z.looseObject({
      id: z.string(),
      object: z.literal('text_completion'),
      choices: z.array(z.looseObject({ text: z.string() })),
      usage: Usage,
    }),
    'text/event-stream': chunks,
  },
  errors: onTheWay,
} as const;

const responses = {
  summary: 'Answers as OpenAI’s Responses interface has it, without keeping anything.',
  guide: 'chat',
  body: ResponseBody,
  content: {
    'application/json': z.looseObject({
      id: z.string(),
      object: z.literal('response'),
      status: z.enum(['completed', 'incomplete']),
      output: z.array(z.looseObject({ type: z.enum(['message', 'reasoning', 'function_call']) })),
    }),
    'text/event-stream': z
      .string()
      .describe('Events by OpenAI’s names, such as `response.output_text.delta`.'),
  },
  errors: [...onTheWay, 'response_not_kept'],
} as const;

const embeddings = {
  summary: 'Makes vectors of texts.',
  guide: 'chat',
  body: EmbeddingBody,
  content: {
    'application/json': z.object({
      object: z.literal('list'),
      data: z.array(
        z.object({
          object: z.literal('embedding'),
          index: z.int(),
          embedding: z.union([z.array(z.number()), z.string()]),
        }),
      ),
      model: z.string(),
      usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
    }),
  },
  errors: ['model_not_found', 'model_bad_request', 'agent_budget', 'overloaded', 'draining'],
} as const;

const Rpc = z.looseObject({ jsonrpc: z.literal('2.0') });

export const chat: RouteGroup = {
  tag: 'Chat',
  routes: {
    'POST /api/v2/chat/completions': chatCompletions,
    'POST /v1/chat/completions': chatCompletions,
    'GET /api/v2/chat/completions/:id': {
      summary:
        'Goes on with the streamed answer of a run, behind `Last-Event-ID`; the chat must have sent `X-Weft-Resume`.',
      guide: 'chat',
      content: { 'text/event-stream': chunks },
      errors: ['run_not_found', 'stream_not_kept', 'stream_gap'],
    },
    'GET /api/v2/models': {
      summary: 'What one can chat with: models, apps, and flows with a chat trigger.',
      data: z.array(Model),
    },
    'GET /api/v2/models/:id': {
      summary: 'One of them.',
      content: { 'application/json': Model },
      errors: ['model_not_found'],
    },
    'GET /v1/models': {
      summary: 'Everything that can be asked, as OpenAI lists it: models for vectors and aliases, too.',
      content: { 'application/json': z.object({ object: z.literal('list'), data: z.array(Model) }) },
    },
    'GET /v1/models/*': {
      summary: 'Tells of one model; its name may hold slashes.',
      content: { 'application/json': Model },
      errors: ['model_not_found'],
    },
    'POST /v1/completions': completions,
    'POST /api/v2/completions': completions,
    'POST /v1/responses': responses,
    'POST /api/v2/responses': responses,
    'POST /v1/embeddings': embeddings,
    'POST /api/v2/embeddings': embeddings,
    'POST /api/v1/chat/:id/stop': {
      summary: 'Stops what goes on in a conversation; what was said stays.',
      data: z.object({ stopped: z.int().describe('How many answers were stopped.') }),
    },
    'GET /api/v1/chat/conversations': {
      summary: 'The caller’s conversations, the one used last first.',
      query: ConversationListQuery,
      data: ConversationPage,
    },
    'GET /api/v1/chat/conversations/:id': {
      summary: 'One with its messages.',
      data: Conversation,
      errors: ['conversation_not_found'],
    },
    'DELETE /api/v1/chat/conversations/:id': {
      summary: 'Removes one.',
      data: z.null(),
      errors: ['conversation_not_found'],
    },
    'POST /mcp': {
      summary: 'Live flows as tools of the Model Context Protocol, over Streamable HTTP.',
      body: Rpc,
      content: { 'application/json': Rpc, 'text/event-stream': undefined },
    },
    'GET /mcp': {
      summary: 'A stream of notifications: other tools are offered than before.',
      content: { 'text/event-stream': undefined },
      errors: ['method_not_allowed'],
    },
    'DELETE /mcp': { summary: 'Always refused: there is no session to end.', errors: ['method_not_allowed'] },
  },
};

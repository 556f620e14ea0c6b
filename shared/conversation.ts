import { z } from 'zod';
import { FileValue } from './file.ts';

/** A conversation in a list; times are ISO 8601, UTC. */
export const ConversationInfo = z.object({
  id: z.string(),
  title: z.string().describe('Its first words, or the title that somebody gave it.'),
  user: z.string().nullable(),
  target: z.string().describe('Who answers: a model, `app:<code>` or `flow:<id>`.'),
  startedAt: z.string(),
  updatedAt: z.string(),
});
export type ConversationInfo = Readonly<z.infer<typeof ConversationInfo>>;

const ConversationMessage = z.object({
  role: z.enum(['user', 'assistant']),
  content: z.string(),
  files: z
    .array(FileValue)
    .readonly()
    .optional()
    .describe('The files that belong to it; absent if there are none.'),
  at: z.string(),
  run: z
    .string()
    .optional()
    .describe(
      'The run that gave the answer, or answered the question; absent in messages of older versions.',
    ),
});
export type ConversationMessage = Readonly<z.infer<typeof ConversationMessage>>;

export const Conversation = ConversationInfo.extend({ messages: z.array(ConversationMessage).readonly() });

export const ConversationPage = z.object({
  conversations: z.array(ConversationInfo).readonly(),
  next: z.string().optional().describe('`before` of the next page; absent at the end.'),
});
export type ConversationPage = Readonly<z.infer<typeof ConversationPage>>;

export const ConversationListQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  before: z.string().max(200).optional().describe('The `next` of the previous page.'),
  words: z
    .string()
    .trim()
    .max(200)
    .optional()
    .describe('Only conversations with these words, in any case, in their title or messages.'),
});

/** What people change of a conversation. */
export const ConversationChange = z.strictObject({ title: z.string().trim().min(1).max(200) });

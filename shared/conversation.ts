import { z } from 'zod';

/** A conversation as it is listed. */
export interface ConversationInfo {
  readonly id: string;
  /** Its first words. */
  readonly title: string;
  readonly user: string | null;
  /** Whom it is with: a model, `app:<code>` or `flow:<id>`. */
  readonly target: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly updatedAt: string;
}

export interface ConversationMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
  /** ISO 8601, UTC. */
  readonly at: string;
}

export interface ConversationPage {
  readonly conversations: readonly ConversationInfo[];
  /** `before` of the next page; absent at the end. */
  readonly next?: string;
}

export const ConversationListQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  before: z.string().max(200).optional().describe('The `next` of the page before.'),
});

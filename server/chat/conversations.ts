import type { ConversationInfo, ConversationMessage } from '#shared/conversation.ts';

/**
 * The messages of chats. Each caller has its own; `conversations.contract.ts` tests every implementation.
 * CC1. A caller never sees, changes or removes another caller's conversation, even under the same id.
 * CC2. Messages are returned in the order in which they were added.
 * CC3. Storage is bounded: old messages and old conversations are removed as new ones arrive.
 */
export interface Conversations {
  /** The last `count` messages, oldest first; none for an unknown conversation. */
  recent(owner: string, id: string, count: number): Promise<ConversationMessage[]>;
  /** Adds to a conversation, and creates it if necessary. Throws `storage_failed`. */
  add(owner: string, begin: ConversationBegin, messages: readonly NewMessage[]): Promise<void>;
  /** The most recently used first; those after the conversation `before`, and none if it is unknown. */
  list(
    owner: string,
    page: { readonly limit: number; readonly before?: string },
  ): Promise<ConversationInfo[]>;
  get(
    owner: string,
    id: string,
  ): Promise<{ info: ConversationInfo; messages: ConversationMessage[] } | undefined>;
  /** False if there is none. */
  remove(owner: string, id: string): Promise<boolean>;
}

/** The key of a stored conversation. */
export interface ConversationBegin {
  readonly id: string;
  /** As the client named them; undefined if it did not. */
  readonly user: string | undefined;
  /** The partner of the conversation: a model, `app:<code>` or `flow:<id>`. */
  readonly target: string;
}

export type NewMessage = Pick<ConversationMessage, 'role' | 'content'>;

/** The most stored messages of one conversation, and conversations of one caller. */
export const MAX_MESSAGES = 200;
export const MAX_CONVERSATIONS = 1000;
/** Longest message that is stored whole, in characters. */
const MAX_CONTENT = 100_000;
const MAX_TITLE = 80;

/** The stored part of a message. */
export function keptContent(content: string): string {
  return content.length <= MAX_CONTENT ? content : `${content.slice(0, MAX_CONTENT)}…`;
}

/** A conversation's title is its beginning. */
export function titleOf(messages: readonly NewMessage[]): string {
  const text = (messages[0]?.content ?? '').trim().replace(/\s+/g, ' ');
  return text.length <= MAX_TITLE ? text : `${text.slice(0, MAX_TITLE)}…`;
}

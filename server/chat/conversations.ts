import type { ConversationInfo, ConversationMessage } from '#shared/conversation.ts';

/**
 * What was said in chats. Each caller has its own; `conversations.contract.ts` says what every implementation does.
 * CC1. A caller never sees, changes or removes a conversation of another one, also under the same id.
 * CC2. Messages come back in the order in which they were added.
 * CC3. What is kept is bounded: old messages and old conversations go as new ones come.
 */
export interface Conversations {
  /** The last `count` messages, oldest first; none for a conversation that is not known. */
  recent(owner: string, id: string, count: number): Promise<ConversationMessage[]>;
  /** Adds to a conversation, which begins with that. Throws `storage_failed`. */
  add(owner: string, begin: ConversationBegin, messages: readonly NewMessage[]): Promise<void>;
  /** Those used last come first. */
  list(
    owner: string,
    page: { readonly limit: number; readonly before?: string },
  ): Promise<ConversationInfo[]>;
  get(
    owner: string,
    id: string,
  ): Promise<{ info: ConversationInfo; messages: ConversationMessage[] } | undefined>;
  /** False when there is none. */
  remove(owner: string, id: string): Promise<boolean>;
}

/** What a conversation is kept under. */
export interface ConversationBegin {
  readonly id: string;
  /** As the client named them; undefined where it did not. */
  readonly user: string | undefined;
  /** Whom it is with: a model, `app:<code>` or `flow:<id>`. */
  readonly target: string;
}

export type NewMessage = Pick<ConversationMessage, 'role' | 'content'>;

/** Messages of one conversation, and conversations of one caller, that are kept. */
export const MAX_MESSAGES = 200;
export const MAX_CONVERSATIONS = 1000;
/** Longest message that is kept whole, in characters. */
const MAX_CONTENT = 100_000;
const MAX_TITLE = 80;

/** What is kept of a message. */
export function keptContent(content: string): string {
  return content.length <= MAX_CONTENT ? content : `${content.slice(0, MAX_CONTENT)}…`;
}

/** A conversation is named by how it begins. */
export function titleOf(messages: readonly NewMessage[]): string {
  const text = (messages[0]?.content ?? '').trim().replace(/\s+/g, ' ');
  return text.length <= MAX_TITLE ? text : `${text.slice(0, MAX_TITLE)}…`;
}

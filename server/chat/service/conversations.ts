import type { ConversationInfo, ConversationMessage, ConversationPage } from '#shared/conversation.ts';
import type { Files } from '../../storage/file-store/files.ts';
import { conversationHolder } from '../../storage/file-store/held-values.ts';

/**
 * The messages of chats. Each caller has its own; `conversations.contract.ts` tests every implementation.
 * CC1. A caller never sees, changes or removes another caller's conversation, even under the same id.
 * CC2. Messages are returned in the order in which they were added.
 * CC3. Storage is bounded: old messages and old conversations are removed as new ones arrive.
 * CC4. Messages that replace an exchange remove it and all that followed it in one step; if it is not stored, they are only added.
 */
export interface Conversations {
  /**
   * The last `count` messages, oldest first; none for an unknown conversation. With `before`, the last ones before the exchange
   * that this run answered.
   */
  recent(owner: string, id: string, count: number, before?: string): Promise<ConversationMessage[]>;
  /** Adds to a conversation, and creates it if necessary. Throws `storage_failed`. */
  add(owner: string, begin: ConversationBegin, messages: readonly NewMessage[]): Promise<void>;
  /**
   * The most recently used first; those after the conversation `before`, or none if that is unknown. With `words`, only those in
   * whose title or messages they are, in any case.
   */
  list(owner: string, page: ConversationQuery): Promise<ConversationInfo[]>;
  get(
    owner: string,
    id: string,
  ): Promise<{ info: ConversationInfo; messages: ConversationMessage[] } | undefined>;
  /** Gives it a title of its own, which stays when it begins anew. False if it does not exist. */
  rename(owner: string, id: string, title: string): Promise<boolean>;
  /** False if it does not exist. */
  remove(owner: string, id: string): Promise<boolean>;
}

export interface ConversationQuery {
  readonly limit: number;
  readonly before?: string | undefined;
  readonly words?: string | undefined;
}

/** The key of a stored conversation. */
export interface ConversationBegin {
  readonly id: string;
  /** The name that the client gave to its user; undefined if it gave none. */
  readonly user: string | undefined;
  /** The partner of the conversation: a model, `app:<code>` or `flow:<id>`. */
  readonly target: string;
  /** The run of the exchange that the messages replace, with all that followed it. */
  readonly replaces?: string | undefined;
}

export type NewMessage = Pick<ConversationMessage, 'role' | 'content' | 'files' | 'run'>;

/** The most stored messages of one conversation, and conversations of one caller. */
export const MAX_MESSAGES = 200;
export const MAX_CONVERSATIONS = 1000;
/** Longest message that is stored whole, in characters. */
const MAX_CONTENT = 100_000;
const MAX_TITLE = 80;

/** The part of a message that is stored. */
export function keptContent(content: string): string {
  return content.length <= MAX_CONTENT ? content : `${content.slice(0, MAX_CONTENT)}…`;
}

/** The title of a conversation is its beginning. */
export function titleOf(messages: readonly NewMessage[]): string {
  const [first] = messages;
  const said = first?.content.trim() || (first?.files?.[0]?.name ?? '');
  const text = said.replace(/\s+/g, ' ');
  return text.length <= MAX_TITLE ? text : `${text.slice(0, MAX_TITLE)}…`;
}

/** A page of a caller's conversations, with where the next one begins. */
export async function conversationPage(
  conversations: Conversations,
  owner: string,
  query: ConversationQuery,
): Promise<ConversationPage> {
  const found = await conversations.list(owner, query);
  const last = found.at(-1);
  return { conversations: found, ...(last && found.length === query.limit && { next: last.id }) };
}

/** Makes conversations hold the files of their messages. */
export function conversationsWithFiles(conversations: Conversations, files: Files): Conversations {
  /** Releases the files of messages that made room for newer ones, or were replaced. */
  async function letGoOfOld(owner: string, id: string, isReplaced: boolean): Promise<void> {
    const holder = conversationHolder({ owner, conversation: id });
    const named = async (): Promise<string[]> => {
      const kept = await conversations.recent(owner, id, MAX_MESSAGES);
      if (kept.length < MAX_MESSAGES && !isReplaced) return held;
      return kept.flatMap((message) => (message.files ?? []).map(({ $file }) => $file));
    };
    const held = await files.of(holder);
    if (held.length === 0) return;
    const now = new Set(await named());
    if (held.every((handle) => now.has(handle))) return;
    await files.replace(holder, [...now]);
    // Holds the files of a message that was added meanwhile.
    await files.give(await named(), holder);
  }

  return {
    recent: (...call) => conversations.recent(...call),
    list: (...call) => conversations.list(...call),
    get: (...call) => conversations.get(...call),
    rename: (...call) => conversations.rename(...call),
    async add(owner, begin, messages) {
      const handles = messages.flatMap((message) => (message.files ?? []).map(({ $file }) => $file));
      const holder = conversationHolder({ owner, conversation: begin.id });
      await files.give(handles, holder);
      await conversations.add(owner, begin, messages);
      // A sweep in between may have found no such conversation.
      await files.give(handles, holder);
      await letGoOfOld(owner, begin.id, begin.replaces !== undefined);
    },
    async remove(owner, id) {
      const isRemoved = await conversations.remove(owner, id);
      const holder = conversationHolder({ owner, conversation: id });
      const handles = await files.of(holder);
      if (handles.length === 0) return isRemoved;
      await files.replace(holder, []);
      await files.discard(handles);
      return isRemoved;
    },
  };
}

import type { ConversationInfo, ConversationMessage } from '#shared/conversation.ts';
import {
  type Conversations,
  keptContent,
  MAX_CONVERSATIONS,
  MAX_MESSAGES,
  titleOf,
} from './conversations.ts';

interface Entry {
  info: ConversationInfo;
  messages: ConversationMessage[];
}

/** Conversations that live as long as the process, when there is no data folder. */
export function createMemoryConversations(now: () => number): Conversations {
  /** By caller; the most recently used conversation is last. */
  const owners = new Map<string, Map<string, Entry>>();
  const of = (owner: string): Map<string, Entry> => owners.get(owner) ?? new Map<string, Entry>();

  return {
    async recent(owner, id, count) {
      const messages = of(owner).get(id)?.messages ?? [];
      return messages.slice(Math.max(0, messages.length - count));
    },
    async add(owner, { id, user, target }, added) {
      const own = of(owner);
      owners.set(owner, own);
      const at = new Date(now()).toISOString();
      const known = own.get(id);
      const began = { id, title: titleOf(added), user: user ?? null, target, startedAt: at };
      const messages = added.map(({ role, content, files = [] }) => ({
        role,
        content: keptContent(content),
        ...(files.length > 0 && { files }),
        at,
      }));
      own.delete(id);
      own.set(id, {
        info: { ...(known?.info ?? began), updatedAt: at },
        messages: [...(known?.messages ?? []), ...messages].slice(-MAX_MESSAGES),
      });
      if (own.size > MAX_CONVERSATIONS) own.delete(own.keys().next().value as string);
    },
    async list(owner, { limit, before }) {
      const infos = [...of(owner).values()].map(({ info }) => info).reverse();
      if (before === undefined) return infos.slice(0, limit);
      const at = infos.findIndex(({ id }) => id === before);
      return at < 0 ? [] : infos.slice(at + 1, at + 1 + limit);
    },
    get: async (owner, id) => of(owner).get(id),
    remove: async (owner, id) => of(owner).delete(id),
  };
}

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
    async recent(owner, id, count, before) {
      const messages = cutAt(of(owner).get(id)?.messages ?? [], before);
      return messages.slice(Math.max(0, messages.length - count));
    },
    async add(owner, { id, user, target, replaces }, added) {
      const own = of(owner);
      owners.set(owner, own);
      const at = new Date(now()).toISOString();
      const known = own.get(id);
      const began = { id, title: titleOf(added), user: user ?? null, target, startedAt: at };
      const messages = added.map(({ role, content, files = [], run }) => ({
        role,
        content: keptContent(content),
        ...(files.length > 0 && { files }),
        at,
        ...(run !== undefined && { run }),
      }));
      const stays = cutAt(known?.messages ?? [], replaces);
      const isNamed = known !== undefined && known.info.title !== titleOf(known.messages);
      const title = stays.length === 0 && !isNamed ? began.title : (known?.info ?? began).title;
      own.delete(id);
      own.set(id, {
        info: { ...(known?.info ?? began), title, updatedAt: at },
        messages: [...stays, ...messages].slice(-MAX_MESSAGES),
      });
      if (own.size > MAX_CONVERSATIONS) own.delete(own.keys().next().value as string);
    },
    async list(owner, { limit, before, words = '' }) {
      const found = [...of(owner).values()].filter((entry) => isSaidIn(entry, words.toLowerCase()));
      const infos = found.map(({ info }) => info).reverse();
      if (before === undefined) return infos.slice(0, limit);
      const at = infos.findIndex(({ id }) => id === before);
      return at < 0 ? [] : infos.slice(at + 1, at + 1 + limit);
    },
    get: async (owner, id) => of(owner).get(id),
    async rename(owner, id, title) {
      const known = of(owner).get(id);
      if (known) known.info = { ...known.info, title };
      return known !== undefined;
    },
    remove: async (owner, id) => of(owner).delete(id),
  };
}

function isSaidIn({ info, messages }: Entry, words: string): boolean {
  const has = (text: string): boolean => text.toLowerCase().includes(words);
  return has(info.title) || messages.some(({ content }) => has(content));
}

/** The messages before the exchange of a run; all of them if it is not among them. */
function cutAt(messages: ConversationMessage[], run: string | undefined): ConversationMessage[] {
  const at = run === undefined ? -1 : messages.findIndex((message) => message.run === run);
  return at < 0 ? messages : messages.slice(0, at);
}

import type { Conversation, Partner } from '../api/chat.ts';
import type { ChatDeps, Unanswered } from './chat-store.ts';
import { localStorageOf } from '../session/app.ts';

const PLACE = 'weft.chat.with';

/** Its display name. */
export function nameOf({ id, name }: Pick<Partner, 'id' | 'name'>): string {
  return name || id.replace(/^(?:app|flow|knowledge|data):/, '');
}

const KINDS: Readonly<Record<string, string>> = {
  app: 'App',
  flow: 'Flow',
  knowledge: 'Knowledge',
  data: 'Database',
};

/** What it is; of a model its provider. */
export function kindOf({ owned_by: owner }: Pick<Partner, 'owned_by'>): string {
  return (Object.hasOwn(KINDS, owner) && KINDS[owner]) || `Model of ${owner}`;
}

/**
 * The chat partner: the named one, otherwise the last one, otherwise the first. A named partner that is not available (any
 * more) stays, so that the server can say why it does not answer.
 */
export function chosenPartner(partners: readonly Partner[], named: string | undefined): string | undefined {
  if (named !== undefined) return named;
  const last = localStorageOf()?.getItem(PLACE);
  return partners.find(({ id }) => id === last)?.id ?? partners[0]?.id;
}

export function rememberPartner(id: string): void {
  localStorageOf()?.setItem(PLACE, id);
}

const OPEN = 'weft.chat.open.';

/** The conversation that is open beside a flow or an app in this tab of the browser. */
export function openChat(partner: string): string | undefined {
  return tabStorage()?.getItem(`${OPEN}${partner}`) ?? undefined;
}

export function keepOpenChat(partner: string, conversation: string | undefined): void {
  if (conversation === undefined) tabStorage()?.removeItem(`${OPEN}${partner}`);
  else tabStorage()?.setItem(`${OPEN}${partner}`, conversation);
}

const UNANSWERED = 'weft.chat.unanswered.';

/** What this tab of the browser remembers of a conversation: the last question, if the server has not stored it. */
export function unansweredOf(conversation: string): Unanswered | undefined {
  try {
    return JSON.parse(tabStorage()?.getItem(`${UNANSWERED}${conversation}`) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

function rememberUnanswered(conversation: string, question: Unanswered | undefined): void {
  const place = `${UNANSWERED}${conversation}`;
  try {
    if (question === undefined) tabStorage()?.removeItem(place);
    else tabStorage()?.setItem(place, JSON.stringify(question));
  } catch {
    // There is no room, so it is not there again after a reload.
  }
}

/** How a conversation on the screen remembers its last question. */
export function memoryOf(conversation: string): Pick<ChatDeps, 'unanswered' | 'remember'> {
  return {
    unanswered: unansweredOf(conversation),
    remember: (question) => rememberUnanswered(conversation, question),
  };
}

/** Browsers that keep nothing throw when it is looked at. */
function tabStorage(): Storage | undefined {
  try {
    return globalThis.sessionStorage;
  } catch {
    return undefined;
  }
}

/** An id for a new conversation. `randomUUID` is missing on plain http to another machine. */
export function newConversation(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The messages of a stored conversation; none of a new one. */
export function textsOf(kept: Conversation | undefined): ChatDeps['before'] {
  return (kept?.messages ?? []).map(({ role, content, files = [], run }) => ({
    role,
    text: content,
    files,
    ...(run !== undefined && { run }),
  }));
}

import type { Partner } from '../api/chat.ts';
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

/** An id for a new conversation. `randomUUID` is missing on plain http to another machine. */
export function newConversation(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

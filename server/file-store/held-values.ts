import { rootOf, type StateService } from '#engine';
import { handleOf } from '#shared/file.ts';
import { contentHash } from '../files/content-hash.ts';
import type { Files, Holder, StoredFile } from './files.ts';

/** The handles in a value, wherever they are in it. */
export function handlesIn(value: unknown): string[] {
  const found = new Set<string>();
  const seen = new Set<unknown>();
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    const handle = handleOf(next);
    if (handle === undefined) open.push(...(Object.values(next) as unknown[]));
    else found.add(handle);
  }
  return [...found];
}

/** A stored value as the holder of the files in it. */
export function stateHolder(scope: string, key: string): Holder {
  return { kind: 'state', id: JSON.stringify([scope, key]) };
}

/** Gives files from one holder to another, stored when it resolves: of these handles those that the first one holds. */
export async function passFiles(
  files: Files,
  handles: readonly string[],
  { from, to }: { readonly from: Holder; readonly to: Holder },
): Promise<void> {
  if (handles.length === 0) return;
  const held = new Set(await files.of(from));
  await files.give(
    handles.filter((handle) => held.has(handle)),
    to,
  );
}

/** State whose values hold the files in them: a run that reads such a value gets its files. */
export function stateWithFiles(state: StateService, files: Files): StateService {
  return {
    add: (...call) => state.add(...call),
    async get(scope, key, by) {
      const value = await state.get(scope, key);
      if (by === undefined) return value;
      const to: Holder = { kind: 'run', id: rootOf(by) };
      await passFiles(files, handlesIn(value), { from: stateHolder(scope, key), to });
      return value;
    },
    async set(scope, key, value, { by, ...options } = {}) {
      if (by !== undefined) {
        const from: Holder = { kind: 'run', id: rootOf(by) };
        await passFiles(files, handlesIn(value), { from, to: stateHolder(scope, key) });
      }
      await state.set(scope, key, value, options);
    },
  };
}

/**
 * Files that were uploaded before the run that will get them: held for whoever uploaded them, and of use to nobody else.
 * `who` is a name that no stranger can guess or take: of a caller, or of one copy of a form.
 */
export interface Uploads {
  /** For a caller of the API. Stored when it resolves. Kept for a day at least. */
  keep(who: string, handles: readonly string[]): Promise<void>;
  /** The same for messages of a chat; false, and nothing is kept, if the files of this caller take `CHAT_BYTES`. */
  keepForChat(who: string, handles: readonly string[]): Promise<boolean>;
  /**
   * The same for somebody without a key or a session; false, and nothing is kept, if the files of all of them take
   * `GUEST_BYTES`, or those that came `from` this address a tenth of that.
   */
  keepForGuest(who: string, handles: readonly string[], from: string): Promise<boolean>;
  /** The file, if `who` uploaded it. */
  find(who: string, handle: string): Promise<StoredFile | undefined>;
  /** The handles in a value of files that `who` uploaded. */
  heldIn(value: unknown, who: string): Promise<string[]>;
}

const DAY_MS = 86_400_000;

/** How many bytes of files are kept for people without a key or a session, before no more are taken. */
export const GUEST_BYTES = 5_000_000_000;

/** One address among them, so that none takes the room of the others. */
const GUESTS = 10;

/** How many bytes of files one caller may have uploaded for chats within a day or two: a key for chats is given to many. */
const CHAT_BYTES = 5_000_000_000;

const CALLER = 'caller ';

/** The name of a caller of the API for its uploads. */
export function callerUploads({ owner }: { readonly owner: string }): string {
  return CALLER + owner;
}

/** `limits` replace `GUEST_BYTES` and `CHAT_BYTES`. */
export function createUploads(
  files: Files,
  now: () => number,
  { guestBytes = GUEST_BYTES, chatBytes = CHAT_BYTES }: { guestBytes?: number; chatBytes?: number } = {},
): Uploads {
  const holder = (who: string, daysAgo = 0): Holder => ({
    kind: who.startsWith(CALLER) ? 'upload' : 'guest',
    id: `${dayOf(now() - daysAgo * DAY_MS)} ${who}`,
  });
  const keep = (who: string, handles: readonly string[]) => files.give(handles, holder(who));
  const bytesOf = (who: string): Promise<number> => {
    const [today, before] = [holder(who), holder(who, 1)];
    return files.bytesOf(today.kind, [today.id, before.id]);
  };
  return {
    keep,
    async keepForChat(who, handles) {
      if (handles.length > 0 && (await bytesOf(who)) >= chatBytes) return false;
      await keep(who, handles);
      return true;
    },
    async keepForGuest(who, handles, from) {
      if (handles.length === 0) return true;
      const address = `from ${contentHash(from)}`;
      if ((await files.bytesOf('guest')) >= guestBytes || (await bytesOf(address)) >= guestBytes / GUESTS)
        return false;
      await Promise.all([keep(who, handles), keep(address, handles)]);
      return true;
    },
    async find(who, handle) {
      return (await files.find(handle, holder(who))) ?? (await files.find(handle, holder(who, 1)));
    },
    async heldIn(value, who) {
      const handles = handlesIn(value);
      if (handles.length === 0) return [];
      const held = new Set((await Promise.all([0, 1].map((days) => files.of(holder(who, days))))).flat());
      return handles.filter((handle) => held.has(handle));
    },
  };
}

/** Whether files are still kept for whoever uploaded them. `id` is that of their holder. */
export function isFreshUpload(id: string, now: number): boolean {
  return id.slice(0, 10) >= dayOf(now - DAY_MS);
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

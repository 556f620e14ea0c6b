import { rootOf, type StateService } from '#engine';
import { handleOf } from '#shared/file.ts';
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
  /** The same for somebody without a key or a session; false, and nothing is kept, if the files of all of them take `GUEST_BYTES`. */
  keepForGuest(who: string, handles: readonly string[]): Promise<boolean>;
  /** The file, if `who` uploaded it. */
  find(who: string, handle: string): Promise<StoredFile | undefined>;
  /** The handles in a value of files that `who` uploaded. */
  heldIn(value: unknown, who: string): Promise<string[]>;
}

const DAY_MS = 86_400_000;

/** How many bytes of files are kept for people without a key or a session, before no more are taken. */
export const GUEST_BYTES = 5_000_000_000;

const CALLER = 'caller ';

/** The name of a caller of the API for its uploads. */
export function callerUploads({ owner }: { readonly owner: string }): string {
  return CALLER + owner;
}

/** `guestBytes` replaces `GUEST_BYTES`. */
export function createUploads(files: Files, now: () => number, guestBytes = GUEST_BYTES): Uploads {
  const holder = (who: string, daysAgo = 0): Holder => ({
    kind: who.startsWith(CALLER) ? 'upload' : 'guest',
    id: `${dayOf(now() - daysAgo * DAY_MS)} ${who}`,
  });
  return {
    keep: (who, handles) => files.give(handles, holder(who)),
    async keepForGuest(who, handles) {
      if (handles.length > 0 && (await files.bytesOf('guest')) >= guestBytes) return false;
      await files.give(handles, holder(who));
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

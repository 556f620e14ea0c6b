import { rootOf, type StateService } from '#engine';
import { handleOf } from '#shared/file.ts';
import { contentHash } from '../../base/files/content-hash.ts';
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

/** A conversation among those of all callers. */
export interface OwnConversation {
  readonly owner: string;
  readonly conversation: string;
}

/** A conversation as the holder of the files of its messages. */
export function conversationHolder({ owner, conversation }: OwnConversation): Holder {
  return { kind: 'conversation', id: JSON.stringify([owner, conversation]) };
}

/** The conversation that a holder is. */
export function heldConversation(id: string): OwnConversation {
  const [owner, conversation] = JSON.parse(id) as [string, string];
  return { owner, conversation };
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

/** How much somebody may still upload, counted while it arrives. */
export interface UploadRoom {
  /** False if so many more bytes are too many; those that were taken before stay counted. */
  take(bytes: number): boolean;
  /** What arrived is stored and held now, or deleted. */
  release(): void;
}

/**
 * Files that were uploaded before the run that will get them: held for whoever uploaded them, and of use to nobody else.
 * `who` is a name that no stranger can guess or take: of a caller, or of one copy of a form.
 */
export interface Uploads {
  /** For an upload `from` this address of somebody without a key or a session: within what `keepForGuest` would keep. */
  roomForGuest(from: string): Promise<UploadRoom>;
  /** For an upload of this caller of chats: within what `keepForChat` would keep. */
  roomForChat(who: string): Promise<UploadRoom>;
  /** For a caller of the API. Stored when it resolves. Kept for a day at least. */
  keep(who: string, handles: readonly string[]): Promise<void>;
  /** The same for messages of a chat; false, and nothing is kept, if the files of this caller take `CHAT_BYTES`. */
  keepForChat(who: string, handles: readonly string[]): Promise<boolean>;
  /**
   * The same for somebody without a key or a session, also of files that a run has got; false, and nothing is kept, if the files of
   * all of them take `guestBytes`, or those that came `from` this address a tenth of that.
   */
  keepForGuest(who: string, handles: readonly string[], from: string): Promise<boolean>;
  /** The file, if `who` uploaded it. */
  find(who: string, handle: string): Promise<StoredFile | undefined>;
  /** The handles in a value of files that `who` uploaded. */
  heldIn(value: unknown, who: string): Promise<string[]>;
}

const DAY_MS = 86_400_000;

/** One address among them, so that none takes the room of the others. */
const GUESTS = 10;

/** How many bytes of files one caller may have uploaded for chats within a day or two: a key for chats is given to many. */
const CHAT_BYTES = 5_000_000_000;

const CALLER = 'caller ';

/** The name of a caller of the API for its uploads. */
export function callerUploads({ owner }: { readonly owner: string }): string {
  return CALLER + owner;
}

/** `guestBytes`: how many bytes of files are kept for people without a key or a session, before no more are taken. */
export function createUploads(
  files: Files,
  now: () => number,
  { guestBytes, chatBytes = CHAT_BYTES }: { guestBytes: number; chatBytes?: number },
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
  const arriving = new Arriving();
  const addressOf = (from: string): string => `from ${contentHash(from)}`;
  return {
    async roomForGuest(from) {
      const address = addressOf(from);
      const [all, own] = await Promise.all([files.bytesOf('guest'), bytesOf(address)]);
      return arriving.room([
        ['guests', guestBytes - all],
        [address, guestBytes / GUESTS - own],
      ]);
    },
    roomForChat: async (who) => arriving.room([[who, chatBytes - (await bytesOf(who))]]),
    keep,
    async keepForChat(who, handles) {
      if (handles.length > 0 && (await bytesOf(who)) >= chatBytes) return false;
      await keep(who, handles);
      return true;
    },
    async keepForGuest(who, handles, from) {
      if (handles.length === 0) return true;
      const address = addressOf(from);
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

/** What is being uploaded now, by whose it is. */
class Arriving {
  private readonly bytes = new Map<string, number>();

  /** Each of `limits` is a name and how many bytes may still come under it. */
  room(limits: readonly (readonly [name: string, most: number])[]): UploadRoom {
    let own = 0;
    const add = (bytes: number): void => {
      own += bytes;
      for (const [name] of limits) {
        const sum = (this.bytes.get(name) ?? 0) + bytes;
        if (sum > 0) this.bytes.set(name, sum);
        else this.bytes.delete(name);
      }
    };
    return {
      take: (bytes) => {
        if (limits.some(([name, most]) => (this.bytes.get(name) ?? 0) + bytes >= most)) return false;
        add(bytes);
        return true;
      },
      release: () => add(-own),
    };
  }
}

/** Whether files are still kept for whoever uploaded them. `id` is that of their holder. */
export function isFreshUpload(id: string, now: number): boolean {
  return id.slice(0, 10) >= dayOf(now - DAY_MS);
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

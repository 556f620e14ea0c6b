import { rootOf, type StateService } from '#engine';
import { handleOf } from '#shared/file.ts';
import { contentHash } from '../../base/files/content-hash.ts';
import type { Files, Holder, StoredFile } from './files.ts';

/** The handles in a value, at any depth. */
export function handlesIn(value: unknown): string[] {
  return [...filesByHandle(value).keys()];
}

/** The objects in a value that look like files, at any depth; each file once. */
export function filesIn(value: unknown): unknown[] {
  return [...filesByHandle(value).values()];
}

function filesByHandle(value: unknown): Map<string, unknown> {
  const found = new Map<string, unknown>();
  const seen = new Set<unknown>();
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    const handle = handleOf(next);
    if (handle === undefined) open.push(...(Object.values(next) as unknown[]).toReversed());
    else if (!found.has(handle)) found.set(handle, next);
  }
  return found;
}

/** A stored value as the holder of the files in it. */
export function stateHolder(scope: string, key: string): Holder {
  return { kind: 'state', id: JSON.stringify([scope, key]) };
}

/** A conversation, with the owner that distinguishes it among all callers. */
export interface OwnConversation {
  readonly owner: string;
  readonly conversation: string;
}

/** A conversation as the holder of the files of its messages. */
export function conversationHolder({ owner, conversation }: OwnConversation): Holder {
  return { kind: 'conversation', id: JSON.stringify([owner, conversation]) };
}

/** The conversation with this id of a holder. */
export function heldConversation(id: string): OwnConversation {
  const [owner, conversation] = JSON.parse(id) as [string, string];
  return { owner, conversation };
}

/** Gives those of the handles that `from` holds to another holder; stored when it resolves. */
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

/** How much a sender may still upload, counted while it arrives. */
export interface UploadRoom {
  /** False if this many more bytes exceed it; bytes accepted before stay counted. */
  take(bytes: number): boolean;
  /** Call it when the upload is stored and held, or deleted. */
  release(): void;
}

/**
 * Files that were uploaded before the run that will get them: held for their uploader, and useless to others.
 * `who` is a name that no stranger can guess or choose: of a caller, or of one copy of a form.
 */
export interface Uploads {
  /** Reserves room for an upload `from` this address without a key or a session, within the limits of `keepForGuest`. */
  roomForGuest(from: string): Promise<UploadRoom>;
  /** Reserves room for an upload of this caller of chats, within the limit of `keepForChat`. */
  roomForChat(who: string): Promise<UploadRoom>;
  /** Keeps files for a caller of the API for at least a day. They are stored when it resolves. */
  keep(who: string, handles: readonly string[]): Promise<void>;
  /** The same for messages of a chat; false, and nothing is kept, if this caller's files exceed `CHAT_BYTES`. */
  keepForChat(who: string, handles: readonly string[]): Promise<boolean>;
  /**
   * The same for a sender without a key or a session, also for files that a run has got; false, and nothing is kept, if the files
   * of all such senders exceed `guestBytes`, or those `from` this address a tenth of that.
   */
  keepForGuest(who: string, handles: readonly string[], from: string): Promise<boolean>;
  /** The file, if `who` uploaded it. */
  find(who: string, handle: string): Promise<StoredFile | undefined>;
  /** The handles in a value of files that `who` uploaded. */
  heldIn(value: unknown, who: string): Promise<string[]>;
}

const DAY_MS = 86_400_000;

/** The share of one address, so that none uses the room of the others. */
const GUESTS = 10;

/** How many bytes of files one caller may upload for chats within a day or two: many people share a key for chats. */
const CHAT_BYTES = 5_000_000_000;

const CALLER = 'caller ';

/** The name of a caller of the API for its uploads. */
export function callerUploads({ owner }: { readonly owner: string }): string {
  return CALLER + owner;
}

/** `guestBytes`: how many bytes of files are kept for senders without a key or a session; more are refused. */
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

/** Uploads under way, counted by name. */
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

/** Whether files are still kept for their uploader. `id` is that of their holder. */
export function isFreshUpload(id: string, now: number): boolean {
  return id.slice(0, 10) >= dayOf(now - DAY_MS);
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

import { hash as hashOf } from 'node:crypto';
import type { KeptValue } from './blob-store.ts';

/**
 * The stand-in for a value that was too large to store with its event. `size` is in characters of JSON (bytes for
 * binary data); `hash` is present if the whole value is stored beside it (`blobs/`).
 */
export interface LargeValue {
  readonly $large: {
    readonly size: number;
    readonly atLeast?: true;
    readonly preview: string;
    readonly hash?: string;
  };
}

/** The most characters of JSON of one value that are stored whole, and of all values of one run together. */
export const MAX_VALUE: number = 10 * 1024 * 1024;
const MAX_OF_RUN = 32 * 1024 * 1024;

/** Allows a number of characters a second. Called before a value is serialized, because that delays everything else. */
export interface ValueRoom {
  has(): boolean;
  take(characters: number): void;
  /** Values that were not stored. */
  lost: number;
}

/** The large values in the events of one run, each once. */
export class RunValues {
  private readonly room: ValueRoom;
  private readonly texts = new Map<string, string>();
  private readonly known = new WeakMap<object, LargeValue>();
  private fresh: KeptValue[] = [];
  private left = MAX_OF_RUN;

  constructor(room: ValueRoom) {
    this.room = room;
  }

  /**
   * Returns the stand-in for a value: the result of `make`, with the hash under which the whole value is stored if
   * there is room for it. `write` returns its JSON, undefined if that is too long or impossible.
   */
  standIn(value: unknown, make: () => LargeValue, write: () => string | undefined): LargeValue {
    const before = typeof value === 'object' && value !== null ? this.known.get(value) : undefined;
    if (before !== undefined) return before;
    const made = make();
    const hash = this.keep(write);
    const standIn = hash === undefined ? made : { $large: { ...made.$large, hash } };
    if (typeof value === 'object' && value !== null) this.known.set(value, standIn);
    return standIn;
  }

  get(hash: string): string | undefined {
    return this.texts.get(hash);
  }

  /** The values since the last call. */
  takeNew(): KeptValue[] {
    const { fresh } = this;
    this.fresh = [];
    return fresh;
  }

  private keep(write: () => string | undefined): string | undefined {
    const json = this.left > 0 && this.room.has() ? write() : undefined;
    if (json === undefined || json.length > Math.min(this.left, MAX_VALUE)) {
      this.room.lost++;
      return undefined;
    }
    this.room.take(json.length);
    const hash = hashOf('sha256', json, 'hex');
    if (this.texts.has(hash)) return hash;
    this.left -= json.length;
    this.texts.set(hash, json);
    this.fresh.push({ hash, json });
    return hash;
  }
}

/** `perSecond` in characters of JSON, `now` in Unix milliseconds. */
export function createValueRoom(perSecond: number, now: () => number): ValueRoom {
  let second = -1;
  let used = 0;
  return {
    lost: 0,
    has() {
      const current = Math.floor(now() / 1000);
      if (current !== second) {
        second = current;
        used = 0;
      }
      return used < perSecond;
    },
    take(characters) {
      used += characters;
    },
  };
}

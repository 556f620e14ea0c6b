import { hash as hashOf } from 'node:crypto';
import type { LargeValue } from '../bound-value.ts';
import type { KeptValue } from './blob-store.ts';

/** Characters of JSON above which a value is not kept whole; so many at most of all values of one run together. */
export const MAX_VALUE: number = 10 * 1024 * 1024;
const MAX_OF_RUN = 32 * 1024 * 1024;

/** Lets through so many characters a second; asked before a value is written out, which takes time from everything else. */
export interface ValueRoom {
  has(): boolean;
  take(characters: number): void;
  /** Values that were not kept. */
  lost: number;
}

/** The large values of one run's events, each once. */
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
   * What stands in for a value: `make` does, with the hash by which the whole is kept, where there is room for it. `write` gives
   * its JSON, undefined where that is too long or cannot be.
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

  /** Those that came since it was asked last. */
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

/** `now` in Unix milliseconds. */
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

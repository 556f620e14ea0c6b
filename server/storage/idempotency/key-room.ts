import { ServiceError } from '../../base/errors/errors.ts';
import type { IdempotencyLimits } from './idempotency-store.ts';

/** The room that the keys of one trigger use. */
export interface Used {
  keys: number;
  bytes: number;
}

/** Counts the room of each trigger's keys, so that a trigger that many strangers call leaves room for the others. */
export class KeyRoom {
  private used = new Map<string, Used>();
  private readonly limits: IdempotencyLimits;

  constructor(limits: IdempotencyLimits) {
    this.limits = limits;
  }

  /** Replaces all counts. */
  recount(all: Iterable<readonly [trigger: string, used: Used]>): void {
    this.used = new Map(all);
  }

  isFull(trigger: string): boolean {
    return (this.used.get(trigger)?.keys ?? 0) >= this.limits.keys;
  }

  /** Counts a key. Throws `idempotency_full`. */
  addKey(trigger: string): void {
    if (this.isFull(trigger))
      throw new ServiceError('idempotency_full', undefined, { headers: { 'retry-after': '60' } });
    const used = this.used.get(trigger) ?? { keys: 0, bytes: 0 };
    used.keys++;
    this.used.set(trigger, used);
  }

  dropKey(trigger: string): void {
    this.drop(trigger, { keys: 1, bytes: 0 });
  }

  /** Frees the room of deleted keys. */
  drop(trigger: string, { keys, bytes }: Used): void {
    const used = this.used.get(trigger);
    if (used === undefined) return;
    used.keys = Math.max(0, used.keys - keys);
    used.bytes = Math.max(0, used.bytes - bytes);
  }

  /** Counts an answer; false if it is too large to be stored. */
  addAnswer(trigger: string, bytes: number): boolean {
    const used = this.used.get(trigger) ?? { keys: 0, bytes: 0 };
    if (bytes > this.limits.answer || used.bytes + bytes > this.limits.answers) return false;
    used.bytes += bytes;
    this.used.set(trigger, used);
    return true;
  }
}

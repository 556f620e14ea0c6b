import { setTimeout as sleep } from 'node:timers/promises';
import { answered, NoAnswer } from './answered.ts';

/** Connections are replaced no more often than that, in milliseconds: a statement may really take long, or wait for a lock. */
const AGAIN_MS = 60_000;

interface Deps<C> {
  readonly make: () => C;
  /** What is under way gets `seconds` to end; without, all the time that it takes. */
  readonly end: (client: C, seconds?: number) => Promise<void>;
}

/**
 * A client whose connections are replaced once one of them has not answered in time: a connection can die without a word, behind a
 * firewall that has forgotten it, and the driver would send everything there until the system gives it up, a quarter of an hour later.
 */
export class LivingClient<C> {
  private readonly deps: Deps<C>;
  private made: C;
  private replacedAt = Number.NEGATIVE_INFINITY;
  private closed = false;

  constructor(deps: Deps<C>) {
    this.deps = deps;
    this.made = deps.make();
  }

  get current(): C {
    return this.made;
  }

  /** Rejects with `storage_failed` if the database cannot be used now. */
  async ask<T>(work: (client: C) => Promise<T>, answerMs?: number): Promise<T> {
    const client = this.made;
    try {
      return await answered(() => work(client), answerMs);
    } catch (error) {
      if (error instanceof NoAnswer) this.replace(client);
      throw error;
    }
  }

  /** What is under way gets `seconds` to end. */
  async close(seconds: number): Promise<void> {
    this.closed = true;
    // A connection that has died does not even end.
    await Promise.race([
      this.deps.end(this.made, seconds),
      sleep((seconds + 1) * 1000, undefined, { ref: false }),
    ]);
  }

  private replace(client: C): void {
    if (this.closed || client !== this.made || performance.now() - this.replacedAt < AGAIN_MS) return;
    this.replacedAt = performance.now();
    this.made = this.deps.make();
    // What other connections are doing goes on; those that have died end when the system gives them up.
    void this.deps.end(client).catch(() => {});
  }
}

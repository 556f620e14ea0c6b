import { ask } from '../ask.js';

/**
 * Timers of one call. The host waits; in the test of a flow nobody does: the clock of the test jumps to the next one.
 *
 * @typedef {{ id: number, due: number, fire: () => void }} Timer
 */

/** The longest time limit that a call can have, in milliseconds. */
const MAX_MS = 900_000;

/** @type {(ms: unknown, what: string) => number} */
function durationOf(ms, what) {
  const given = Number(ms);
  if (given >= 0 && given <= MAX_MS) return given;
  throw new RangeError(`${what} takes milliseconds from 0 to ${MAX_MS}, not ${String(ms)}.`);
}

export class Timers {
  #call;
  #onFailure;
  #lastId = 0;
  /** @type {Map<number, Timer>} */
  #open = new Map();

  /** @param {import('../open-call.js').GuestCall} call @param {(error: unknown) => void} onFailure */
  constructor(call, onFailure) {
    this.#call = call;
    this.#onFailure = onFailure;
  }

  /** @type {(ms: unknown) => Promise<void>} */
  sleep(ms) {
    const time = durationOf(ms, 'ctx.sleep');
    return new Promise((resolve, reject) => this.#start(time, resolve, reject));
  }

  /** @type {(fn: unknown, ms: unknown, given: unknown[]) => number} */
  set(fn, ms, given) {
    if (typeof fn !== 'function') throw new TypeError('setTimeout takes a function.');
    const fire = () => {
      try {
        Reflect.apply(fn, undefined, given);
      } catch (error) {
        this.#onFailure(error);
      }
    };
    return this.#start(durationOf(ms ?? 0, 'setTimeout'), fire, this.#onFailure);
  }

  /** @type {(id: unknown) => void} */
  clear(id) {
    this.#open.delete(Number(id));
  }

  /** @type {(ms: number, fire: () => void, failed: (error: Error) => void) => number} */
  #start(ms, fire, failed) {
    const { world } = this.#call;
    const id = ++this.#lastId;
    this.#open.set(id, { id, due: (world?.now ?? 0) + ms, fire });
    ask(this.#call, 'sleep', { ms: world ? 0 : ms }).then(
      () => this.#fire(world ? this.#next() : id),
      failed,
    );
    return id;
  }

  /** The one that comes first by the test's clock. */
  #next() {
    let first = undefined;
    for (const timer of this.#open.values()) if (!first || timer.due < first.due) first = timer;
    return first?.id ?? 0;
  }

  /** @type {(id: number) => void} */
  #fire(id) {
    const timer = this.#open.get(id);
    if (!timer || this.#call.over) return;
    this.#open.delete(id);
    const { world } = this.#call;
    if (world) world.now = Math.max(world.now, timer.due);
    timer.fire();
  }
}

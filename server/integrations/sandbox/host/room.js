import { performance } from 'node:perf_hooks';

/** Milliseconds that the code's own globals may take to get ready. */
const OPENING_MS = 1000;
/**
 * Milliseconds that code may hold the main thread, where others wait; code with a longer limit runs on another
 * thread.
 */
export const MAIN_THREAD_MS = 100;
/** The most calls that cross together, and the part of that time that they may be expected to take. */
const MAX_BATCH = 64;
const BATCH_MS = MAIN_THREAD_MS / 4;
/** Milliseconds: code that is faster on average may run on the main thread, together with other fast code. */
const FAST_MS = 1;
/** Milliseconds: code that took longer may not, until it has proved fast again. */
const SLOW_MS = 5;
/** Number of calls after which an average is meaningful. */
const ENOUGH = 3;

/**
 * @typedef {{
 *   id: number, realm: string, memoryMb: number, cpuMs: number, wallMs: number,
 *   guest: string, library: boolean, isStream: boolean, mayShare: boolean,
 * }} Unit
 * `mayShare`: its calls may cross together. `guest` is the description for the code's side, as JSON; `library`: it may use the library.
 *
 * `starved`: how often it was stopped before although it had hardly computed.
 * @typedef {{ op: string, id: number, text: string, starved?: number }} Entry
 *
 * The state of a call that has started. `outside`: requests that the outside has not answered yet. `owed`: requested
 * items of a generator.
 * @typedef {{ id: number, since: number, idleSince: number, outside: number, wanted: number, owed: number }} OpenCall
 */

/** With what the code's random values are made of. @type {(guest: string) => string} */
function withSeed(guest) {
  const seed = process.getBuiltinModule('node:crypto').randomBytes(32).toString('hex');
  return JSON.stringify({ ...JSON.parse(guest), seed });
}

/** The code of one node with its message queue. */
export class RoomQueue {
  /** @type {Entry[]} */
  queue = [];
  /** @type {Map<number, OpenCall>} */
  open = new Map();
  /** @type {import('./engine.js').Room | undefined} */
  #room = undefined;
  #mean = 0;
  #count = 0;
  #realm;

  /**
   * @param {Unit} unit
   * @param {import('./engine.js').Realm} realm
   */
  constructor(unit, realm) {
    this.unit = unit;
    this.#realm = realm;
  }

  /** Opened with the first call, when nothing else runs in its realm. */
  get room() {
    this.#room ??= this.#opened();
    return this.#room;
  }

  /** Opens it before its first call. */
  warm() {
    this.#room ??= this.#opened();
  }

  #opened() {
    const { guest, library } = this.unit;
    const room = this.#realm.open(library);
    room.enter(['U', 0, library ? withSeed(guest) : guest], OPENING_MS);
    return room;
  }

  get isIdle() {
    return this.open.size === 0 && this.queue.length === 0;
  }

  get isFast() {
    return this.unit.mayShare && this.#count >= ENOUGH && this.#mean < FAST_MS;
  }

  /** @type {(ms: number) => void} milliseconds that a call took */
  learn(ms) {
    if (ms > SLOW_MS) this.distrust();
    else {
      this.#mean = this.#count === 0 ? ms : 0.8 * this.#mean + 0.2 * ms;
      this.#count++;
    }
  }

  distrust() {
    this.#count = 0;
    this.#mean = 0;
  }

  /** The next crossing: calls of fast code together, everything else one by one. */
  takeBatch() {
    if (!this.isFast) return this.queue.splice(0, 1);
    const most = Math.min(MAX_BATCH, BATCH_MS / this.#mean);
    let count = 0;
    while (count < most && this.queue[count]?.op === 'C') count++;
    return this.queue.splice(0, Math.max(1, count));
  }

  /** @type {(entries: Entry[]) => void} */
  opened(entries) {
    const now = performance.now();
    for (const { op, id, text } of entries) {
      if (op === 'C' || op === 'A' || op === 'G') {
        this.open.set(id, { id, since: now, idleSince: now, outside: 0, wanted: 0, owed: 0 });
      } else note(this.open.get(id), op, text, now);
    }
  }

  /** A call has sent something. @type {(op: string, id: number, text: string) => void} */
  heard(op, id, text) {
    if (op === 'V' || op === 'T' || op === 'D') this.open.delete(id);
    else note(this.open.get(id), `<${op}`, text, performance.now());
  }
}

/** @type {Record<string, (call: OpenCall, text: string) => void>} */
const NOTES = {
  R: (call) => void call.outside--,
  Q: (call) => void call.outside--,
  '<H': (call) => void call.outside++,
  '<W': (call, text) => void (call.wanted += Number(text)),
  I: (call) => void call.wanted--,
  E: (call) => void (call.wanted = 0),
  F: (call) => void (call.wanted = 0),
  P: (call, text) => void (call.owed += Number(text)),
  '<I': (call) => void call.owed--,
};

/** @type {(call: OpenCall | undefined, op: string, text: string, now: number) => void} */
function note(call, op, text, now) {
  if (!call) return;
  call.idleSince = now;
  NOTES[op]?.(call, text);
}

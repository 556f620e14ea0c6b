import { performance } from 'node:perf_hooks';
import { Stopped } from './engine.js';
import { MAIN_THREAD_MS, RoomQueue } from './room.js';

/** Milliseconds for the code's side to say what it was doing. */
const RECOVER_MS = 250;
/** How often a call is restarted that was stopped although it had hardly computed, each time with twice the time. */
const MAX_STARVED = 6;
/** Messages that the code's side may send about a call that it has. */
const SAYS = new Set(['V', 'T', 'D', 'I', 'L', 'H', 'W']);

/**
 * @typedef {import('./room.js').Entry} Entry
 * @typedef {{ send(op: string, id: number, unit: number, text: string): void, lost(realm: RealmQueue): void, broken(): void }} Outside
 * @typedef {{ room: RoomQueue, entries: Entry[], since: number, computed: () => number, ms: number, dead: boolean }} Crossing
 *
 * `computed`: the most milliseconds that it can have computed until now.
 * @typedef {{ hasMoreTime: boolean, computed: () => number }} Stretch
 */

/**
 * All code of one version of one flow: a heap, and the messages for its rooms.
 *
 * Q1. One crossing at a time; while one is on another thread, nothing enters the realm.
 * Q2. Stopping a crossing costs the call that was running. Calls that it had finished keep their results, and
 *     calls that had not started run again; if the guilty call is unknown, each runs again alone.
 */
export class RealmQueue {
  /** @type {Map<number, RoomQueue>} */
  rooms = new Map();
  /** The crossing that is on another thread now. @type {Crossing | undefined} */
  crossing = undefined;
  isDead = false;
  usedAt = 0;
  /** Something has crossed, so its heap is there. */
  hasRun = false;
  #realm;
  #outside;

  /**
   * @param {string} key
   * @param {import('./engine.js').Realm} realm
   * @param {Outside} outside
   */
  constructor(key, realm, outside) {
    this.key = key;
    this.#realm = realm;
    this.#outside = outside;
  }

  /** @type {(unit: import('./room.js').Unit) => RoomQueue} */
  roomFor(unit) {
    const known = this.rooms.get(unit.id);
    if (known) return known;
    const room = new RoomQueue(unit, this.#realm);
    this.rooms.set(unit.id, room);
    return room;
  }

  get isIdle() {
    if (this.crossing) return false;
    for (const room of this.rooms.values()) if (!room.isIdle) return false;
    return true;
  }

  /** Lets everything cross that is waiting, unless it has to wait for a crossing on another thread. */
  run() {
    for (let again = true; again; ) {
      again = false;
      for (const room of this.rooms.values()) {
        if (this.crossing || this.isDead) return;
        if (room.queue.length === 0) continue;
        again = true;
        this.#cross(room);
      }
    }
  }

  /** @type {(room: RoomQueue) => void} */
  #cross(room) {
    this.hasRun = true;
    const entries = room.takeBatch();
    const isFast = room.isFast && entries[0]?.op === 'C';
    room.opened(entries);
    /** @type {(string | number)[]} */
    const messages = [];
    for (const { op, id, text } of entries) messages.push(op === 'A' ? 'C' : op, id, text);
    try {
      // Opening may be stopped too: it runs our code in a heap that other code may have filled.
      const { enterApart } = room.room;
      if (enterApart && !isFast) this.#crossApart(room, entries, messages);
      else this.#crossHere(room, entries, messages);
    } catch (error) {
      this.#stopped(room, entries, error, { hasMoreTime: false, computed: () => 0 });
    }
  }

  /** @type {(room: RoomQueue, entries: Entry[], messages: (string | number)[]) => void} */
  #crossHere(room, entries, messages) {
    const start = performance.now();
    const computed = this.#meter(false);
    const canGoApart = room.room.enterApart !== undefined;
    const ms = canGoApart ? Math.min(MAIN_THREAD_MS, room.unit.cpuMs) : room.unit.cpuMs;
    try {
      this.#heard(room, room.room.enter(messages, ms));
      // Output of promises after the first answer was ready.
      if (room.open.size > 0) this.#heard(room, room.room.enter([], ms));
    } catch (error) {
      this.#stopped(room, entries, error, { hasMoreTime: ms < room.unit.cpuMs, computed });
      return;
    }
    room.learn((performance.now() - start) / entries.length);
  }

  /** @type {(room: RoomQueue, entries: Entry[], messages: (string | number)[]) => void} */
  #crossApart(room, entries, messages) {
    const ms = room.unit.cpuMs * 2 ** (entries[0]?.starved ?? 0);
    const [since, computed] = [performance.now(), this.#meter(true)];
    /** @type {Crossing} */
    const crossing = { room, entries, since, computed, ms, dead: false };
    this.crossing = crossing;
    const settle = (/** @type {() => void} */ act) => {
      crossing.dead = true;
      // Nobody waits for anything of a realm that was given up.
      if (this.isDead) return;
      this.crossing = undefined;
      act();
      this.run();
    };
    enterTwice(room, messages, ms).then(
      (answers) =>
        settle(() => {
          this.#heard(room, answers);
          room.learn(performance.now() - crossing.since);
        }),
      (error) => settle(() => this.#stopped(room, entries, error, { hasMoreTime: false, computed })),
    );
  }

  /**
   * Passes on the output of the code's side as far as it is permitted, except for the calls in `unsure`.
   *
   * @type {(room: RoomQueue, messages: (string | number)[], unsure?: ReadonlySet<number>) => void}
   */
  #heard(room, messages, unsure) {
    for (let i = 0; i < messages.length; i += 3) {
      const [op, id, text] = [String(messages[i]), Number(messages[i + 1]), String(messages[i + 2])];
      if (!SAYS.has(op) || !room.open.has(id) || unsure?.has(id)) continue;
      if (op === 'H') room.distrust();
      room.heard(op, id, text);
      this.#outside.send(op, id, room.unit.id, text);
    }
  }

  /** @type {(room: RoomQueue, entries: Entry[], error: unknown, stretch: Stretch) => void} */
  #stopped(room, entries, error, { hasMoreTime, computed }) {
    room.distrust();
    const only = entries.length === 1 ? entries[0]?.id : undefined;
    if (!(error instanceof Stopped)) {
      // Unforeseen, such as the end of the stack below QuickJS: the remaining engine is not reliable.
      this.lose('code_memory', only, entries);
      return this.#outside.broken();
    }
    if (error.why !== 'time') return this.lose('code_memory', only, entries);
    const isStarved = this.#isStarved(room, entries, computed());
    const running = this.#realm.survivesStop ? this.#whoWasRunning(room, entries, isStarved) : 'lost';
    // A realm that got no processor time is no evidence against its call.
    if (running === 'lost') return this.lose('code_timeout', isStarved ? undefined : only, entries);
    const culprit = only ?? running;
    if (culprit === 0 || hasMoreTime || isStarved) return this.#again(room, entries, isStarved);
    this.stop(
      room,
      culprit,
      'code_timeout',
      `The code computed for more than ${room.unit.cpuMs} ms at a stretch.`,
    );
    this.#goOnBehind(room, entries, culprit);
  }

  /**
   * V8 uses wall-clock time: on a machine that has no time for it, a call may be stopped that has hardly computed. If
   * it was at its beginning, it is restarted and gets longer.
   *
   * @type {(room: RoomQueue, entries: Entry[], computedMs: number) => boolean}
   */
  #isStarved(room, entries, computedMs) {
    if (!this.#realm.survivesStop || computedMs > room.unit.cpuMs / 2) return false;
    return entries.every(({ op, starved = 0 }) => (op === 'C' || op === 'A') && starved < MAX_STARVED);
  }

  /**
   * Starts to measure what code of this realm computes. Each clock also counts what is not its own, the one of the
   * heap waiting, the one of the threads other code, so the smaller one holds.
   *
   * @type {(isApart: boolean) => () => number}
   */
  #meter(isApart) {
    const realm = this.#realm;
    const [heap, threads] = [realm.cpuMs(), realm.threadMs?.(isApart)];
    return () => {
      const ofHeap = realm.cpuMs() - heap;
      return threads === undefined ? ofHeap : Math.min(ofHeap, (realm.threadMs?.(isApart) ?? 0) - threads);
    };
  }

  /**
   * The calls that the stopped one kept from starting.
   *
   * @type {(room: RoomQueue, entries: Entry[], culprit: number) => void}
   */
  #goOnBehind(room, entries, culprit) {
    const place = entries.findIndex(({ id }) => id === culprit);
    const behind = entries.slice(place + 1).filter(({ id }) => room.open.has(id));
    for (const { id } of behind) room.open.delete(id);
    room.queue.unshift(...behind);
  }

  /**
   * The call whose code ran when it was stopped, 0 if that is unknown. Earlier output counts; but if a promise was
   * running, it may be that of any call of the crossing, and no stopped call may have a result.
   *
   * @type {(room: RoomQueue, entries: Entry[], isStarved: boolean) => number | 'lost'}
   */
  #whoWasRunning(room, entries, isStarved) {
    try {
      const messages = room.room.enter(['S', 0, ''], RECOVER_MS);
      const running = runningCall(messages);
      const unsure = new Set(running === 0 || isStarved ? entries.map(({ id }) => id) : []);
      this.#heard(room, messages, unsure);
      return running;
    } catch {
      return 'lost';
    }
  }

  /**
   * Runs each unfinished call of a stopped crossing again, alone.
   *
   * @type {(room: RoomQueue, entries: Entry[], isStarved: boolean) => void}
   */
  #again(room, entries, isStarved) {
    const left = entries.filter(({ id }) => room.open.has(id));
    for (const { id } of left) room.open.delete(id);
    const forget = left.map(({ id }) => ({ op: 'X', id, text: '' }));
    room.queue.unshift(
      ...forget,
      ...left.map((entry) => ({
        op: 'A',
        id: entry.id,
        text: entry.text,
        starved: (entry.starved ?? 0) + (isStarved ? 1 : 0),
      })),
    );
  }

  /**
   * Whether its crossing still runs although it must have been stopped. A crossing that gets no thread or no
   * processor waits for others, which is not its fault; it gets `patience` times as long.
   *
   * @type {(now: number, graceMs: number, patience: number) => boolean}
   */
  isStuck(now, graceMs, patience) {
    if (!this.crossing) return false;
    const { since, computed, ms } = this.crossing;
    const late = now - since - ms - graceMs;
    if (late <= 0) return false;
    return computed() > ms / 2 || late > patience * (ms + graceMs);
  }

  /** Ends one call. @type {(room: RoomQueue, id: number, code: string, message: string) => void} */
  stop(room, id, code, message) {
    if (!room.open.delete(id)) return;
    this.#outside.send('K', id, room.unit.id, JSON.stringify({ code, message }));
    room.queue.push({ op: 'X', id, text: '' });
  }

  /**
   * Gives up the realm. `culprit` fails with `code`, all others run again, those of `entries` alone.
   *
   * @type {(code: string, culprit: number | undefined, entries: Entry[]) => void}
   */
  lose(code, culprit, entries) {
    if (this.isDead) return;
    this.isDead = true;
    const suspects = new Set(entries.map(({ id }) => id));
    const message =
      code === 'code_memory'
        ? 'The code took more memory than it may.'
        : 'The code could not be stopped in time.';
    for (const { unit, open, queue } of this.rooms.values()) {
      const begun = queue.filter(({ op }) => op === 'C' || op === 'A' || op === 'G');
      for (const id of new Set([...open.keys(), ...begun.map((entry) => entry.id)])) {
        if (id === culprit) this.#outside.send('K', id, unit.id, JSON.stringify({ code, message }));
        else this.#outside.send('N', id, unit.id, suspects.has(id) ? code : '');
      }
    }
    this.#outside.lost(this);
    this.#realm.dispose();
  }
}

/** The output of the code's side on `S`. @type {(messages: (string | number)[]) => number} */
function runningCall(messages) {
  for (let i = 0; i < messages.length; i += 3) if (messages[i] === 'S') return Number(messages[i + 1]);
  return 0;
}

/** @type {(room: RoomQueue, messages: (string | number)[], ms: number) => Promise<(string | number)[]>} */
async function enterTwice({ room, unit }, messages, ms) {
  const enter = /** @type {NonNullable<import('./engine.js').Room['enterApart']>} */ (room.enterApart);
  const first = await enter(messages, ms);
  if (unit.isStream === false && !messagesPend(messages, first)) return first;
  return [...first, ...(await enter([], ms))];
}

/**
 * Whether a call of these messages has not ended with these answers.
 *
 * @type {(messages: (string | number)[], answers: (string | number)[]) => boolean}
 */
function messagesPend(messages, answers) {
  return messages[0] !== 'C' || (answers.at(-3) !== 'V' && answers.at(-3) !== 'T');
}

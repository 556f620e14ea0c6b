// The engine that runs code: V8 isolates if there is a binary for this machine, otherwise QuickJS in WebAssembly.

/**
 * Why a stretch of code did not reach its end: `time`, `memory` (the realm is then gone), `gone` (it was disposed
 * of).
 */
export class Stopped extends Error {
  /** @param {'time' | 'memory' | 'gone'} why */
  constructor(why) {
    super(why);
    this.why = why;
  }
}

/**
 * The code of one node with its own globals. `enter` passes messages in (sign, call, text, …) and returns the
 * answers; it throws `Stopped`. `enterApart` does the same on another thread, if there is one.
 *
 * @typedef {(string | number)[]} Messages
 * @typedef {{
 *   enter(messages: Messages, ms: number): Messages,
 *   enterApart?(messages: Messages, ms: number): Promise<Messages>,
 * }} Room
 *
 * One heap, for the code of one version of one flow. `survivesStop`: a room can be entered again after
 * `Stopped('time')`. `library`: with the parts that only some code needs (`guest/offers.js`). `cpuMs`, and `threadMs` if there is one, are clocks in milliseconds that run at least as fast as
 * its code computes: one of the heap, one of the threads on which code runs, this one or (`isApart`) all others.
 * @typedef {{
 *   open(library: boolean): Room, dispose(): void, cpuMs(): number, threadMs?(isApart: boolean): number, readonly survivesStop: boolean,
 * }} Realm
 *
 * @typedef {{ readonly name: string, realm(memoryMb: number): Realm }} Engine
 */

/**
 * Output of a room, checked against the protocol (GE2): in threes a sign, a number, a text without line feeds.
 *
 * @type {(given: unknown, maxLength: number) => Messages}
 */
export function checkedMessages(given, maxLength) {
  if (!Array.isArray(given) || given.length % 3 !== 0) throw new Stopped('memory');
  let length = 0;
  for (let i = 0; i < given.length; i += 3) {
    const [op, id, text] = [given[i], given[i + 1], given[i + 2]];
    if (typeof op !== 'string' || op.length !== 1 || !Number.isSafeInteger(id)) throw new Stopped('gone');
    if (typeof text !== 'string' || text.includes('\n')) throw new Stopped('gone');
    length += text.length;
  }
  if (length > maxLength) throw new Stopped('memory');
  return given;
}

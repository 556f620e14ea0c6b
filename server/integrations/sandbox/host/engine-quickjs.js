import { checkedMessages, Stopped } from './engine.js';

/** Bytes of stack that code may use. */
const MAX_STACK = 512 * 1024;
/** At most this many promise jobs run before the clock is checked. */
const JOBS_AT_ONCE = 1000;

/**
 * The time that a stretch of code has computed: processor time, which is read only when the limit can have passed.
 * Once exceeded, it stays exceeded until the next stretch: QuickJS turns an interrupt in a promise's executor or an
 * async function into a rejected promise, and the code continues after it.
 */
class Clock {
  #limit = 0;
  #deadline = 0;
  #before = process.cpuUsage();
  #wasOver = false;

  /** @type {(ms: number) => void} */
  start(ms) {
    this.#limit = ms * 1000;
    this.#deadline = performance.now() + ms;
    this.#before = process.cpuUsage();
    this.#wasOver = false;
  }

  get isOver() {
    if (this.#wasOver) return true;
    if (performance.now() < this.#deadline) return false;
    const { user, system } = process.cpuUsage(this.#before);
    this.#wasOver = user + system > this.#limit;
    return this.#wasOver;
  }
}

/**
 * QuickJS in WebAssembly: no native code, so it runs wherever Node does, fifty times slower. It is interrupted by
 * checking the clock; interrupted work cannot be continued, so a stop costs the realm.
 *
 * @param {import('quickjs-emscripten-core').QuickJSWASMModule} quickjs
 * @param {import('./guest-source.js').GuestSource} guest
 * @param {{ maxText: number }} options
 * @returns {import('./engine.js').Engine}
 */
export function quickjsEngine(quickjs, guest, { maxText }) {
  return {
    name: 'quickjs',
    realm(memoryMb) {
      const runtime = quickjs.newRuntime();
      const clock = new Clock();
      runtime.setMemoryLimit(memoryMb * 1024 * 1024);
      runtime.setMaxStackSize(MAX_STACK);
      runtime.setInterruptHandler(() => clock.isOver);
      /** @type {import('quickjs-emscripten-core').QuickJSContext[]} */
      const contexts = [];
      return {
        survivesStop: false,
        // Nothing of it runs on another thread.
        cpuMs: () => 0,
        open(library) {
          const context = runtime.newContext();
          contexts.push(context);
          return openRoom({ runtime, context, clock, maxText }, library ? guest.library : guest.plain);
        },
        dispose: () => disposeAll(runtime, contexts),
      };
    },
  };
}

/**
 * Leftovers of code that was stopped midway may keep QuickJS from cleaning up its heap. They belong to this realm
 * alone, so only memory is lost.
 *
 * @type {(runtime: import('quickjs-emscripten-core').QuickJSRuntime, contexts: import('quickjs-emscripten-core').QuickJSContext[]) => void}
 */
function disposeAll(runtime, contexts) {
  try {
    for (const context of contexts) context.dispose();
    runtime.dispose();
  } catch {
    runtime.removeInterruptHandler();
  }
}

/**
 * @typedef {{
 *   runtime: import('quickjs-emscripten-core').QuickJSRuntime,
 *   context: import('quickjs-emscripten-core').QuickJSContext,
 *   clock: Clock,
 *   maxText: number,
 * }} Parts
 */

/** @type {(parts: Parts, guest: string) => import('./engine.js').Room} */
function openRoom(parts, guest) {
  const { runtime, context, clock, maxText } = parts;
  clock.start(Number.POSITIVE_INFINITY);
  // The code's side takes and returns lists; here they travel as JSON, which needs fewer crossings.
  const bridge = `(() => { const enter = ${guest}; const { parse, stringify } = JSON; return (text) => stringify(enter(parse(text))); })()`;
  const enter = context.unwrapResult(context.evalCode(bridge));
  return {
    enter(messages, ms) {
      clock.start(ms);
      const given = context.newString(JSON.stringify(messages));
      const result = context.callFunction(enter, context.undefined, given);
      given.dispose();
      if (result.error) throw stoppedBy(parts, result.error);
      const text = context.getString(result.value);
      result.value.dispose();
      runJobs(runtime, clock);
      // An interrupted call, or one that computed for too long where nothing interrupts, has no result, whatever it says.
      if (clock.isOver) throw new Stopped('time');
      return checkedMessages(JSON.parse(text), maxText);
    },
  };
}

/** @type {(runtime: import('quickjs-emscripten-core').QuickJSRuntime, clock: Clock) => void} */
function runJobs(runtime, clock) {
  while (runtime.hasPendingJob()) {
    const done = runtime.executePendingJobs(JOBS_AT_ONCE);
    if (done.error) done.error.dispose();
    if (clock.isOver) throw new Stopped('time');
  }
}

/** @type {(parts: Parts, error: import('quickjs-emscripten-core').QuickJSHandle) => Stopped} */
function stoppedBy({ clock }, error) {
  error.dispose();
  return new Stopped(clock.isOver ? 'time' : 'memory');
}

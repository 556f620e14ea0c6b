import { checkedMessages, Stopped } from './engine.js';

/** Bytes of stack that code may use. */
const MAX_STACK = 512 * 1024;
/** No more than this many promise jobs run before the clock is looked at. */
const JOBS_AT_ONCE = 1000;

/**
 * The time that a stretch of code has computed: that of the processor, which is looked at only when it can have passed. Once
 * over it stays over until the next stretch: QuickJS makes a rejected promise of an interrupt in a promise's executor or an
 * async function, behind which the code goes on.
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
 * QuickJS in WebAssembly: no native code, so it runs wherever Node does, fifty times slower. It is interrupted by looking at
 * the clock; what it was doing cannot be gone on with, so a stop costs the realm.
 *
 * @param {import('quickjs-emscripten').QuickJSWASMModule} quickjs
 * @param {string} guest source of the code's side, an expression
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
      /** @type {import('quickjs-emscripten').QuickJSContext[]} */
      const contexts = [];
      return {
        survivesStop: false,
        // Nothing of it goes on apart.
        cpuMs: () => 0,
        open() {
          const context = runtime.newContext();
          contexts.push(context);
          return openRoom({ runtime, context, clock, maxText }, guest);
        },
        dispose: () => disposeAll(runtime, contexts),
      };
    },
  };
}

/**
 * What code left behind in the middle of a stop may keep QuickJS from putting its heap in order. It belongs to this realm alone,
 * so nothing is lost but memory.
 *
 * @type {(runtime: import('quickjs-emscripten').QuickJSRuntime, contexts: import('quickjs-emscripten').QuickJSContext[]) => void}
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
 *   runtime: import('quickjs-emscripten').QuickJSRuntime,
 *   context: import('quickjs-emscripten').QuickJSContext,
 *   clock: Clock,
 *   maxText: number,
 * }} Parts
 */

/** @type {(parts: Parts, guest: string) => import('./engine.js').Room} */
function openRoom(parts, guest) {
  const { runtime, context, clock, maxText } = parts;
  clock.start(Number.POSITIVE_INFINITY);
  // The code's side takes and gives lists; here they travel as JSON, which costs fewer crossings.
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
      // What was interrupted, or computed for too long where nothing interrupts, has no result, whatever it says.
      if (clock.isOver) throw new Stopped('time');
      return checkedMessages(JSON.parse(text), maxText);
    },
  };
}

/** @type {(runtime: import('quickjs-emscripten').QuickJSRuntime, clock: Clock) => void} */
function runJobs(runtime, clock) {
  while (runtime.hasPendingJob()) {
    const done = runtime.executePendingJobs(JOBS_AT_ONCE);
    if (done.error) done.error.dispose();
    if (clock.isOver) throw new Stopped('time');
  }
}

/** @type {(parts: Parts, error: import('quickjs-emscripten').QuickJSHandle) => Stopped} */
function stoppedBy({ clock }, error) {
  error.dispose();
  return new Stopped(clock.isOver ? 'time' : 'memory');
}

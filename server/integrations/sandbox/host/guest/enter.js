import { answer } from './ask.js';
import { makeConsole, makeContext } from './context.js';
import { forgetMatches, harden } from './harden.js';
import { InputStream } from './input-stream.js';
import { openCall } from './open-call.js';
import { offered } from './offers.js';
import { handedOver, say, sayAgain, takeOutbox } from './say.js';
import { makeWorld, simulate } from './simulate.js';
import { errorText, resultText } from './texts.js';

/**
 * The code's side of the protocol. These files are not loaded as modules: their text, without the lines of import and
 * export, is evaluated in the context of a code node, before the node's own code, and returns `enter`.
 *
 * GE1. Everything the code does happens while the host is in `enter`: there are no timers here. Its output is
 *      returned by `enter`, then or the next time.
 * GE2. The output of this side is not trusted outside: hostile code may control it.
 *
 * @typedef {'sync' | 'async' | 'generator'} Mode
 * @typedef {{ source: string, mode: Mode, pure: boolean, simulated: boolean, seed?: string }} Unit
 * @typedef {import('./open-call.js').GuestCall} GuestCall
 */

/** @type {Map<number, GuestCall>} */
const calls = new Map();
/** The call whose code is in its first stretch; 0 if none is. */
let current = 0;
/** @type {(...given: unknown[]) => unknown} */
let run = () => undefined;
/**
 * Makes it for one call, if it may use names that belong to its call.
 *
 * @type {((call: GuestCall) => (...given: unknown[]) => unknown) | undefined}
 */
let bind = undefined;
let pure = false;
/**
 * The world that the running code sees in a test; there each call crosses alone.
 *
 * @type {import('./simulate.js').World | undefined}
 */
let world = undefined;

/**
 * Takes the host's messages, as sign, call and text one after the other, and returns the answers.
 *
 * @type {(messages: (string | number)[]) => (string | number)[]}
 */
export function enter(messages) {
  if (messages[0] !== 'S') handedOver();
  for (let i = 0; i < messages.length; i += 3) {
    handle(String(messages[i]), Number(messages[i + 1]), String(messages[i + 2]));
  }
  return takeOutbox();
}

/** @type {(op: string, id: number, text: string) => void} */
function handle(op, id, text) {
  forgetMatches();
  if (op === 'C') return start(id, text);
  if (op === 'U') return define(JSON.parse(text));
  if (op === 'S') return sayCurrent();
  if (op === 'G') return startGenerator(id, text);
  const call = calls.get(id);
  if (!call) return;
  world = call.world;
  handleOpen(call, op, text);
}

/** @type {(call: GuestCall, op: string, text: string) => void} */
function handleOpen(call, op, text) {
  if (op === 'R') answer(call, text, false);
  else if (op === 'Q') answer(call, text, true);
  else if (op === 'P') addCredit(call, Number(text));
  else if (op === 'I') call.input?.take(text);
  else if (op === 'E') call.input?.end();
  else if (op === 'F') call.input?.fail(text);
  else if (op === 'X') forget(call);
}

/** @type {(unit: Unit) => void} */
function define(unit) {
  const makers = {
    sync: Function,
    async: (async () => {}).constructor,
    generator: async function* () {}.constructor,
  };
  pure = unit.pure;
  // A body is parsed separately here, so that no text can close it. Two lines of the constructor and one of ours come
  // first.
  const body = `"use strict";\n${unit.source}\n//# sourceURL=weft-code`;
  const make = /** @type {FunctionConstructor} */ (makers[unit.mode]);
  const library = offered();
  library?.install(unit.seed ?? '');
  if (unit.simulated) simulate(() => world ?? makeWorld({ now: 0, seed: 0 }));
  harden(pure, [InputStream, ...(library?.shared ?? [])]);
  try {
    run = /** @type {typeof run} */ (make('input', 'inputs', 'ctx', 'console', body));
    if (library) bind = bound(unit, library);
  } catch (error) {
    run = () => {
      throw error;
    };
  }
  // All calls of a generator share its own prototype.
  Object.freeze(run);
  Object.freeze(run.prototype);
}

const HEADS = { sync: 'function', async: 'async function', generator: 'async function*' };

/**
 * The code within a function that takes the names of its call, so that it may declare them anew. It was parsed by itself
 * before, and its lines have the same numbers.
 *
 * @type {(unit: Unit, library: import('./offers.js').Library) => NonNullable<typeof bind>}
 */
function bound({ source, mode }, { callGlobals, makeCallGlobals }) {
  const body = `return ${HEADS[mode]} (input, inputs, ctx, console) {"use strict";\n${source}\n}\n//# sourceURL=weft-code`;
  // This is the sandbox.
  const maker = /** @type {FunctionConstructor} */ ((() => {}).constructor);
  const make = Object.freeze(maker(...callGlobals, body));
  return (call) => (pure ? make() : make(...makeCallGlobals(call)));
}

/** After a stop: whose code was running. */
function sayCurrent() {
  sayAgain();
  if (current !== 0) say('S', current, '');
  current = 0;
}

/** @type {(call: GuestCall, simulated: { now: number, seed: number } | undefined) => void} */
function enterWorld(call, simulated) {
  if (simulated) call.world = world = makeWorld(simulated);
}

/** @type {(call: GuestCall, input: unknown, given: Record<string, unknown> | undefined) => unknown} */
function runCode(call, input, given) {
  const code = bind ? bind(call) : run;
  if (given === undefined) return code(input, { in: input });
  return code(input, { in: input }, makeContext(call, given, pure), makeConsole(call));
}

/** @type {(id: number, text: string) => void} */
function start(id, text) {
  current = id;
  const call = openCall(id);
  try {
    const { input, ctx, simulated } = JSON.parse(text);
    enterWorld(call, simulated);
    const result = runCode(call, input, ctx);
    if (result instanceof Promise) {
      calls.set(id, call);
      result.then(
        (value) => finish(call, value),
        (error) => fail(call, error),
      );
    } else {
      call.over = true;
      say('V', id, resultText(result));
    }
  } catch (error) {
    call.over = true;
    say('T', id, errorText(error));
  }
  current = 0;
}

/** @type {(call: GuestCall, value: unknown) => void} */
function finish(call, value) {
  if (call.over) return;
  try {
    const text = resultText(value);
    close(call);
    say('V', call.id, text);
  } catch (error) {
    fail(call, error);
  }
}

/** @type {(call: GuestCall, error: unknown) => void} */
export function fail(call, error) {
  if (call.over) return;
  close(call);
  say('T', call.id, errorText(error));
}

/** @type {(call: GuestCall) => void} */
function close(call) {
  call.over = true;
  calls.delete(call.id);
}

/** @type {(call: GuestCall) => void} */
function forget(call) {
  close(call);
  call.generator?.return(undefined).catch(() => {});
}

/** @type {(id: number, text: string) => void} */
function startGenerator(id, text) {
  const call = openCall(id);
  calls.set(id, call);
  try {
    const { input, streamed, ctx, simulated } = JSON.parse(text);
    enterWorld(call, simulated);
    call.input = streamed ? new InputStream(id) : undefined;
    call.generator = /** @type {AsyncGenerator<unknown>} */ (runCode(call, call.input ?? input, ctx));
  } catch (error) {
    fail(call, error);
  }
}

/** @type {(call: GuestCall, credit: number) => void} */
function addCredit(call, credit) {
  call.credit += credit;
  if (!call.pumping) void pump(call);
}

/** Produces items as long as they are requested. @type {(call: GuestCall) => Promise<void>} */
async function pump(call) {
  call.pumping = true;
  try {
    while (call.credit > 0 && !call.over) {
      const result = await call.generator?.next();
      if (call.over || !result) return;
      if (result.done) {
        close(call);
        say('D', call.id, '');
        return;
      }
      call.credit--;
      say('I', call.id, resultText(result.value));
    }
  } catch (error) {
    fail(call, error);
  } finally {
    call.pumping = false;
  }
}

import { answers } from './asking.js';
import { limits } from './limits.js';
import { payloadOf } from './payload.js';

/**
 * Runs Python in a process of its own and returns its result. Throws `code_failed` (what it raised, with the line),
 * `code_invalid` (what cannot be compiled), `code_timeout`, `code_memory`, `code_crashed`, `code_unavailable`, `value_too_large`,
 * `not_serialisable`, the reason of the call's signal, or the errors of what `ctx` asks.
 *
 * @param {import('./types.js').Kit} kit
 * @param {import('./pool.js').ProcessPool} pool
 * @param {import('./types.js').PythonCall} call
 */
export async function runPython(kit, pool, call) {
  const payload = payloadOf(kit, call);
  const process = await pool.take(call.signal).catch((error) => {
    if (call.signal.aborted) throw error;
    throw new kit.WeftError('code_unavailable', error.message);
  });
  try {
    return await new Promise((resolve, reject) =>
      new OneCall(kit, call, process, { resolve, reject }).begin(payload),
    );
  } finally {
    pool.end(process);
  }
}

/** @typedef {{ resolve(value: unknown): void, reject(error: unknown): void }} Settle */

/**
 * One call in one process. What the process says is checked: code that has changed Python may say anything.
 * OC1. It settles once: with what it says last, its end, its time limit, or the end of the run.
 */
class OneCall {
  #kit;
  #call;
  #process;
  #settle;
  #ask;
  /** @type {NodeJS.Timeout | undefined} */
  #late = undefined;
  #messages = 0;
  #logged = 0;
  #asked = 0;
  #isAsking = false;
  /** The original failures that the code got, by their numbers. @type {unknown[]} */
  #failures = [];

  /**
   * @param {import('./types.js').Kit} kit
   * @param {import('./types.js').PythonCall} call
   * @param {import('./process.js').PythonProcess} process
   * @param {Settle} settle
   */
  constructor(kit, call, process, settle) {
    this.#kit = kit;
    this.#call = call;
    this.#process = process;
    this.#settle = settle;
    this.#ask = answers(kit, call);
  }

  /** @param {unknown} payload */
  begin(payload) {
    const { signal } = this.#call;
    const process = this.#process;
    if (signal.aborted) return this.handleEvent();
    signal.addEventListener('abort', this);
    process.onEnd = () => this.#ended();
    if (process.end !== undefined) return this.#ended();
    process.onMessage = (message) => this.#hear(message, payload);
    if (process.isReady) this.#start(payload);
    else this.#within(limits.startMs, 'code_unavailable', 'Python does not get ready.');
  }

  /** The signal of the call has aborted. */
  handleEvent() {
    this.#fail(this.#call.signal.reason);
  }

  /** The time limit counts from here. @param {unknown} payload */
  #start(payload) {
    const { maxMs } = this.#call.params;
    this.#within(maxMs, 'code_timeout', `The code has not ended within ${maxMs} ms, so it was stopped.`);
    this.#process.send(payload);
  }

  /** @param {number} ms @param {string} code @param {string} message */
  #within(ms, code, message) {
    clearTimeout(this.#late);
    this.#late = setTimeout(() => this.#fail(new this.#kit.WeftError(code, message)), ms);
  }

  /** @param {import('./process.js').Message} message @param {unknown} payload */
  #hear(message, payload) {
    if (++this.#messages > limits.messages)
      return this.#failWith(
        'code_failed',
        `The code says more than ${limits.messages} things to the server.`,
      );
    switch (message.op) {
      case 'ready':
        return this.#start(payload);
      case 'log':
        return this.#log(message);
      case 'ask':
        return void this.#answer(message);
      case 'done':
        return this.#done(message['value']);
      case 'failed':
        return this.#failed(message);
      case 'invalid':
        return this.#invalid(message);
      default:
        return this.#failWith('code_crashed', 'The process of the code says what nobody understands.');
    }
  }

  /** @param {import('./process.js').Message} message */
  #log({ level, text }) {
    if (
      typeof text !== 'string' ||
      (level !== 'debug' && level !== 'info' && level !== 'warn' && level !== 'error')
    )
      return;
    this.#logged += text.length;
    if (this.#logged <= limits.log) this.#call.log(level, text);
  }

  /** @param {import('./process.js').Message} message */
  async #answer({ name, args }) {
    if (this.#isAsking || ++this.#asked > limits.asked)
      return this.#failWith(
        'code_failed',
        `The code asks the outside more than ${limits.asked} times, or twice at once.`,
      );
    this.#isAsking = true;
    try {
      this.#process.send({ value: (await this.#ask(String(name), args)) ?? null });
    } catch (error) {
      const ref = this.#failures.push(error) - 1;
      const { code = 'failed', message = String(error) } =
        /** @type {{ code?: string, message?: string }} */ (error);
      this.#process.send({ error: { ref, code, message } });
    } finally {
      this.#isAsking = false;
    }
  }

  /** @param {unknown} text */
  #done(text) {
    try {
      this.#end();
      this.#settle.resolve(JSON.parse(String(text)));
    } catch {
      this.#failWith('code_failed', 'The code gave what is no JSON value.');
    }
  }

  /** @param {import('./process.js').Message} message */
  #failed({ name, message, stack, code, path, ref, retryable }) {
    if (typeof ref === 'number' && ref in this.#failures) return this.#fail(this.#failures[ref]);
    if (code === 'code_memory') return this.#failWith('code_memory', OUT_OF_MEMORY);
    const places = placesIn(stack);
    const last = places.at(-1);
    const [kind, said] = [textOf(name, 'Exception'), textOf(message, '')];
    const where = last === undefined ? '' : ` (line ${last.line})`;
    const known = code === 'not_serialisable' || code === 'value_too_large';
    const text = known ? said : `${kind}${said === '' ? '' : `: ${said}`}`;
    const more = {
      field: 'params.source',
      transient: retryable === true,
      data: {
        name: kind,
        message: said,
        ...(last && { line: last.line }),
        ...(typeof path === 'string' && { path }),
        stack: places.map(
          ({ line, name: within }) =>
            `${this.#call.node}:${line}${within === undefined ? '' : ` in ${within}`}`,
        ),
      },
    };
    this.#fail(new this.#kit.WeftError(known ? code : 'code_failed', `${text}${where}`, more));
  }

  /** @param {import('./process.js').Message} message */
  #invalid({ message, line, column }) {
    const data = { message: textOf(message, ''), line: numberOf(line), column: numberOf(column) };
    const text = `${data.message} (line ${data.line}, column ${data.column})`;
    this.#fail(new this.#kit.WeftError('code_invalid', text, { data, field: 'params.source' }));
  }

  #ended() {
    const { end, lastWords } = this.#process;
    if (end === 'memory') return this.#failWith('code_memory', OUT_OF_MEMORY);
    const [reason] = /\w*Error: .*/.exec(lastWords) ?? [];
    const why = end === 'broken' ? 'it said what nobody understands' : (reason?.slice(0, 200) ?? 'it ended');
    this.#failWith('code_crashed', `The process of the code is gone: ${why}.`);
  }

  /** @param {string} code @param {string} message */
  #failWith(code, message) {
    this.#fail(new this.#kit.WeftError(code, message, { field: 'params.source' }));
  }

  /** @param {unknown} error */
  #fail(error) {
    this.#end();
    this.#settle.reject(error);
  }

  /** What the process says from now on counts no more. */
  #end() {
    clearTimeout(this.#late);
    this.#call.signal.removeEventListener('abort', this);
    this.#process.onMessage = () => {};
    this.#process.onEnd = () => {};
    this.#process.kill();
  }
}

const OUT_OF_MEMORY = `The code takes more than ${(limits.pages * 64) / 1024} MB of memory, so it was stopped.`;

/** @param {unknown} stack @returns {{ line: number, name: string | undefined }[]} */
function placesIn(stack) {
  if (!Array.isArray(stack)) return [];
  return stack.slice(-30).map((place) => ({
    line: numberOf(place?.line),
    name: typeof place?.function === 'string' ? place.function.slice(0, 100) : undefined,
  }));
}

/** @param {unknown} value @param {string} otherwise */
function textOf(value, otherwise) {
  return typeof value === 'string' ? value : otherwise;
}

/** @param {unknown} value */
function numberOf(value) {
  return Number.isSafeInteger(value) ? Number(value) : 1;
}

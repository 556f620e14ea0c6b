import { ask } from './ask.js';
import { MAX_LOG, MAX_LOG_LINE } from './limits.js';
import { offered } from './offers.js';
import { plain } from './plain.js';
import { say } from './say.js';
import { sha256 } from './sha256.js';
import { cut } from './texts.js';

/**
 * What the code sees as `ctx` and `console`.
 *
 * @typedef {import('./open-call.js').Logger} Logger
 */

const LEVELS = /** @type {const} */ (['debug', 'info', 'warn', 'error']);

/** @type {(call: import('./open-call.js').GuestCall, given: Record<string, unknown>, pure: boolean) => object} */
export function makeContext(call, given, pure) {
  const { trigger, vars, item, index, attempt, idempotencyKey } = given;
  const log = Object.assign(logger(call, 'info'), loggers(call));
  const facts = { trigger, vars, item, index, attempt, idempotencyKey };
  const context = {
    ...facts,
    log: Object.freeze(log),
    hash: (/** @type {unknown} */ text) => sha256(String(text)),
  };
  if (pure) return Object.freeze(context);
  return Object.freeze({
    ...context,
    ...offered()?.context(call),
    now: Date.now,
    random: Math.random,
    uuid: () => uuid(),
    fetch: (/** @type {unknown} */ url, /** @type {Record<string, unknown>} */ options) =>
      fetchFrom(call, url, options),
    secret: (/** @type {unknown} */ name) => ask(call, 'secret', { name: String(name) }),
  });
}

/** @type {(call: Logger) => object} */
export function makeConsole(call) {
  return Object.freeze({ log: logger(call, 'info'), ...loggers(call) });
}

/** @type {(call: Logger) => Record<string, (...parts: unknown[]) => void>} */
function loggers(call) {
  return Object.fromEntries(LEVELS.map((level) => [level, logger(call, level)]));
}

/** @type {(call: Logger, level: string) => (...parts: unknown[]) => void} */
function logger(call, level) {
  return (...parts) => {
    const text = cut(parts.map(logText).join(' '), MAX_LOG_LINE);
    if (call.over || call.logged >= MAX_LOG) return;
    call.logged += text.length;
    say(
      'L',
      call.id,
      JSON.stringify([level, call.logged >= MAX_LOG ? `${text} (no more lines are kept)` : text]),
    );
  };
}

/** @type {(part: unknown) => string} */
function logText(part) {
  if (typeof part === 'string') return part;
  if (part instanceof Error) return `${part.name}: ${part.message}`;
  return JSON.stringify(part) ?? String(part);
}

/** Version 4, of Math.random: unique, not unguessable. */
function uuid() {
  const hex = Array.from({ length: 32 }, () => Math.floor(Math.random() * 16).toString(16));
  hex[12] = '4';
  hex[16] = '89ab'.charAt(Math.floor(Math.random() * 4));
  const part = (/** @type {number} */ from, /** @type {number} */ to) => hex.slice(from, to).join('');
  return `${part(0, 8)}-${part(8, 12)}-${part(12, 16)}-${part(16, 20)}-${part(20, 32)}`;
}

/** @type {(call: Logger, url: unknown, options?: Record<string, unknown>) => Promise<object>} */
async function fetchFrom(call, url, options = {}) {
  const { method, headers, body, timeoutMs, redirects } = options;
  const special = offered()?.body(body);
  const sent = special
    ? { ...special, headers: { 'content-type': special.type, ...headersOf(headers) } }
    : { body: plain(body), headers };
  const question = { url: String(url), method, ...sent, timeoutMs, redirects };
  const response =
    /** @type {{ status: number, url: string, headers: object, text?: string, json?: string, base64?: string }} */ (
      await ask(call, 'fetch', question)
    );
  const { text, json, base64 } = response;
  const needText = () => {
    if (text === undefined) throw new TypeError('The answer is no UTF-8 text; read `base64` instead.');
    return text;
  };
  return Object.freeze({
    status: response.status,
    ok: response.status >= 200 && response.status < 300,
    url: response.url,
    headers: Object.freeze(response.headers),
    base64,
    text: async () => needText(),
    json: async () => JSON.parse(json ?? needText()),
    ...offered()?.response({ text, base64 }),
  });
}

/** With names in lower case, so that a type of the code's own replaces ours. @type {(headers: unknown) => object} */
function headersOf(headers) {
  return Object.fromEntries(
    Object.entries(Object(headers)).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { type Run, type RunAnswer, WeftError } from '#engine';
import { version } from '../version.ts';
import type { ResponseSettings, StreamFormatName } from './endpoint.ts';
import { checkedHeaders, checkedStatus, type Headers } from './response-headers.ts';
import { toJson, toPlainText } from './serialise.ts';
import { streamFormats } from './stream-format.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const TEXT_TYPE = 'text/plain; charset=utf-8';
const JSON_MEDIA = /^application\/(?:[\w.!#$&^-]+\+)?json\b/i;
/** Types in which a browser runs scripts. */
const ACTIVE_MEDIA = /^(?:text\/html|text\/xml|application\/xml|[\w.-]+\/[\w.-]+\+xml)\b/i;
/** Pages of flows share their origin with the editor: the sandbox keeps their scripts away from its session. */
const SANDBOX = 'sandbox allow-scripts allow-forms allow-popups allow-modals allow-downloads';

const BODYLESS: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Sends a run's answer whose body is not a stream. The body is written here, so that Fastify's own serialiser has nothing
 * to do. Throws what goes to the error handler: the run's error, or `bad_response`, `bad_number`, `value_too_large`,
 * `not_serialisable`.
 */
export function sendAnswer(reply: FastifyReply, answer: RunAnswer, settings: ResponseSettings): void {
  if (answer.kind === 'error') throw runError(answer.error);
  if (answer.kind === 'empty') {
    reply.code(204).send();
    return;
  }
  const { status, headers } = answer;
  if (
    status === undefined &&
    headers === undefined &&
    settings.headers === undefined &&
    settings.as === 'json'
  ) {
    reply.code(settings.status).header('content-type', JSON_TYPE).send(toJson(answer.body));
    return;
  }
  sendWithHeaders(reply, answer, settings);
}

/**
 * The usual answer, JSON from a run that is through, past Fastify's reply: all headers in one list, nothing to look up
 * (docs/decisions/0007-direct-answers.md). False, and nothing written, where the answer is of another kind. Throws like `toJson`.
 */
export function sendUsual(response: ServerResponse, run: Run, settings: ResponseSettings): boolean {
  const { answer } = run;
  if (answer?.kind !== 'value' || answer.status !== undefined || answer.headers !== undefined) return false;
  if (settings.as !== 'json' || settings.headers !== undefined || BODYLESS.has(settings.status)) return false;
  if (isStream(answer.body)) return false;
  const text = toJson(answer.body);
  response.writeHead(settings.status, [
    'x-weft-version',
    version,
    'x-weft-run',
    run.id,
    'content-type',
    JSON_TYPE,
    'content-length',
    String(Buffer.byteLength(text)),
  ]);
  response.end(text);
  return true;
}

/** `sendUsual` for a reply of the framework; not where the connection is to be closed because the server stops. */
export function sendDirect(reply: FastifyReply, run: Run, settings: ResponseSettings): boolean {
  if (reply.hasHeader('connection') || !sendUsual(reply.raw, run, settings)) return false;
  reply.hijack();
  return true;
}

export function isStream(body: unknown): body is AsyncIterable<unknown> {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

/** The run's error for the one error handler, which also knows codes of users' own operators. */
export function runError(error: {
  code: string;
  message: string;
  field?: string | undefined;
  node?: string | undefined;
  data?: unknown;
}): WeftError {
  const place = [error.node, error.field].filter((part) => part !== undefined).join('.');
  return new WeftError(error.code, error.message, {
    field: place === '' ? undefined : place,
    data: error.data,
  });
}

/** An answer with a status, headers or a form of its own. */
function sendWithHeaders(
  reply: FastifyReply,
  { status, headers, body }: ValueAnswer,
  settings: ResponseSettings,
): void {
  const own = headers === undefined ? [] : checkedHeaders(headers);
  const details = {
    as: settings.as,
    status: status === undefined ? settings.status : checkedStatus(status),
    headers: [...(settings.headers ?? []), ...own],
  };
  const { as } = settings;
  if (as === 'json' || as === 'text' || typeOf(details.headers) !== undefined)
    sendDetailed(reply, body, details);
  else sendAsItem(reply, body, as, details);
}

type ValueAnswer = Extract<RunAnswer, { kind: 'value' }>;

interface Detailed {
  readonly as: ResponseSettings['as'];
  readonly status: number;
  readonly headers: Headers;
}

function sendDetailed(reply: FastifyReply, value: unknown, { as, status, headers }: Detailed): void {
  const declared = typeOf(headers);
  const asText = as === 'text' || (typeof value === 'string' && isOtherMedia(declared));
  // Written first: when it fails, none of these headers may stay on the error's answer.
  const text = asText ? toPlainText(value) : toJson(value);
  reply.code(status);
  if (asText) reply.header('x-content-type-options', 'nosniff');
  reply.headers(guardOf(declared));
  for (const [name, own] of headers) reply.header(name, own);
  if (BODYLESS.has(status)) reply.removeHeader('content-type').send();
  else reply.header('content-type', declared ?? (asText ? TEXT_TYPE : JSON_TYPE)).send(text);
}

function typeOf(headers: Headers): string | undefined {
  return headers.findLast(([name]) => name === 'content-type')?.[1];
}

/** The headers that keep a page's scripts from the session of whoever opens it. */
export function guardOf(contentType: string | undefined): Readonly<Record<string, string>> {
  return ACTIVE_MEDIA.test(contentType ?? '') ? { 'content-security-policy': SANDBOX } : {};
}

/** A value where a stream could have come: as its only item. */
function sendAsItem(
  reply: FastifyReply,
  value: unknown,
  as: StreamFormatName,
  { status, headers }: Pick<Detailed, 'status' | 'headers'>,
): void {
  const format = streamFormats[as];
  const chunk = format.encode(value);
  reply.code(status);
  for (const [name, own] of headers) reply.header(name, own);
  if (BODYLESS.has(status)) reply.send();
  else reply.headers({ 'content-type': format.contentType, ...format.headers }).send(chunk);
}

function isOtherMedia(contentType: string | undefined): boolean {
  return contentType !== undefined && !JSON_MEDIA.test(contentType);
}

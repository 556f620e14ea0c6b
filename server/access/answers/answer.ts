import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { type Run, type RunAnswer, WeftError } from '#engine';
import { handleOf } from '#shared/file.ts';
import { isStream } from '#shared/json.ts';
import { version } from '../http/version.ts';
import type { ResponseSettings, StreamFormatName } from './response-settings.ts';
import { checkedHeaders, checkedStatus, guardedHeaders, type Headers } from './response-headers.ts';
import { toJson, toPlainText } from './serialise.ts';
import { streamFormats } from './stream-format.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';
const TEXT_TYPE = 'text/plain; charset=utf-8';
const JSON_MEDIA = /^application\/(?:[\w.!#$&^-]+\+)?json\b/i;

/** Statuses of answers without a body. */
export const BODYLESS: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Sends a run's answer whose body is not a stream. The body is written here, so Fastify's own serialiser is
 * not used. Throws for the error handler: the run's error, or `bad_response`, `bad_number`, `value_too_large`,
 * `not_serialisable`.
 */
export function sendAnswer(reply: FastifyReply, answer: RunAnswer, settings: ResponseSettings): void {
  if (answer.kind === 'error') throw runError(answer.error);
  if (answer.kind === 'empty') {
    reply.code(204).send();
    return;
  }
  if (answer.status === undefined && answer.headers === undefined && isPlainJson(settings))
    reply
      .code(settings.status)
      .header('x-content-type-options', 'nosniff')
      .header('content-type', JSON_TYPE)
      .send(toJson(answer.body));
  else sendWritten(reply, writeValue(answer, settings));
}

function isPlainJson({ as, headers }: ResponseSettings): boolean {
  return headers === undefined && as === 'json';
}

/** A complete answer, ready to be sent. */
export interface WrittenAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined if the status has none. */
  readonly body: string | Uint8Array | undefined;
}

/** Returns the answer that `sendAnswer` would send, and throws the same errors. */
export function writeAnswer(answer: RunAnswer, settings: ResponseSettings): WrittenAnswer {
  if (answer.kind === 'error') throw runError(answer.error);
  if (answer.kind === 'empty') return { status: 204, headers: [], body: undefined };
  return writeValue(answer, settings);
}

/** Checked here rather than when the body is written, because answers stored for repeats pass here too. */
export function sendWritten(reply: FastifyReply, { status, headers, body }: WrittenAnswer): void {
  reply.code(status);
  for (const [name, own] of guardedHeaders(status, headers)) reply.header(name, own);
  if (body === undefined) reply.send();
  else reply.send(body);
}

/**
 * Sends the usual answer, JSON from a finished run, without Fastify's reply: all headers in one list, without
 * lookups (docs/decisions/0007-direct-answers.md). Returns false, having written nothing, for every other kind of answer.
 * Throws like `toJson`, and `bad_response` for a status that cannot be sent.
 */
export function sendUsual(response: ServerResponse, run: Run, settings: ResponseSettings): boolean {
  const { answer } = run;
  if (answer?.kind !== 'value' || !isEmpty(answer.headers)) return false;
  if (settings.as !== 'json' || settings.headers !== undefined) return false;
  const { body } = answer;
  const status = answer.status === undefined ? settings.status : checkedStatus(answer.status);
  if (BODYLESS.has(status) || isStream(body) || handleOf(body) !== undefined) return false;
  // With a status of its own: bytes are sent unchanged.
  if (answer.status !== undefined && body instanceof Uint8Array) return false;
  const text = toJson(body);
  response.writeHead(status, [
    'x-weft-version',
    version,
    'x-weft-run',
    run.id,
    'x-content-type-options',
    'nosniff',
    'content-type',
    JSON_TYPE,
    'content-length',
    String(Buffer.byteLength(text)),
  ]);
  response.end(text);
  return true;
}

function isEmpty(headers: object | undefined): boolean {
  for (const _ in headers) return false;
  return true;
}

/** `sendUsual` for a reply of the framework; not if the connection is to be closed because the server is stopping. */
export function sendDirect(reply: FastifyReply, run: Run, settings: ResponseSettings): boolean {
  if (reply.hasHeader('connection') || !sendUsual(reply.raw, run, settings)) return false;
  reply.hijack();
  return true;
}

/** The run's error for the common error handler, which also knows the codes of user operators. */
export function runError(error: {
  code: string;
  message: string;
  field?: string | undefined;
  node?: string | undefined;
  via?: string | undefined;
  data?: unknown;
}): WeftError {
  // The field of a stream's failure belongs to the node that made the stream.
  const node = error.field === undefined ? error.node : (error.via ?? error.node);
  const place = [node, error.field].filter((part) => part !== undefined).join('.');
  return new WeftError(error.code, error.message, {
    field: place === '' ? undefined : place,
    data: error.data,
  });
}

/** An answer with an optional status, headers or format of its own. */
function writeValue({ status, headers, body }: ValueAnswer, settings: ResponseSettings): WrittenAnswer {
  const own = headers === undefined ? [] : checkedHeaders(headers);
  const details = {
    as: settings.as,
    status: status === undefined ? settings.status : checkedStatus(status),
    headers: [...(settings.headers ?? []), ...own],
  };
  const { as } = settings;
  if (as === 'json' || as === 'text' || typeOf(details.headers) !== undefined)
    return writeDetailed(body, details);
  return writeAsItem(body, as, details);
}

/** Status and headers of an answer whose body is a file. Throws `bad_response`. */
export function headOfFile(
  { status, headers }: ValueAnswer,
  settings: ResponseSettings,
): Pick<Detailed, 'status' | 'headers'> {
  const own = headers === undefined ? [] : checkedHeaders(headers);
  return {
    status: status === undefined ? settings.status : checkedStatus(status),
    headers: [...(settings.headers ?? []), ...own],
  };
}

type ValueAnswer = Extract<RunAnswer, { kind: 'value' }>;

interface Detailed {
  readonly as: ResponseSettings['as'];
  readonly status: number;
  readonly headers: Headers;
}

function writeDetailed(value: unknown, { as, status, headers }: Detailed): WrittenAnswer {
  const declared = typeOf(headers);
  if (value instanceof Uint8Array) {
    const { contentType, encode } = streamFormats.bytes;
    const body = encode(value);
    if (BODYLESS.has(status)) return { status, headers, body: undefined };
    return { status, headers: [['content-type', contentType], ...headers], body };
  }
  const asText = as === 'text' || (typeof value === 'string' && isOtherMedia(declared));
  const text = asText ? toPlainText(value) : toJson(value);
  const untyped = headers.filter(([name]) => name !== 'content-type');
  if (BODYLESS.has(status)) return { status, headers: untyped, body: undefined };
  const type = declared ?? (asText ? TEXT_TYPE : JSON_TYPE);
  return { status, headers: [...untyped, ['content-type', type]], body: text };
}

function typeOf(headers: Headers): string | undefined {
  return headers.findLast(([name]) => name === 'content-type')?.[1];
}

/** Sends a value in place of a stream, as its only item. */
function writeAsItem(
  value: unknown,
  as: StreamFormatName,
  { status, headers }: Pick<Detailed, 'status' | 'headers'>,
): WrittenAnswer {
  const format = streamFormats[as];
  const body = format.encode(value);
  if (BODYLESS.has(status)) return { status, headers, body: undefined };
  const formatHeaders = Object.entries({ 'content-type': format.contentType, ...format.headers });
  return { status, headers: [...headers, ...formatHeaders], body };
}

function isOtherMedia(contentType: string | undefined): boolean {
  return contentType !== undefined && !JSON_MEDIA.test(contentType);
}

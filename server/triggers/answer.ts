import type { FastifyReply } from 'fastify';
import { type Run, type RunAnswer, WeftError } from '#engine';
import { version } from '../version.ts';
import type { ResponseSettings } from './endpoint.ts';
import { checkedHeaders, checkedStatus, type Headers } from './response-headers.ts';
import { toJson, toPlainText } from './serialise.ts';

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
  const own = headers === undefined ? [] : checkedHeaders(headers);
  sendDetailed(reply, answer.body, {
    as: settings.as,
    status: status === undefined ? settings.status : checkedStatus(status),
    headers: [...(settings.headers ?? []), ...own],
  });
}

/**
 * The usual answer, JSON from a run that is through, past Fastify's reply: all headers in one list, nothing to look up. It costs
 * a tenth of a request less (docs/decisions/0007-direct-answers.md). False where the answer is of another kind, or where
 * the connection is to be closed because the server stops.
 */
export function sendDirect(reply: FastifyReply, run: Run, settings: ResponseSettings): boolean {
  const { answer } = run;
  if (answer?.kind !== 'value' || answer.status !== undefined || answer.headers !== undefined) return false;
  if (settings.as !== 'json' || settings.headers !== undefined || BODYLESS.has(settings.status)) return false;
  if (isStream(answer.body) || reply.hasHeader('connection')) return false;
  const text = toJson(answer.body);
  const headers = [
    'x-weft-version',
    version,
    'x-weft-run',
    run.id,
    'content-type',
    JSON_TYPE,
    'content-length',
    String(Buffer.byteLength(text)),
  ];
  reply.hijack();
  reply.raw.writeHead(settings.status, headers);
  reply.raw.end(text);
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
}): WeftError {
  const place = [error.node, error.field].filter((part) => part !== undefined).join('.');
  return new WeftError(error.code, error.message, { field: place === '' ? undefined : place });
}

interface Detailed {
  readonly as: 'json' | 'text';
  readonly status: number;
  readonly headers: Headers;
}

function sendDetailed(reply: FastifyReply, value: unknown, { as, status, headers }: Detailed): void {
  const declared = headers.findLast(([name]) => name === 'content-type')?.[1];
  const asText = as === 'text' || (typeof value === 'string' && isOtherMedia(declared));
  // Written first: when it fails, none of these headers may stay on the error's answer.
  const text = asText ? toPlainText(value) : toJson(value);
  reply.code(status);
  if (asText) reply.header('x-content-type-options', 'nosniff');
  if (ACTIVE_MEDIA.test(declared ?? '')) reply.header('content-security-policy', SANDBOX);
  for (const [name, own] of headers) reply.header(name, own);
  if (BODYLESS.has(status)) reply.removeHeader('content-type').send();
  else reply.header('content-type', declared ?? (asText ? TEXT_TYPE : JSON_TYPE)).send(text);
}

function isOtherMedia(contentType: string | undefined): boolean {
  return contentType !== undefined && !JSON_MEDIA.test(contentType);
}

import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Run, RunAnswer } from '#engine';
import type { StreamLimits } from '../http/stream-limits.ts';
import { errorAnswer } from '../http/error-handler.ts';
import { BODYLESS } from './answer.ts';
import type { ResponseSettings } from './response-settings.ts';
import { checkedHeaders, checkedStatus, guardedHeaders } from './response-headers.ts';
import { createStreamOutlet, type StreamOutlet } from './stream-outlet.ts';
import { type StreamFormat, streamFormatName, streamFormats } from './stream-format.ts';

/**
 * Answers a request chunk by chunk.
 *
 * 1. Nothing is sent before the first item exists and is written: until then a failure is an ordinary error
 *    answer.
 * 2. The next item is requested when the connection has taken the previous one, so a slow client slows down the
 *    producer and does not fill the memory.
 * 3. When the client has gone, the stream is stopped at once; only with `onDisconnect: continue` it is read
 *    to its end.
 * 4. A failure after the first item is reported in the format's own way; if the format has none, the connection is
 *    broken off, so that no client takes a part for the whole.
 */
export type StreamAnswer = Extract<RunAnswer, { kind: 'value' }> & {
  readonly body: AsyncIterable<unknown>;
};

/** How a stream is sent; undefined if the answer is JSON, which has to be complete. */
export interface StreamHead {
  readonly format: StreamFormat;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Throws `bad_response` for a status or header that cannot be sent. */
export function streamHead(answer: StreamAnswer, settings: ResponseSettings): StreamHead | undefined {
  const own = answer.headers === undefined ? [] : checkedHeaders(answer.headers);
  const headers = [...(settings.headers ?? []), ...own];
  const declared = headers.findLast(([header]) => header === 'content-type')?.[1];
  const name = streamFormatName(settings.streamAs ?? settings.as, declared);
  if (name === undefined) return undefined;
  const format = streamFormats[name];
  const status = answer.status === undefined ? settings.status : checkedStatus(answer.status);
  const usual = Object.entries({ 'content-type': format.contentType, ...format.headers });
  return { format, status, headers: Object.fromEntries(guardedHeaders(status, [...usual, ...headers])) };
}

/** A stream, and how it is sent. */
export interface StreamSetup {
  readonly run: Pick<Run, 'cancel' | 'endClock'>;
  readonly stream: AsyncIterable<unknown>;
  readonly head: StreamHead;
  /** The run continues without its caller (`onDisconnect: continue`). */
  readonly continues: boolean;
  readonly limits?: StreamLimits;
}

/**
 * Sends the stream to its end. Rejects with the failure of the first item if nothing has been sent; later failures
 * are reported to the client.
 */
export async function sendStream(
  reply: FastifyReply,
  { run, stream, head, continues, limits = reply.server.streamLimits }: StreamSetup,
): Promise<void> {
  const { format, status, headers } = head;
  const items = stream[Symbol.asyncIterator]();
  if (BODYLESS.has(status)) {
    letGo(items);
    reply.code(status).headers(headers).removeHeader('content-type').send();
    return;
  }
  const first = await firstChunk(items, format);
  const ownTime = run.endClock();
  const raw = hijack(reply, status, headers);
  const outlet = createStreamOutlet(
    raw,
    format,
    { ...limits, ownTime },
    {
      gone: () => !continues && letGo(items),
      stalled: () => run.cancel('stalled'),
    },
  );
  try {
    if (first !== undefined) await outlet.write(first);
    await sendRest(items, format, outlet, continues);
    outlet.end();
  } catch (error) {
    outlet.fail(() => errorAnswer(error, reply.request, reply.server.redactor).body);
    letGo(items);
  }
}

/** Undefined for a stream without items. */
async function firstChunk(
  items: AsyncIterator<unknown>,
  format: StreamFormat,
): Promise<string | Uint8Array | undefined> {
  try {
    const { done, value } = await items.next();
    return done ? undefined : format.encode(value);
  } catch (error) {
    letGo(items);
    throw error;
  }
}

async function sendRest(
  items: AsyncIterator<unknown>,
  format: StreamFormat,
  outlet: StreamOutlet,
  continues: boolean,
): Promise<void> {
  while (continues || !outlet.gone) {
    const { done, value } = await items.next();
    if (done) return;
    if (outlet.gone) continue;
    const waits = outlet.write(format.encode(value));
    if (waits) await waits;
  }
}

/** The connection itself, with the status and headers of the platform and the flow. */
export function hijack(
  reply: FastifyReply,
  status: number,
  headers: Readonly<Record<string, string>>,
): ServerResponse {
  const all = { ...(reply.getHeaders() as Record<string, string>), ...headers };
  reply.hijack();
  reply.raw.writeHead(status, all);
  return reply.raw;
}

/** Stops a producer without waiting; its reaction is ignored. */
function letGo(items: AsyncIterator<unknown>): void {
  Promise.resolve(items.return?.()).catch(() => {});
}

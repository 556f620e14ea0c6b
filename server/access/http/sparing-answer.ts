import { createHash } from 'node:crypto';
import type { FastifyRequest, onSendHookHandler } from 'fastify';
import { gzip } from 'node:zlib';

/** Answers that send no more than the client needs: nothing of what it has, and what is long compressed. */

/** The `cache-control` of answers that a browser keeps and asks about each time; only for the one who asked. */
export const ASK_EACH_TIME = 'private, no-cache';

/** The ETag of a content, the same however it is compressed. */
export function tagOf(content: string | Buffer): string {
  return `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
}

/** Whether the client has this content already. */
export function isKnown({ headers }: FastifyRequest, tag: string): boolean {
  return headers['if-none-match']?.split(/,\s*/).includes(tag) ?? false;
}

/** Answers 304 where a route sets `ASK_EACH_TIME` and the client has the content already. */
export const knownAnswer: onSendHookHandler = (request, reply, payload, done) => {
  const isAsked = reply.statusCode === 200 && reply.getHeader('cache-control') === ASK_EACH_TIME;
  if (!isAsked || typeof payload !== 'string') return done(null, payload);
  const tag = tagOf(payload);
  reply.header('etag', tag);
  if (!isKnown(request, tag)) return done(null, payload);
  reply.code(304).removeHeader('content-type').removeHeader('content-length');
  done(null, '');
};

/** Shorter answers take about as many packets either way. In characters. */
const MIN_LENGTH = 16 * 1024;
/** Of the list of operators (870 KB) level 4 leaves 113 KB, and 6 leaves 105 for a third more time. */
const LEVEL = 4;

/**
 * Compresses long JSON for clients that accept gzip, off the main thread. Only for answers that other sites cannot ask for with
 * somebody's session: from lengths of compressed texts they could guess what is in them.
 */
export const compressedAnswer: onSendHookHandler = (request, reply, payload, done) => {
  if (typeof payload !== 'string' || payload.length < MIN_LENGTH || !isJson(reply.getHeader('content-type')))
    return done(null, payload);
  const vary = [reply.getHeader('vary') ?? [], 'accept-encoding'].flat().join(', ');
  reply.header('vary', vary);
  if (!accepts(request.headers['accept-encoding'])) return done(null, payload);
  gzip(payload, { level: LEVEL }, (error, zipped) => {
    if (error) return done(null, payload);
    reply.header('content-encoding', 'gzip').removeHeader('content-length');
    done(null, zipped);
  });
};

function isJson(type: unknown): boolean {
  return String(type).startsWith('application/json');
}

/** `gzip;q=0` refuses it. */
function accepts(encodings: string | string[] | undefined): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i.test(String(encodings ?? ''));
}

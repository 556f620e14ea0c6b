import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { handleOf } from '#shared/file.ts';
import type { ByteRange } from '../../storage/file-store/blobs.ts';
import { dispositionWith } from '../../storage/file-store/disposition.ts';
import type { Files, Holder, StoredFile } from '../../storage/file-store/files.ts';
import { guardedHeaders, type Headers, isInertType } from './response-headers.ts';

/** A file that is the body of an answer. */
export interface FileAnswer {
  readonly file: StoredFile;
  readonly status: number;
  /** The headers set by the flow, checked. */
  readonly headers: Headers;
}

/** The file that a body stands for, if the holder holds it; undefined for every other body, whatever its shape. */
export async function heldFile(
  files: Pick<Files, 'find'> | undefined,
  holder: Holder,
  body: unknown,
): Promise<StoredFile | undefined> {
  const handle = handleOf(body);
  return handle === undefined ? undefined : files?.find(handle, holder);
}

/**
 * Sends a file: whole, or the part that the request asks for. A type in which a browser may run scripts is always sent
 * as an attachment. Rejects with `file_gone`, having sent nothing.
 */
export async function sendFile(
  reply: FastifyReply,
  { file, status, headers }: FileAnswer,
  files: Pick<Files, 'read'>,
): Promise<void> {
  const { bytes } = file.value;
  const etag = `"${Buffer.from(file.sha256, 'hex').toString('base64url')}"`;
  const part = status === 200 ? wishOf(reply, { etag, bytes }) : WHOLE;
  const { sent = status, range } = part;
  reply.code(sent);
  for (const [name, one] of guardedHeaders(sent, headersOf(file, headers, etag))) reply.header(name, one);
  if (sent === 304) return void reply.removeHeader('content-type').send();
  if (sent === 416) return void reply.header('content-range', `bytes */${bytes}`).send();
  if (range) reply.header('content-range', `bytes ${range.first}-${range.last}/${bytes}`);
  reply.header('content-length', range ? range.last - range.first + 1 : bytes);
  // A stream, because the framework would count nothing as a length of 0.
  const content = reply.request.method === 'HEAD' ? [] : await files.read(file, range);
  reply.send(Readable.from(content, { objectMode: false }));
}

function headersOf({ value }: StoredFile, given: Headers, etag: string): Headers {
  const type = given.findLast(([name]) => name === 'content-type')?.[1] ?? value.type;
  const charset = type.startsWith('text/') && !type.includes(';') ? '; charset=utf-8' : '';
  return [
    ['content-type', `${type}${charset}`],
    ['content-disposition', dispositionOf(value.name, type, given)],
    ['etag', etag],
    ['accept-ranges', 'bytes'],
    ...given.filter(([name]) => name !== 'content-type' && name !== 'content-disposition'),
  ];
}

/** The part of a file that a request asks for. */
interface Part {
  /** Undefined if the answer keeps its own status. */
  readonly sent?: 206 | 304 | 416;
  /** Undefined: the whole file. */
  readonly range?: ByteRange;
}

const WHOLE: Part = {};

function wishOf(
  { request: { method, headers } }: FastifyReply,
  { etag, bytes }: { readonly etag: string; readonly bytes: number },
): Part {
  if (method !== 'GET' && method !== 'HEAD') return WHOLE;
  const known = headers['if-none-match'];
  if (known !== undefined && (known === '*' || known.includes(etag))) return { sent: 304 };
  const condition = headers['if-range'];
  return condition === undefined || condition === etag ? partOf(headers.range ?? '', bytes) : WHOLE;
}

/** Several ranges at once get the whole file, like ranges that make no sense. */
export function partOf(wanted: string, bytes: number): Part {
  const last = /^\s*bytes=-(\d+)\s*$/.exec(wanted)?.[1];
  const [, from, to] = /^\s*bytes=(\d+)-(\d*)\s*$/.exec(wanted) ?? [];
  if (last === undefined && from === undefined) return WHOLE;
  const end = to === undefined || to === '' ? bytes - 1 : Math.min(Number(to), bytes - 1);
  const range =
    last === undefined
      ? { first: Number(from), last: end }
      : { first: Math.max(0, bytes - Number(last)), last: bytes - 1 };
  if (to !== undefined && to !== '' && Number(to) < Number(from)) return WHOLE;
  return range.first > range.last ? { sent: 416 } : { sent: 206, range };
}

/** A flow may name its download and ask for one; it cannot make a browser show a page. */
function dispositionOf(name: string, type: string, headers: Headers): string {
  const own = headers.findLast(([header]) => header === 'content-disposition')?.[1];
  const isShown = isInertType(type);
  if (own !== undefined && (isShown || /^\s*attachment\b/i.test(own))) return own;
  return `${isShown ? 'inline' : 'attachment'}; ${dispositionWith(name)}`;
}

import { setTimeout as wait } from 'node:timers/promises';
import { WeftError } from '#engine';
import type { StoreWrite } from '../../../../storage/file-store/store.ts';
import type { S3Client, S3Request } from './client.ts';
import { failureOf } from './failures.ts';
import { readXml, xmlText } from './xml.ts';

/** Bytes that are sent and held in memory together. */
const PART = 8 * 1024 ** 2;
/** S3 accepts 10,000 parts; a file that grows while it is read needs some spare ones. */
const MOST_PARTS = 9_000;
/** Attempts for one part; the pause between them, in milliseconds, doubles. */
const ATTEMPTS = 3;
const FIRST_WAIT_MS = 250;

interface Upload extends StoreWrite {
  readonly key: string;
  readonly path: string;
}

/** Stores an object as a whole or not at all: in one request, or in parts that are joined at the end. */
export async function upload(client: S3Client, file: Upload, signal: AbortSignal): Promise<void> {
  const { key, path, type, replace } = file;
  const parts = partsOf(file.content, Math.max(PART, Math.ceil(file.bytes / MOST_PARTS)), signal);
  const first = await parts.next();
  const body = first.value?.bytes ?? new Uint8Array();
  const condition = replace ? undefined : { 'if-none-match': '*' };
  const headers = { 'content-type': type };
  if (first.value === undefined || first.value.isLast) {
    await client.text({ method: 'PUT', key, headers: { ...headers, ...condition }, body }, path, signal);
    return;
  }
  const uploadId = await begun(client, file, headers, signal);
  try {
    const tags: string[] = [];
    for (
      let part: Part | undefined = first.value;
      part !== undefined;
      part = (await parts.next()).value as Part | undefined
    ) {
      const query = { partNumber: String(tags.length + 1), uploadId };
      tags.push(await sent(client, { method: 'PUT', key, query, body: part.bytes }, path, signal));
    }
    await completed(client, { key, path, uploadId, tags, headers: condition ?? {} }, signal);
  } catch (error) {
    // Stored parts cost money until they are dropped. The caller does not wait for that.
    const drop = { method: 'DELETE', key, query: { uploadId } } as const;
    void client.text(drop, path, new AbortController().signal).catch(() => {});
    throw error;
  } finally {
    await parts.return(undefined);
  }
}

async function begun(
  client: S3Client,
  { key, path }: Upload,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string> {
  const text = await client.text({ method: 'POST', key, query: { uploads: '' }, headers }, path, signal);
  const result = readXml(text)?.['InitiateMultipartUploadResult'] as { UploadId?: unknown } | undefined;
  if (typeof result?.UploadId === 'string' && result.UploadId !== '') return result.UploadId;
  throw unreadable(client);
}

/** Sends a part, with retries, so that one failure does not fail a large file. Returns its tag. */
async function sent(client: S3Client, part: S3Request, path: string, signal: AbortSignal): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      const { headers } = await client.answer(part, path, signal);
      if (headers['etag'] !== undefined) return headers['etag'];
      throw unreadable(client);
    } catch (error) {
      const mayPass = error instanceof WeftError && error.transient === true;
      if (!mayPass || attempt === ATTEMPTS || signal.aborted) throw error;
      await wait(FIRST_WAIT_MS * 2 ** (attempt - 1), undefined, { signal }).catch(() => {
        throw signal.reason;
      });
    }
  }
}

async function completed(
  client: S3Client,
  {
    tags,
    uploadId,
    key,
    path,
    headers,
  }: {
    readonly tags: readonly string[];
    readonly uploadId: string;
    readonly key: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
  },
  signal: AbortSignal,
): Promise<void> {
  const parts = tags.map(
    (tag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${xmlText(tag)}</ETag></Part>`,
  );
  const body = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`;
  const request = { method: 'POST', key, query: { uploadId }, body, headers } as const;
  const answer = await client.answer(request, path, signal);
  const result = readXml(answer.text);
  if (result?.['CompleteMultipartUploadResult'] !== undefined) return;
  // A failure may follow after the status has been sent.
  if (result?.['Error'] === undefined) throw unreadable(client);
  throw failureOf({ status: 500, headers: answer.headers }, answer.text, {
    path,
    host: client.host,
    ...client.settings,
  });
}

interface Part {
  /** Valid until the next part is requested, which uses the same memory. */
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
}

/** The content in parts of `size` bytes; the last one may be shorter, and is empty only if there is no content. */
async function* partsOf(
  content: AsyncIterable<Uint8Array>,
  size: number,
  signal: AbortSignal,
): AsyncGenerator<Part, undefined> {
  let buffer: Buffer = Buffer.alloc(0);
  let filled = 0;
  for await (const piece of content) {
    signal.throwIfAborted();
    for (let at = 0; at < piece.length; ) {
      if (filled === size) {
        yield { bytes: buffer, isLast: false };
        filled = 0;
      }
      const some = piece.subarray(at, at + size - filled);
      buffer = roomIn(buffer, filled + some.length, size);
      buffer.set(some, filled);
      filled += some.length;
      at += some.length;
    }
  }
  yield { bytes: buffer.subarray(0, filled), isLast: true };
}

/** The buffer grows with the file, so that small files need little memory. */
function roomIn(buffer: Buffer, bytes: number, most: number): Buffer {
  if (bytes <= buffer.length) return buffer;
  const larger = Buffer.allocUnsafeSlow(Math.min(most, Math.max(65_536, 2 * bytes)));
  buffer.copy(larger);
  return larger;
}

function unreadable(client: S3Client): WeftError {
  return new WeftError(
    'connection_failed',
    `The server at ${client.host} is not S3: it sent an invalid answer.`,
    {
      transient: false,
    },
  );
}

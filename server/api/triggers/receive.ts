import type { IncomingMessage } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import { ServiceError } from '../../base/errors/errors.ts';
import { dispositionName } from '../../storage/file-store/disposition.ts';
import type { Files } from '../../storage/file-store/files.ts';
import type { UploadRoom } from '../../storage/file-store/held-values.ts';
import { decodedBody } from '../../access/http/decoded-body.ts';
import { isEncoded } from '../../access/http/read-body.ts';
import { watchPace } from '../../access/http/upload-pace.ts';
import { type FieldLimits, Upload, type UploadLimits } from './upload.ts';

/** Where uploads of a request go, and within which limits. */
export interface Receiving {
  readonly files: Files;
  readonly limits: UploadLimits;
  /**
   * The limits of each field of a form that people fill in. Files beyond them are skipped and listed in `refused`, so that
   * everything else arrives; files of other fields are skipped.
   */
  readonly fields?: ReadonlyMap<string, FieldLimits>;
  /** The room for its files. Files of a form that do not fit are skipped, and `isFull` is set. */
  readonly room?: UploadRoom | undefined;
  /** Aborts the reception, with its reason. */
  readonly signal: AbortSignal;
}

/**
 * Stores the files of a body while it arrives. Rejects with `body_too_large`, `file_too_large`, `too_many_values`,
 * `invalid_request`, `uploads_full` (a body that is a file) or `storage_failed`, and has deleted all of its files then.
 */
export async function receive(
  request: IncomingMessage,
  kind: 'multipart' | 'bytes',
  by: Receiving,
): Promise<Upload> {
  const upload = new Upload(by.room);
  watchPace(request);
  try {
    if (kind === 'bytes') await receiveBytes(request, upload, by);
    else await new FormReader(request, upload, by).read();
    return upload;
  } catch (error) {
    await by.files.discard(upload.handles);
    by.room?.release();
    throw error;
  }
}

async function receiveBytes(
  request: IncomingMessage,
  upload: Upload,
  { files, limits: { fileBytes, totalBytes }, room, signal }: Receiving,
): Promise<void> {
  const maxBytes = Math.min(fileBytes, totalBytes);
  const { headers } = request;
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const name = dispositionName(headers['content-disposition']);
  const type = headers['content-type'];
  const content = within(room, arriving(request, contentOf(request), signal));
  const stored = await files.add({ name, type, content, maxBytes });
  upload.files.push({ field: '', stored });
}

function contentOf(request: IncomingMessage): Readable {
  return isEncoded(request.headers) ? decodedBody(request) : request;
}

/** Throws `uploads_full` before the first piece for which there is no room. */
async function* within(
  room: UploadRoom | undefined,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (room?.take(0) === false) throw new ServiceError('uploads_full');
  for await (const piece of content) {
    if (room?.take(piece.length) === false) throw new ServiceError('uploads_full');
    yield piece;
  }
}

/** The bytes of a body, which must be complete. */
async function* arriving(
  request: IncomingMessage,
  content: Readable,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  // The connection must still carry the answer, also to a refused body.
  const pieces = content.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>;
  // One promise for all pieces would hold them all.
  let refuse: ((reason: unknown) => void) | undefined;
  signal.addEventListener('abort', () => refuse?.(signal.reason), { once: true });
  const next = (): Promise<IteratorResult<Uint8Array>> =>
    new Promise((resolve, reject) => {
      refuse = reject;
      if (signal.aborted) reject(signal.reason as Error);
      else pieces.next().then(resolve, reject);
    });
  try {
    for (let piece = await next(); piece.done !== true; piece = await next()) yield piece.value;
  } catch (error) {
    throw signal.aborted || error instanceof ServiceError ? error : cutOff();
  }
  if (!request.complete) throw cutOff();
}

const MAX_FIELDS = 1000;
/** Bytes of skipped files after which the rest of the form is not awaited. */
const MAX_PASSED_OVER = 256 * 1024 * 1024;

/** A form's description of a file. */
interface AboutFile {
  readonly name: string | undefined;
  readonly type: string;
}

interface ArrivingFile {
  readonly field: string;
  readonly own: FieldLimits | undefined;
  readonly stream: Readable;
  readonly about: AboutFile;
}

/** Reads one multipart body. */
class FormReader {
  private readonly request: IncomingMessage;
  private readonly upload: Upload;
  private readonly files: Files;
  private readonly limits: UploadLimits;
  private readonly fields: Receiving['fields'];
  private readonly room: Receiving['room'];
  private readonly storing: Promise<void>[] = [];
  private readonly streams: Readable[] = [];
  /** In the order of the form, which differs from the order of storing. */
  private readonly stored: (Upload['files'][number] | undefined)[] = [];
  private readonly failed = Promise.withResolvers<never>();
  private textBytes = 0;
  private fileBytes = 0;
  private passedOver = 0;

  constructor(request: IncomingMessage, upload: Upload, { files, limits, fields, room, signal }: Receiving) {
    this.request = request;
    this.upload = upload;
    this.files = files;
    this.limits = limits;
    this.fields = fields;
    this.room = room;
    this.failed.promise.catch(() => {});
    signal.addEventListener('abort', () => this.fail(signal.reason as Error), { once: true });
  }

  async read(): Promise<void> {
    const { totalBytes, textBytes } = this.limits;
    const announced = Number(this.request.headers['content-length'] ?? 0);
    const most = totalBytes + textBytes + MAX_FIELDS * 1024 + (this.fields ? MAX_PASSED_OVER : 0);
    if (announced > most) throw tooLarge(totalBytes);
    const parser = await this.makeParser();
    const finished = new Promise<void>((resolve) => parser.once('finish', resolve));
    parser.on('error', () => this.fail(badForm()));
    const content = contentOf(this.request);
    const onAborted = (): void => this.fail(cutOff());
    const onError = (error: Error): void => this.fail(error instanceof ServiceError ? error : cutOff());
    this.request.once('aborted', onAborted);
    let arrived = 0;
    content.on('data', (piece: Buffer) => {
      arrived += piece.length;
      if (arrived > most) this.fail(tooLarge(totalBytes));
    });
    content.on('error', onError).pipe(parser);
    try {
      await Promise.race([finished, this.failed.promise]);
      await Promise.race([Promise.all(this.storing), this.failed.promise]);
    } catch (error) {
      content.unpipe(parser);
      if (content !== this.request) content.destroy();
      for (const stream of this.streams) stream.destroy(error as Error);
      await Promise.allSettled(this.storing);
      throw error;
    } finally {
      this.request.off('aborted', onAborted);
      this.upload.files.push(...this.stored.filter((file) => file !== undefined));
    }
  }

  private async makeParser(): Promise<Writable> {
    const { Busboy } = await import('@fastify/busboy');
    const headers = this.request.headers as { 'content-type': string };
    const limits = {
      fieldSize: this.limits.textBytes,
      fields: MAX_FIELDS,
      files: this.limits.files,
      parts: MAX_FIELDS + this.limits.files,
      headerPairs: 20,
      headerSize: 8192,
    };
    let parser: InstanceType<typeof Busboy>;
    try {
      parser = new Busboy({ headers, limits, isPartAFile: isFile });
    } catch {
      throw badForm();
    }
    parser.on('field', (name, value, _nameCut, isCut) => this.takeText(name, value, isCut));
    parser.on('file', (field, stream, ...[name, , type]) => this.takeFile(field, stream, { name, type }));
    parser.on('filesLimit', () => this.fail(tooMany(this.limits.files, 'files')));
    parser.on('fieldsLimit', () => this.fail(tooMany(MAX_FIELDS, 'fields')));
    parser.on('partsLimit', () => this.fail(tooMany(MAX_FIELDS, 'fields')));
    return parser;
  }

  private fail(error: Error): void {
    this.failed.reject(error);
  }

  private takeText(name: string | undefined, value: string, isCut: boolean): void {
    if (name === undefined) return this.fail(badForm());
    this.textBytes += Buffer.byteLength(name) + Buffer.byteLength(value);
    if (isCut || this.textBytes > this.limits.textBytes) this.fail(tooLarge(this.limits.textBytes));
    else this.upload.pairs.push(name, value);
  }

  private takeFile(field: string | undefined, stream: Readable, about: AboutFile): void {
    this.streams.push(stream);
    stream.on('error', () => {});
    if (field === undefined) return this.fail(badForm());
    const own = this.fields?.get(field);
    if (this.fields !== undefined && own === undefined) return this.passOver(stream);
    const at = this.stored.push(undefined) - 1;
    const stored = this.store(at, { field, own, stream, about });
    this.storing.push(
      stored.catch((error: Error) => {
        const { code } = error as { code?: unknown };
        if (code === 'uploads_full') this.upload.isFull = true;
        else if (own !== undefined && code === 'file_too_large') this.upload.refused.set(field, code);
        else return this.fail(error);
        this.passOver(stream);
      }),
    );
  }

  /** Skips a refused file, to go on with the form. */
  private passOver(stream: Readable): void {
    stream.on('data', (piece: Buffer) => {
      this.passedOver += piece.length;
      if (this.passedOver > MAX_PASSED_OVER) this.fail(tooLarge(this.limits.totalBytes));
    });
  }

  private async store(at: number, { field, own, stream, about }: ArrivingFile): Promise<void> {
    const stored = await this.files.add({
      ...about,
      content: within(this.room, this.counted(stream)),
      maxBytes: own?.maxBytes ?? this.limits.fileBytes,
    });
    // Browsers send a field that was left empty as a file without name and content.
    if (stored.value.bytes === 0 && !about.name) await this.files.discard([stored.value.$file]);
    else if (own !== undefined && this.stored.filter((one) => one?.field === field).length >= own.most) {
      this.upload.refused.set(field, 'too_many_values');
      await this.files.discard([stored.value.$file]);
    } else this.stored[at] = { field, stored };
  }

  private async *counted(stream: Readable): AsyncGenerator<Uint8Array> {
    // The rest of a refused file is still to be skipped.
    const pieces = stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
    for await (const piece of pieces) {
      this.fileBytes += piece.length;
      // Each field has a limit of its own.
      if (this.fields === undefined && this.fileBytes > this.limits.totalBytes)
        throw tooLarge(this.limits.totalBytes);
      yield piece;
    }
  }
}

/** A part with a file name is a file, even if the name is empty. */
function isFile(_field: string | undefined, type: string | undefined, name: string | undefined): boolean {
  return name !== undefined || type === 'application/octet-stream';
}

function badForm(): ServiceError {
  return new ServiceError(
    'invalid_request',
    'The body is not a valid multipart form: check its boundary, its headers and its end.',
  );
}

function cutOff(): ServiceError {
  return new ServiceError('invalid_request', 'The body ended before its length.');
}

function tooLarge(most: number): ServiceError {
  const shown = most.toLocaleString('en-US');
  return new ServiceError(
    'body_too_large',
    `The body is larger than the ${shown} bytes that are accepted here; \`limits\` of the trigger may allow more.`,
  );
}

function tooMany(most: number, what: string): ServiceError {
  return new ServiceError(
    'too_many_values',
    `The form has more than the ${most} ${what} that are accepted here.`,
  );
}

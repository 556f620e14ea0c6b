import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../base/errors/errors.ts';
import { type BodyBudget, type HeldBody, SMALL_BODY } from './body-budget.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The limit of all bodies together; absent if there is none. */
    readonly bodyBudget?: BodyBudget;
  }
}

type Done = (error: Error | null, body?: Buffer) => void;

/** Least room for a body that is not complete. */
const FIRST_ROOM = 4 * 1024;
/** The seconds after which the sender of a dropped body may retry. */
const RETRY_AFTER = '2';

/** Answers of requests whose body may be large: the body's room is freed with them. */
const answers = new WeakMap<IncomingMessage, ServerResponse>();

/** Call it for every request before its body is read; it remembers those whose body may be large. */
export function noteAnswer(request: IncomingMessage, answer: ServerResponse): void {
  if (mayBeLarge(request.headers)) answers.set(request, answer);
}

function mayBeLarge(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length'];
  if (length === undefined) return headers['transfer-encoding'] !== undefined;
  return Number(length) > SMALL_BODY || isEncoded(headers);
}

/** Whether the body has to be decompressed first. */
export function isEncoded(headers: IncomingHttpHeaders): boolean {
  return headers['content-encoding'] !== undefined;
}

/**
 * Reads a request's body, at most `limit` bytes, which count after decompression. Fails with `body_too_large`, before reading anything if the length
 * was announced, and with `overloaded` if the bodies that the server holds leave no room for it.
 *
 * The usual body is small and arrives in one chunk: then nothing is counted. Otherwise the chunks are gathered in one
 * buffer that grows with them, because a chunk of one byte occupies a hundred bytes. A large body keeps its room
 * until its request is answered, because its flow may hold it that long.
 */
export function readBody(request: FastifyRequest, limit: number, done: Done): void {
  const { raw } = request;
  if (isEncoded(raw.headers))
    import('./decoded-body.ts')
      .then(({ decodedBody }) => decodedBody(raw))
      .then((body) => gather({ request, body, limit }, done), done);
  else gather({ request, body: raw, limit }, done);
}

interface Gathering {
  readonly request: FastifyRequest;
  /** The request itself, or its decompressed body. */
  readonly body: Readable;
  readonly limit: number;
}

function gather({ request: { raw, server }, body: source, limit }: Gathering, done: Done): void {
  const { bodyBudget } = server;
  const most = Math.min(limit, bodyBudget?.largest ?? limit);
  const length = raw.headers['content-length'];
  if (length !== undefined && Number(length) > most) {
    if (source !== raw) source.destroy();
    done(tooLarge(most));
    return;
  }
  const announced = length === undefined || source !== raw ? undefined : Number(length);
  const end = (error: Error | null, body?: Buffer): void => {
    source.removeListener('data', onData);
    source.removeListener('end', onEnd);
    source.removeListener('error', onError);
    if (error !== null) gathered.forget();
    if (source !== raw) source.on('error', () => {}).destroy();
    done(error, body);
  };
  const gathered = new GatheredBody(announced ?? most, bodyBudget, () => end(overloaded()));
  const onData = (piece: Buffer): void => {
    if (gathered.length + piece.length > most) end(tooLarge(most));
    else if (!gathered.add(piece)) end(overloaded());
  };
  const onEnd = (): void => {
    if (announced === undefined || announced === gathered.length) end(null, gathered.take(raw));
    else end(cutOff());
  };
  const onError = (error: Error): void => end(error instanceof ServiceError ? error : cutOff());
  source.on('data', onData);
  source.on('end', onEnd);
  source.on('error', onError);
  source.resume();
}

/** The part of a body that has arrived so far. */
class GatheredBody {
  length = 0;
  private bytes = NOTHING;
  private held: HeldBody | undefined;
  private readonly most: number;
  private readonly budget: BodyBudget | undefined;
  private readonly onDrop: () => void;

  /** `most`: its possible length. */
  constructor(most: number, budget: BodyBudget | undefined, onDrop: () => void) {
    this.most = most;
    this.budget = budget;
    this.onDrop = onDrop;
  }

  /** False if there is no room for it. */
  add(piece: Buffer): boolean {
    const needed = this.length + piece.length;
    if (needed > this.bytes.length && !this.grow(needed)) return false;
    // Copied, because a chunk may be a part of the socket's own read buffer.
    piece.copy(this.bytes, this.length);
    this.length = needed;
    return true;
  }

  private grow(needed: number): boolean {
    const isWhole = needed === this.most && needed <= SMALL_BODY;
    const room = isWhole ? needed : Math.min(this.most, Math.max(needed, 2 * this.bytes.length, FIRST_ROOM));
    if (!isWhole || this.held) {
      this.held ??= this.budget?.open(this.onDrop);
      if (this.held?.hold(room) === false) return false;
    }
    const grown = Buffer.allocUnsafe(room);
    this.bytes.copy(grown, 0, 0, this.length);
    this.bytes = grown;
    return true;
  }

  /** The complete body. */
  take(request: IncomingMessage): Buffer {
    const { held } = this;
    if (held) {
      held.arrived();
      const answer = answers.get(request);
      if (answer && !answer.closed) answer.once('close', () => held.free());
      else held.free();
    }
    return this.length === this.bytes.length ? this.bytes : this.bytes.subarray(0, this.length);
  }

  forget(): void {
    this.held?.free();
    this.bytes = NOTHING;
  }
}

const NOTHING = Buffer.alloc(0);

function cutOff(): ServiceError {
  return new ServiceError('invalid_request', 'The body ended before its length.');
}

function tooLarge(most: number): ServiceError {
  const shown = most.toLocaleString('en-US');
  return new ServiceError(
    'body_too_large',
    `The body is larger than the ${shown} bytes that are accepted here.`,
  );
}

/** The error if there is no room for a body. */
export function overloaded(): ServiceError {
  return new ServiceError(
    'overloaded',
    'The server holds as many bytes of requests as it may (WEFT_BODY_BUDGET), and this body came too slowly or is too large.',
    { headers: { 'retry-after': RETRY_AFTER } },
  );
}

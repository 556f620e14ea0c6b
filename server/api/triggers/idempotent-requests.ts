import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WeftError } from '#engine';
import { errorAnswer } from '../../access/http/error-handler.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { idempotencyKeyOf } from '../../base/requests/read-part.ts';
import type {
  Claim,
  IdempotencyStore,
  KeptAnswer,
  KeyId,
  KnownRequest,
} from '../../storage/idempotency/idempotency-store.ts';
import type { Endpoint } from './endpoint.ts';
import { Upload } from './upload.ts';
import { BODYLESS, JSON_TYPE, sendWritten, type WrittenAnswer } from '../../access/answers/answer.ts';

/**
 * Requests with an `Idempotency-Key`.
 * Y1. One run for a key, a caller and a trigger; every repeat gets the answer of the first, byte for byte.
 * Y2. A request that was refused before a run started leaves the key free: its repeat counts as the first. If the
 *     run may have started, the key stays with it.
 * Y3. A repeat waits for a first request in progress. If that request was lost with its process, the answer reports
 *     it, unless its run outlives the process: then the repeat waits for the run.
 */
export interface IdempotentRequests {
  /** Answers a request; rejects with errors for the error handler. */
  answer(reply: FastifyReply, call: IdempotentRequest): Promise<void>;
}

/** A request with an idempotency key. */
export interface IdempotentRequest {
  readonly id: KeyId;
  /** A hash of everything in the request. */
  readonly fingerprint: string;
  /** The request has fields whose values are never stored in clear text; the answer may contain them. */
  readonly hides: boolean;
  /** Starts the run; throws if it is refused. `name` is the same for this call and its repeats, and for no other call. */
  readonly begin: (name: string) => Begun | Promise<Begun>;
  /** `begin` finds the run again that it started before the process ended. */
  readonly outlives: boolean;
}

/** A run that the first request with a key has started. */
export interface Begun {
  readonly run: string;
  /** Rejects with the error of the run. */
  readonly answer: Promise<WrittenAnswer | SendsItself>;
}

/** An answer that is streamed, and so cannot be stored. */
export interface SendsItself {
  send(reply: FastifyReply): Promise<void>;
}

/**
 * When the run of a request is stored, in milliseconds: a request answered before that saves one write. The stored id only
 * shows repeats which run was lost with its process.
 */
const NOTED_AFTER_MS = 50;

/** A first request in progress. */
interface Open {
  /** Undefined until it is certain to be the first. */
  fingerprint: string | undefined;
  readonly done: Promise<void>;
}

/** The key of a request, and its owner. Throws `idempotency_key_invalid`. */
export function idempotentRequest(
  { route }: Endpoint,
  request: FastifyRequest,
  caller: string,
): Pick<IdempotentRequest, 'id' | 'fingerprint' | 'hides'> {
  const { raw, body } = request;
  const key = idempotencyKeyOf(request);
  if (key === undefined) throw new ServiceError('idempotency_key_invalid');
  const hash = createHash('sha256').update(`${raw.method} ${raw.url}\n`);
  if (body !== undefined) hash.update(body instanceof Upload ? body.fingerprint() : (body as Buffer));
  const id = { trigger: `${route.flow.id} ${route.node}`, caller, key };
  const hides = route.flow.compiled.plans.get(route.node)?.hidesFields === true;
  return { id, fingerprint: hash.digest('base64'), hides };
}

export function createIdempotentRequests(store: IdempotencyStore): IdempotentRequests {
  const open = new Map<string, Open>();

  async function answer(reply: FastifyReply, call: IdempotentRequest): Promise<void> {
    const name = JSON.stringify(call.id);
    for (let other = open.get(name); other !== undefined; other = open.get(name)) {
      if (other.fingerprint !== undefined) assertSame(other.fingerprint, call);
      await other.done;
    }
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const mine: Open = { fingerprint: undefined, done };
    open.set(name, mine);
    try {
      await claimed(reply, call, mine);
    } finally {
      open.delete(name);
      resolve();
    }
  }

  async function claimed(reply: FastifyReply, call: IdempotentRequest, mine: Open): Promise<void> {
    const claim = await store.claim(call.id, call.fingerprint, () => reply.raw.closed);
    assertSame(claim.fingerprint, call);
    mine.fingerprint = call.fingerprint;
    if (claim.isNew || (claim.state === 'started' && call.outlives)) await first(reply, call, claim);
    else replay(reply, claim);
  }

  async function first(reply: FastifyReply, call: IdempotentRequest, claim: Claim): Promise<void> {
    const { id } = call;
    const begun = await begunOrReleased(call, claim);
    const noting = setTimeout(() => void keeping(reply, () => store.started(id, begun.run)), NOTED_AFTER_MS);
    const answered = await begun.answer.catch((error: unknown) => writeError(error, reply.request));
    clearTimeout(noting);
    reply.header('x-weft-run', begun.run);
    const whole = 'send' in answered ? undefined : inBytes(answered);
    const kept = whole && !holdsSecret(whole, reply) ? { ...whole, hidden: call.hides } : undefined;
    await keeping(reply, () => store.answered(id, begun.run, kept));
    if ('send' in answered) await answered.send(reply);
    else if (whole !== undefined) sendKept(reply, whole);
  }

  async function begunOrReleased({ id, begin, outlives }: IdempotentRequest, claim: Claim): Promise<Begun> {
    try {
      return await begin(`${claim.at} ${JSON.stringify(id)}`);
    } catch (error) {
      // A run that may exist is found under the name of this claim, and under no other.
      const mayHaveBegun = outlives && (!claim.isNew || !isRefusal(error));
      if (!mayHaveBegun) await store.release(id);
      throw error;
    }
  }

  return { answer };
}

/** After a failure of the disk it is unknown how far the request got. */
function isRefusal(error: unknown): boolean {
  return (error instanceof ServiceError || error instanceof WeftError) && error.code !== 'storage_failed';
}

/** The run continues, and is answered, even if the disk is full; then no repeat gets its answer. */
async function keeping({ request }: FastifyReply, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    request.log.error({ err: error, reqId: request.id }, 'an idempotency key could not be stored');
  }
}

function assertSame(fingerprint: string, call: IdempotentRequest): void {
  if (fingerprint !== call.fingerprint) throw new ServiceError('idempotency_mismatch');
}

function replay(reply: FastifyReply, { state, run, answer }: KnownRequest): void {
  if (answer === undefined) {
    const of = run === undefined ? '' : ` Its run is ${run}.`;
    if (state === 'not-kept')
      throw new ServiceError(
        'idempotency_not_kept',
        `The answer to this Idempotency-Key is not stored.${of}`,
      );
    throw new ServiceError(
      'idempotency_run_lost',
      `The server stopped while it executed the first request with this Idempotency-Key.${of}`,
    );
  }
  if (run !== undefined) reply.header('x-weft-run', run);
  reply.header('idempotent-replayed', 'true');
  sendKept(reply, answer);
}

/**
 * The first answer is sent in the form of its repeats, because Node otherwise writes headers before a text
 * differently.
 */
function sendKept(reply: FastifyReply, { status, headers, body }: KeptAnswer): void {
  sendWritten(reply, { status, headers, body: BODYLESS.has(status) ? undefined : Buffer.from(body) });
}

function writeError(error: unknown, request: FastifyRequest): WrittenAnswer {
  const { status, headers, body } = errorAnswer(error, request, request.server.redactor);
  const all = [...Object.entries(headers), ['content-type', JSON_TYPE] as const];
  return { status, headers: all, body: JSON.stringify(body) };
}

function inBytes({ status, headers, body = '' }: WrittenAnswer): KeptAnswer {
  return { status, headers, body: typeof body === 'string' ? Buffer.from(body) : body };
}

/** Secrets are never stored in clear text. */
function holdsSecret({ body, headers }: KeptAnswer, { server: { redactor } }: FastifyReply): boolean {
  if (redactor?.active !== true) return false;
  const texts = [Buffer.from(body).toString(), ...headers.map(([, value]) => value)];
  return texts.some((text) => redactor.text(text) !== text);
}

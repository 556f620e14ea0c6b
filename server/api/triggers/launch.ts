import type * as Gathered from './gathered.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Run, RunAnswer } from '#engine';
import type { RunHub } from '../../execution/runs/run-types.ts';
import type { RunRequest } from '../../flows/service/run-request.ts';
import { handleOf } from '#shared/file.ts';
import { isStream } from '#shared/json.ts';
import type { Files } from '../../storage/file-store/files.ts';
import {
  headOfFile,
  JSON_TYPE,
  sendAnswer,
  sendDirect,
  sendWritten,
  writeAnswer,
  type WrittenAnswer,
} from '../../access/answers/answer.ts';
import type { SendsItself } from './idempotent-requests.ts';
import type { TriggerGate } from '../../access/security/auth/gate.ts';
import { asksForStream, type Endpoint } from './endpoint.ts';
import type { Admitted } from './admission.ts';
import { type Input, readBodyInput, readQuery, readsBody, type TriggerBody } from './input.ts';
import { withPlace } from '../../execution/runs/run-limits.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { PING_MS } from '../../access/http/stream-limits.ts';
import { Upload } from './upload.ts';
import {
  type StreamAnswer,
  streamHead,
  sendStream,
  type StreamSetup,
} from '../../access/answers/stream-answer.ts';

/** Starts the run of an admitted request. */
export function startRun(runs: RunHub, admitted: Admitted, input: Input, how: How): Run {
  return runs.start(chosenRequest(admitted, input, how));
}

/** The same, once there is a place for it among the runs of its flow on all servers. */
function startPlaced(runs: RunHub, admitted: Admitted, input: Input, how: How): Run | Promise<Run> {
  const placed = withPlace(runs, chosenRequest(admitted, input, how));
  return placed instanceof Promise ? placed.then((request) => runs.start(request)) : runs.start(placed);
}

/** The request decides whether it is answered with a stream. */
function chosenRequest(admitted: Admitted, input: Input, how: How): RunRequest {
  const { streamed } = admitted.endpoint;
  if (streamed !== undefined && asksForStream(input.value)) admitted.endpoint = streamed;
  return runRequest(admitted, input, how);
}

/** The origin of a run, and whether everything of it is recorded. */
type How = Pick<RunRequest, 'source' | 'record' | 'place' | 'untrusted'>;

/** The dependencies for starting a run. */
export function runRequest(
  { endpoint: { route }, apiKey }: Admitted,
  { value: output, request, files }: Input,
  how: How,
): RunRequest {
  const start = { flow: route.flow, trigger: route.node, request, output, apiKey, ...how };
  return files === undefined ? start : { ...start, files };
}

const NO_BYTES = new Uint8Array();

/** Throws if the remaining check of a signed request fails, now that its body has arrived. */
export function checkSigned({ signed }: Admitted, request: FastifyRequest): void {
  if (signed === undefined) return;
  if (request.body instanceof Upload)
    throw new ServiceError(
      'unsupported_media_type',
      'This trigger checks a signature of the whole body, so it takes no uploads.',
    );
  signed.check((request.body as Buffer | undefined) ?? NO_BYTES);
}

/** Starts the run of a request whose body has arrived. The remaining check of a signed one comes first. */
export function startAdmitted(
  runs: RunHub,
  admitted: Admitted,
  request: FastifyRequest,
  how: How,
): Run | Promise<Run> {
  checkSigned(admitted, request);
  return startOnce(admitted, () => startChecked(runs, admitted, request, how));
}

/** The same after `checkSigned`, within `startOnce`. */
export function startChecked(
  runs: RunHub,
  admitted: Admitted,
  request: FastifyRequest,
  how: How,
): Run | Promise<Run> {
  return startPlaced(runs, admitted, readInput(admitted, request), how);
}

/**
 * Uses a signed request up, then starts its run with `start`; a request whose run does not start may be sent again. Only
 * servers that share a database need to wait for it.
 */
export function startOnce<T>({ signed }: Admitted, start: () => T): T | Promise<Awaited<T>> {
  if (signed === undefined) return start();
  const failed = (error: unknown): never => {
    signed.giveBack();
    throw error;
  };
  const begin = (): T => {
    try {
      const started = start();
      if (started instanceof Promise) return started.catch(failed) as T;
      return started;
    } catch (error) {
      return failed(error);
    }
  };
  const spending = signed.spend();
  return spending === undefined ? begin() : (spending.then(begin) as Promise<Awaited<T>>);
}

/** The input of the run for a request, whose body has arrived if it has one. */
export function readInput(admitted: Admitted, request: FastifyRequest): Input {
  const { endpoint, params, input, claims } = admitted;
  if (input !== undefined) return input;
  const read = readsBody(request.raw.method)
    ? readBodyInput(endpoint, params, request.raw, request.body as TriggerBody | undefined)
    : readQuery(endpoint, params, request.raw);
  return claims === undefined ? read : { ...read, request: { ...read.request, claims } };
}

/** The part that all answers of a server share. */
interface Terms {
  /** Whether the usual answer may bypass the framework. */
  readonly direct?: boolean;
  /** Checked at intervals: whether the caller of a streamed answer may still get it. */
  readonly gate?: Pick<TriggerGate, 'isOpen'>;
  /** The store for a body that is a file. */
  readonly files?: Files | undefined;
}

const USUAL: Terms = {};

/**
 * Answers a request with the result of its run. A flow of pure nodes has its answer when `start` returns: then no
 * promise, listener or closure is needed.
 */
export function answerWith(reply: FastifyReply, run: Run, endpoint: Endpoint, terms: Terms = USUAL): void {
  if (terms.direct === true && !endpoint.immediately && sendDirect(reply, run, endpoint.response)) return;
  reply.header('x-weft-run', run.id);
  if (endpoint.immediately) sendWritten(reply, accepted(run));
  else if (run.answer && !isStreamAnswer(run.answer) && !mayBeFile(run.answer))
    sendAnswer(reply, run.answer, endpoint.response);
  else awaitAnswer(reply, run, endpoint, terms);
}

/** Answers that the run has started. */
function accepted(run: Run): WrittenAnswer {
  const location = `/api/v1/runs/${run.id}`;
  const headers = [['content-type', JSON_TYPE] as const, ['location', location] as const];
  return { status: 202, headers, body: JSON.stringify({ run: run.id }) };
}

interface AnswerTerms extends Pick<Terms, 'files'> {
  readonly gate: Terms['gate'];
  /** Sees the answer before it is sent. */
  readonly watched?: ((answer: RunAnswer) => Promise<RunAnswer>) | undefined;
}

/** The answer to a request that is to be stored for its repeats; a streamed one sends itself. */
export async function answerToKeep(
  run: Run,
  endpoint: Endpoint,
  { gate, watched, files }: AnswerTerms,
): Promise<WrittenAnswer | SendsItself> {
  const { response, immediately, onDisconnect } = endpoint;
  if (immediately) {
    if (watched) run.onAnswer((answer) => void watched(answer));
    return accepted(run);
  }
  const given = await new Promise<RunAnswer>((resolve) => run.onAnswer(resolve));
  const answer = watched ? await watched(given) : given;
  const file = await sentAsFile(run.id, answer, { response, files });
  if (file !== undefined) return file;
  if (!isStreamAnswer(answer)) return writeAnswer(answer, response);
  const head = streamHead(answer, response);
  if (head === undefined)
    return writeAnswer({ ...answer, body: await whole(answer.body, endpoint, run) }, response);
  const stream = { run, stream: answer.body, head, continues: onDisconnect === 'continue' };
  return { send: (reply) => sendWhileOpen(reply, stream, endpoint, gate) };
}

function awaitAnswer(reply: FastifyReply, run: Run, endpoint: Endpoint, terms: Terms): void {
  cancelOnDisconnect(reply, run, endpoint);
  run.onAnswer((answer) => {
    // An error thrown here would surface in the engine, which is not involved.
    answerLater(reply, { run, answer, endpoint }, terms).catch((error: unknown) => reply.send(error));
  });
}

async function answerLater(
  reply: FastifyReply,
  { run, answer, endpoint }: { readonly run: Run; readonly answer: RunAnswer; readonly endpoint: Endpoint },
  { gate, files }: Terms,
): Promise<void> {
  const { response, onDisconnect } = endpoint;
  const file = await sentAsFile(run.id, answer, { response, files });
  if (file !== undefined) return file.send(reply);
  if (!isStreamAnswer(answer)) return sendAnswer(reply, answer, response);
  const head = streamHead(answer, response);
  const continues = onDisconnect === 'continue';
  const stream = head && { run, stream: answer.body, head, continues };
  if (stream) await sendWhileOpen(reply, stream, endpoint, gate);
  else sendAnswer(reply, { ...answer, body: await whole(answer.body, endpoint, run) }, response);
}

function mayBeFile(answer: RunAnswer): boolean {
  return answer.kind === 'value' && handleOf(answer.body) !== undefined;
}

/** How an answer is sent if its body is a file of its run. */
export async function sentAsFile(
  run: string,
  answer: RunAnswer,
  { response, files }: Pick<Endpoint, 'response'> & Pick<Terms, 'files'>,
): Promise<SendsItself | undefined> {
  if (answer.kind !== 'value' || files === undefined || !mayBeFile(answer)) return undefined;
  const { heldFile, sendFile } = await import('../../access/answers/file-answer.ts');
  const file = await heldFile(files, { kind: 'run', id: run }, answer.body);
  if (file === undefined) return undefined;
  const head = headOfFile(answer, response);
  return { send: (reply) => sendFile(reply, { file, ...head }, files) };
}

function isStreamAnswer(answer: RunAnswer): answer is StreamAnswer {
  return answer.kind === 'value' && isStream(answer.body);
}

/**
 * A caller that disconnects before it got its answer ends the run, unless the flow's setting differs or the request
 * changes things.
 */
export function cancelOnDisconnect(reply: FastifyReply, run: Run, { onDisconnect }: Endpoint): void {
  if (onDisconnect === 'continue') return;
  const isRead = reply.request.method === 'GET';
  reply.raw.once('close', () => {
    if (reply.raw.writableFinished) return;
    const streams = run.answer !== undefined && isStreamAnswer(run.answer);
    if (onDisconnect === 'cancel' || isRead || streams) run.cancel('disconnect');
  });
}

/**
 * Sends a streamed answer. If a key opened the trigger, the stream ends when the key is revoked or expires: with an
 * error in the stream, or, if the run continues without its caller, with the connection.
 */
async function sendWhileOpen(
  reply: FastifyReply,
  setup: StreamSetup,
  endpoint: Endpoint,
  gate: Pick<TriggerGate, 'isOpen'> | undefined,
): Promise<void> {
  if (gate === undefined || endpoint.auth !== 'api-key') return sendStream(reply, setup);
  const watch = setInterval(() => {
    if (gate.isOpen(endpoint, reply.request.raw)) return;
    if (setup.continues) reply.raw.destroy();
    else setup.run.cancel('stop');
  }, PING_MS).unref();
  try {
    return await sendStream(reply, setup);
  } finally {
    clearInterval(watch);
  }
}

/** Most flows answer with no stream, so what joins one is loaded with the first. */
const whole: typeof Gathered.gathered = async (...given) =>
  (await import('./gathered.ts')).gathered(...given);

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Run, RunAnswer } from '#engine';
import type { RunHub } from '../runs/run-types.ts';
import type { RunRequest } from '../flows/run-request.ts';
import {
  isStream,
  JSON_TYPE,
  sendAnswer,
  sendDirect,
  sendWritten,
  writeAnswer,
  type WrittenAnswer,
} from '../answers/answer.ts';
import type { SendsItself } from './idempotent-calls.ts';
import type { TriggerGate } from '../security/auth/gate.ts';
import { asksForStream, type Endpoint } from './endpoint.ts';
import { gathered } from './gathered.ts';
import type { Admitted } from './admission.ts';
import { type Input, readBodyInput, readQuery, readsBody } from './input.ts';
import { type StreamAnswer, streamHead } from '../answers/stream-answer.ts';
import { sendWhileOpen } from './watched-stream.ts';

/** Starts the run of an admitted request. */
export function startRun(runs: RunHub, admitted: Admitted, input: Input, how: How): Run {
  const { streamed } = admitted.endpoint;
  if (streamed !== undefined && asksForStream(input.value)) admitted.endpoint = streamed;
  return runs.start(runRequest(admitted, input, how));
}

/** The origin of a run, and whether everything of it is recorded. */
type How = Pick<RunRequest, 'source' | 'record' | 'place' | 'untrusted'>;

/** The dependencies for starting a run. */
export function runRequest(
  { endpoint: { route }, apiKey }: Admitted,
  { value: output, request }: Input,
  how: How,
): RunRequest {
  return { flow: route.flow, trigger: route.node, request, output, apiKey, ...how };
}

const NO_BYTES = new Uint8Array();

/** Throws if the remaining check of a signed request fails, now that its body is there. */
export function checkSigned({ signed }: Admitted, request: FastifyRequest): void {
  signed?.check((request.body as Buffer | undefined) ?? NO_BYTES);
}

/** Starts the run of a request whose body is there. The remaining check of a signed one comes first. */
export function startAdmitted(runs: RunHub, admitted: Admitted, request: FastifyRequest, how: How): Run {
  checkSigned(admitted, request);
  return startChecked(runs, admitted, request, how);
}

/** The same after `checkSigned`. */
export function startChecked(runs: RunHub, admitted: Admitted, request: FastifyRequest, how: How): Run {
  const run = startRun(runs, admitted, readInput(admitted, request), how);
  admitted.signed?.spend();
  return run;
}

/** The input of the run for a request, whose body is there if it has one. */
export function readInput({ endpoint, params, input }: Admitted, request: FastifyRequest): Input {
  if (input !== undefined) return input;
  return readsBody(request.raw.method)
    ? readBodyInput(endpoint, params, request, request.body as Buffer | undefined)
    : readQuery(endpoint, params, request.raw);
}

/** The part that all answers of a server share. */
interface Terms {
  /** The usual answer may take a shorter way out. */
  readonly direct?: boolean;
  /** Checked now and then: whether the caller of a streamed answer may still get it. */
  readonly gate?: Pick<TriggerGate, 'isOpen'>;
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
  else if (run.answer && !isStreamAnswer(run.answer)) sendAnswer(reply, run.answer, endpoint.response);
  else awaitAnswer(reply, run, endpoint, terms);
}

/** Tells a caller that its run has started. */
function accepted(run: Run): WrittenAnswer {
  const location = `/api/v1/runs/${run.id}`;
  const headers = [['content-type', JSON_TYPE] as const, ['location', location] as const];
  return { status: 202, headers, body: JSON.stringify({ run: run.id }) };
}

interface AnswerTerms {
  readonly gate: Terms['gate'];
  /** Sees the answer before it is sent. */
  readonly watched?: ((answer: RunAnswer) => Promise<RunAnswer>) | undefined;
}

/** The answer to a request that is to be stored for its repeats; a streamed one sends itself. */
export async function answerToKeep(
  run: Run,
  endpoint: Endpoint,
  { gate, watched }: AnswerTerms,
): Promise<WrittenAnswer | SendsItself> {
  const { response, immediately, onDisconnect } = endpoint;
  if (immediately) {
    if (watched) run.onAnswer((answer) => void watched(answer));
    return accepted(run);
  }
  const given = await new Promise<RunAnswer>((resolve) => run.onAnswer(resolve));
  const answer = watched ? await watched(given) : given;
  if (!isStreamAnswer(answer)) return writeAnswer(answer, response);
  const head = streamHead(answer, response);
  if (head === undefined)
    return writeAnswer({ ...answer, body: await gathered(answer.body, endpoint) }, response);
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
  { gate }: Terms,
): Promise<void> {
  const { response, onDisconnect } = endpoint;
  if (!isStreamAnswer(answer)) return sendAnswer(reply, answer, response);
  const head = streamHead(answer, response);
  const continues = onDisconnect === 'continue';
  const stream = head && { run, stream: answer.body, head, continues };
  if (stream) await sendWhileOpen(reply, stream, endpoint, gate);
  else sendAnswer(reply, { ...answer, body: await gathered(answer.body, endpoint) }, response);
}

function isStreamAnswer(answer: RunAnswer): answer is StreamAnswer {
  return answer.kind === 'value' && isStream(answer.body);
}

/**
 * A caller that disconnects before it got its answer ends the run, unless the flow says otherwise or the request
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

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Run, RunAnswer } from '#engine';
import type { Context, RunRequest } from '../context.ts';
import { collect } from './serialise.ts';
import { isStream, sendAnswer, sendDirect } from './answer.ts';
import type { Endpoint } from './endpoint.ts';
import type { Admitted } from './admission.ts';
import { type Input, readBodyInput, readQuery, readsBody } from './input.ts';
import { sendStream, type StreamAnswer, streamHead } from './stream-answer.ts';

/** Starts the run of an admitted request. */
export function startRun(
  runs: Context['runs'],
  { route }: Endpoint,
  input: Input,
  how: Pick<RunRequest, 'source' | 'record'>,
): Run {
  const { value: output, request } = input;
  return runs.start({ flow: route.flow, trigger: route.node, request, output, ...how });
}

const NO_BYTES = new Uint8Array();

/** Starts the run of a request whose body is there. What is left to ask of one that is signed comes first. */
export function startAdmitted(
  runs: Context['runs'],
  { endpoint, params, signed }: Admitted,
  request: FastifyRequest,
  how: Pick<RunRequest, 'source' | 'record'>,
): Run {
  const body = request.body as Buffer | undefined;
  signed?.check(body ?? NO_BYTES);
  const input = readsBody(request.raw.method)
    ? readBodyInput(endpoint, params, request, body)
    : readQuery(endpoint, params, request.raw);
  const run = startRun(runs, endpoint, input, how);
  signed?.spend();
  return run;
}

/**
 * Answers a request with the result of its run. A flow of pure nodes has its answer when `start` returns: then there is no
 * promise, listener or closure on the way.
 */
export function answerWith(reply: FastifyReply, run: Run, endpoint: Endpoint, direct = false): void {
  if (direct && !endpoint.immediately && sendDirect(reply, run, endpoint.response)) return;
  reply.header('x-weft-run', run.id);
  if (endpoint.immediately) sendAccepted(reply, run);
  else if (run.answer && !isStreamAnswer(run.answer)) sendAnswer(reply, run.answer, endpoint.response);
  else awaitAnswer(reply, run, endpoint);
}

function sendAccepted(reply: FastifyReply, run: Run): void {
  reply
    .code(202)
    .header('content-type', 'application/json; charset=utf-8')
    .header('location', `/api/v1/runs/${run.id}`)
    .send(JSON.stringify({ run: run.id }));
}

function awaitAnswer(reply: FastifyReply, run: Run, endpoint: Endpoint): void {
  cancelOnDisconnect(reply, run, endpoint);
  run.onAnswer((answer) => {
    // A throw here would surface in the engine, which has nothing to do with it.
    answerLater(reply, run, answer, endpoint).catch((error: unknown) => reply.send(error));
  });
}

async function answerLater(
  reply: FastifyReply,
  run: Run,
  answer: RunAnswer,
  { response, onDisconnect }: Endpoint,
): Promise<void> {
  if (!isStreamAnswer(answer)) return sendAnswer(reply, answer, response);
  const head = streamHead(answer, response);
  const continues = onDisconnect === 'continue';
  if (head) await sendStream(reply, { run, stream: answer.body, head, continues });
  else sendAnswer(reply, { ...answer, body: await collect(answer.body) }, response);
}

function isStreamAnswer(answer: RunAnswer): answer is StreamAnswer {
  return answer.kind === 'value' && isStream(answer.body);
}

/** A caller that goes away before it got its answer ends the run, unless the flow says otherwise or the request changes things. */
function cancelOnDisconnect(reply: FastifyReply, run: Run, { onDisconnect }: Endpoint): void {
  if (onDisconnect === 'continue') return;
  const isRead = reply.request.method === 'GET';
  reply.raw.once('close', () => {
    if (reply.raw.writableFinished) return;
    const streams = run.answer !== undefined && isStreamAnswer(run.answer);
    if (onDisconnect === 'cancel' || isRead || streams) run.cancel('disconnect');
  });
}

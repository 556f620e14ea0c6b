import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AcceptedRun } from '#shared/calls-api.ts';
import { type RunAnswer, WeftError } from '#engine';
import { writeNotify } from '../../execution/after-runs/notify.ts';
import type { RunLinks } from '../../execution/durable/run-links.ts';
import type { Files } from '../../storage/file-store/files.ts';
import type { RunLimits } from '../../execution/runs/run-limits.ts';
import type { DurableAnswer, DurableView, DurableRuns, Turn } from '../../execution/durable/durable-runs.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { JSON_TYPE, runError, writeAnswer, type WrittenAnswer } from '../../access/answers/answer.ts';
import type { Admitted } from './admission.ts';
import type { Endpoint } from './endpoint.ts';
import type { Memory } from './memory.ts';
import type { Begun, SendsItself } from './idempotent-requests.ts';
import { readInput, runRequest, sentAsFile } from './launch.ts';

interface DurableDeps {
  readonly durable: DurableRuns;
  readonly links: RunLinks;
  readonly memory: Pick<Memory, 'ended'>;
  readonly limits: RunLimits | undefined;
  readonly files: Files | undefined;
}

/** How long a caller waits for the result before it gets a status address, in milliseconds. */
const PATIENCE_MS = 60_000;

/**
 * Starts a run that outlives its request, from an admitted and signed one. `key`: a second start with it returns the
 * first run, and its sender comes back for the answer. The answer is the result, or 202 if the caller does not wait
 * for it: because of the trigger's setting, because the run waits for people or for a future time, or because it takes too
 * long. A caller that disconnects does not affect the run.
 */
export async function beginDurable(
  { limits, ...parts }: DurableDeps,
  admitted: Admitted,
  { request, reply, turn }: DurableCall,
  key?: string,
): Promise<Begun> {
  const { endpoint } = admitted;
  const start = runRequest(admitted, readInput(admitted, request), { source: 'http' });
  limits?.check(start);
  const webhook = endpoint.notify && writeNotify(endpoint.notify);
  const { durable, links } = parts;
  const { run } = await durable.start(start, { key, webhook, memory: turn });
  // Before the answer, after which files without a holder are deleted.
  await parts.files?.give(start.files ?? [], { kind: 'run', id: run });
  if (endpoint.immediately) return { run, answer: accepted(links, run, 'running') };
  const late = AbortSignal.timeout(PATIENCE_MS);
  const signal = key === undefined ? AbortSignal.any([gone(reply), late]) : late;
  return { run, answer: resultOr202(parts, run, endpoint, signal) };
}

interface DurableCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The remembered part of the answer. */
  readonly turn?: Turn | undefined;
}

type Answering = Omit<DurableDeps, 'limits'>;

/** Aborted when the caller disconnects. */
function gone(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => controller.abort());
  return controller.signal;
}

async function resultOr202(
  { durable, ...parts }: Answering,
  run: string,
  endpoint: Endpoint,
  signal: AbortSignal,
): Promise<WrittenAnswer | SendsItself> {
  try {
    return await answerOf(await durable.settled(run, signal), parts, endpoint);
  } catch (error) {
    if (signal.aborted) return await accepted(parts.links, run, 'running');
    throw error;
  }
}

async function answerOf(
  view: DurableView,
  { links, memory, files }: Pick<Answering, 'links' | 'memory' | 'files'>,
  endpoint: Endpoint,
): Promise<WrittenAnswer | SendsItself> {
  const { run, status, answer, error } = view;
  if (status === 'ok') {
    // A caller that asks again at once finds it in the history.
    await memory.ended(view);
    const given = runAnswer(answer);
    const file = await sentAsFile(run, given, { response: endpoint.response, files });
    return file ?? writeAnswer(given, endpoint.response);
  }
  if (status === 'failed') throw error ? runError(error) : new WeftError('node_failed', 'The run failed.');
  if (status === 'cancelled') throw new ServiceError('run_cancelled');
  return accepted(links, run, status);
}

/** 200 is also the status of a run that leaves the status to its trigger. */
function runAnswer(answer: DurableAnswer | undefined): RunAnswer {
  if (answer === undefined || answer.status === 204) return { kind: 'empty' };
  const { status, headers, body } = answer;
  return { kind: 'value', status: status === 200 ? undefined : status, headers, body };
}

/** Answers that the run continues, with the address of its status. */
async function accepted(
  links: DurableDeps['links'],
  run: string,
  status: AcceptedRun['status'],
): Promise<WrittenAnswer> {
  const statusUrl = await links.of(run);
  const body: AcceptedRun = { run, status, statusUrl };
  const headers = [['content-type', JSON_TYPE] as const, ['location', `/api/v1/runs/${run}`] as const];
  return { status: 202, headers, body: JSON.stringify(body) };
}

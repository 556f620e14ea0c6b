import type { FastifyReply, FastifyRequest, FastifyBaseLogger } from 'fastify';
import type { RunAnswer } from '#engine';
import type { Conversations } from '../../chat/service/conversations.ts';
import type { DurableRuns } from '../../execution/durable/durable-runs.ts';
import type { RunLinks } from '../../execution/durable/run-links.ts';
import type { Files } from '../../storage/file-store/files.ts';
import type { IdempotencyStore } from '../../storage/idempotency/idempotency-store.ts';
import type { RunLimits } from '../../execution/runs/run-limits.ts';
import type { RunHub } from '../../execution/runs/run-types.ts';
import type { TriggerGate } from '../../access/security/auth/gate.ts';
import type { Admitted } from './admission.ts';
import { sendWritten } from '../../access/answers/answer.ts';
import { beginDurable } from './durable-call.ts';
import type { Endpoint } from './endpoint.ts';
import { createMemory } from './memory.ts';
import { type Begun, createIdempotentRequests, idempotentRequest } from './idempotent-requests.ts';
import { startInTurn } from './queued-call.ts';
import { answerToKeep, cancelOnDisconnect, checkSigned, startChecked, startOnce } from './launch.ts';

export type SpecialDeps = {
  readonly runs: RunHub;
  readonly gate: TriggerGate;
  readonly idempotency: IdempotencyStore;
} & Partial<{
  readonly durable: DurableRuns;
  readonly links: RunLinks;
  readonly limits: RunLimits;
  readonly files: Files;
  readonly conversations: Conversations;
  readonly log: FastifyBaseLogger;
}>;

/**
 * Calls of triggers that do more than start a run and answer with its result: idempotent requests, durable runs, and
 * calls that wait for their turn.
 */
export interface SpecialCalls {
  /** Whether this is such a call. Cheap enough for every call. */
  takes(endpoint: Endpoint, request: FastifyRequest): boolean;
  /** Answers an admitted call. Throws its errors, or answers with them. */
  answer(admitted: Admitted, request: FastifyRequest, reply: FastifyReply): void;
}

const HTTP = { source: 'http' } as const;

interface Call {
  readonly admitted: Admitted;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export function createSpecialCalls(ctx: SpecialDeps): SpecialCalls {
  const { runs, gate, idempotency, durable, links, limits } = ctx;
  const idempotent = createIdempotentRequests(idempotency);
  // `weft dev` in a terminal has none: there all runs live in memory.
  const memory = createMemory(ctx);
  const lasting = durable && links && { durable, links, limits, memory, files: ctx.files };
  durable?.onEnd((end) => memory.ended(end));
  const isLasting = (endpoint: Endpoint): boolean => endpoint.durable && lasting !== undefined;

  /** `name`: unique to the call on this server; undefined if it may be executed twice. */
  async function begin(call: Call, name: string | undefined): Promise<Begun> {
    const { admitted, request, reply } = call;
    const { endpoint } = admitted;
    const turn =
      endpoint.memory === undefined ? undefined : await memory.recall(endpoint.memory, admitted, request);
    if (endpoint.durable && lasting)
      return startOnce(admitted, () => beginDurable(lasting, admitted, { ...call, turn }, name));
    const run = await startOnce(admitted, () =>
      endpoint.queues && limits
        ? startInTurn({ runs, limits }, admitted, call)
        : startChecked(runs, admitted, request, HTTP),
    );
    // A caller that sends a key comes back for the answer.
    if (name === undefined || endpoint.onDisconnect === 'cancel') cancelOnDisconnect(reply, run, endpoint);
    const watched = turn && ((answer: RunAnswer) => memory.watched(turn, answer));
    return { run: run.id, answer: answerToKeep(run, admitted.endpoint, { gate, watched, files: ctx.files }) };
  }

  async function answerOnce(call: Call): Promise<void> {
    const { admitted, request, reply } = call;
    const { endpoint } = admitted;
    await idempotent.answer(reply, {
      ...idempotentRequest(endpoint, request, gate.callerOf(request.raw)),
      outlives: isLasting(endpoint),
      begin: (name) => begin(call, `call:${name}`),
    });
  }

  async function answerAnyway(call: Call): Promise<void> {
    const { run, answer } = await begin(call, undefined);
    call.reply.header('x-weft-run', run);
    const answered = await answer;
    if ('send' in answered) await answered.send(call.reply);
    else sendWritten(call.reply, answered);
  }

  return {
    takes: (endpoint, request) =>
      request.headers['idempotency-key'] !== undefined ||
      isLasting(endpoint) ||
      endpoint.queues ||
      endpoint.memory !== undefined,
    answer(admitted, request, reply) {
      checkSigned(admitted, request);
      const call = { admitted, request, reply };
      const isIdempotent = request.headers['idempotency-key'] !== undefined;
      const answered = isIdempotent ? answerOnce(call) : answerAnyway(call);
      answered.catch((error: unknown) => reply.send(error));
    },
  };
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Run } from '#engine';
import type { Config } from '../../base/config/config.ts';
import type { TriggerTable } from '../../flows/service/trigger-table.ts';
import type { RunHub } from '../../execution/runs/run-types.ts';
import type { TriggerGate } from '../../access/security/auth/gate.ts';
import { SMALL_BODY } from '../../access/http/body-budget.ts';
import { isEncoded } from '../../access/http/read-body.ts';
import type { AddressCheck } from '../../access/http/platform.ts';
import type { Admitted } from './admission.ts';
import { JSON_TYPE, sendUsual } from '../../access/answers/answer.ts';
import { bodyLimitOf, endpointOf } from './endpoint.ts';
import { type Input, readJsonInput, readQuery } from './input.ts';
import { startRun } from './launch.ts';

export const triggerPrefix = '/api/v1/awel/trigger';

/** Work that was already done for a request that continues through the framework. */
interface HandedOver {
  /** Its body, if that was read. */
  readonly body?: Buffer | undefined;
  /** Its run, if one was started, with the admitted request. */
  readonly started?: { readonly admitted: Admitted; readonly run: Run };
}

const HANDED_OVER: unique symbol = Symbol('handed over');

type Handed = IncomingMessage & { [HANDED_OVER]?: HandedOver };

const NOTHING: HandedOver = {};

/** The work that the front door did for this request. */
export function handedOver(request: IncomingMessage): HandedOver {
  return (request as Handed)[HANDED_OVER] ?? NOTHING;
}

interface Doorkeeper {
  readonly triggers: TriggerTable;
  readonly runs: RunHub;
  readonly gate: TriggerGate;
  readonly config: Pick<Config, 'bodyLimit' | 'bodyBudget'>;
}

/** The parts behind the front door. */
interface Behind {
  readonly addressProblem: AddressCheck;
  /** Whether runs may still start. */
  readonly isOpen: () => boolean;
  /** The framework: the long way. */
  readonly framework: (request: IncomingMessage, response: ServerResponse) => void;
}

/**
 * The short way of the common trigger call: one whose flow has finished when its run has started, a GET, or a POST of a
 * small JSON body that arrives with its head. It runs before the framework, which costs such a call up to a quarter of its
 * time (docs/decisions/0009-front-door.md).
 *
 * FD1. It makes the same checks in the same order as the long way: address, trigger, authentication, body, request
 *      model.
 * FD2. Everything but the common case is left to the long way before any effect but reading; that way also words
 *      all errors.
 * FD3. A started run is handed over, never started again, and so is a body that was read.
 *
 * The returned function answers a request, or leads it to the framework.
 */
export function createFrontDoor(
  ctx: Doorkeeper,
  { addressProblem, isOpen, framework }: Behind,
): (request: IncomingMessage, response: ServerResponse) => void {
  const inside = `${triggerPrefix}/`;
  const { bodyLimit, bodyBudget } = ctx.config;
  // Small, and so little of the budget that it need not be counted.
  const largestBody = Math.min(SMALL_BODY, bodyLimit, bodyBudget / 100);

  /** Undefined for a request that the long way has to answer, or to refuse: it finds the same problem and reports it. */
  function admit(method: string, request: IncomingMessage): Admitted | undefined {
    try {
      return addressProblem(request) === undefined ? find(ctx, method, request) : undefined;
    } catch {
      return undefined;
    }
  }

  function begin(admitted: Admitted, input: () => Input): Run | undefined {
    try {
      const given = input();
      if (!isOpen() || !ctx.runs.accepts(admitted.endpoint.route.flow.id)) return undefined;
      return startRun(ctx.runs, admitted, given, { source: 'http' });
    } catch {
      // Thrown here, it would end the server; the long way meets the same error and answers it.
      return undefined;
    }
  }

  function run(request: IncomingMessage, response: ServerResponse, admitted: Admitted, body?: Buffer): void {
    const { endpoint, params } = admitted;
    const started = begin(admitted, () =>
      body === undefined
        ? readQuery(endpoint, params, request)
        : readJsonInput(endpoint, params, request, body),
    );
    if (started !== undefined && answers(response, started, admitted)) return;
    (request as Handed)[HANDED_OVER] = started ? { body, started: { admitted, run: started } } : { body };
    framework(request, response);
  }

  /** Its body may have arrived with its head; otherwise nothing of it is read. */
  function runWithBody(request: IncomingMessage, response: ServerResponse, admitted: Admitted): void {
    request.once('readable', () => {
      const isWhole = request.readableLength === Number(request.headers['content-length']);
      if (!isWhole) return framework(request, response);
      const body = request.read() as Buffer;
      request.once('end', () => run(request, response, admitted, body)).resume();
    });
  }

  return (request, response) => {
    const { method } = request;
    const isRead = method === 'GET';
    const isTaken = (isRead || method === 'POST') && (request.url as string).startsWith(inside) && isOpen();
    const admitted = isTaken ? admit(method, request) : undefined;
    if (admitted === undefined) framework(request, response);
    else if (isRead) run(request, response, admitted);
    else if (sendsJson(request, admitted, largestBody)) runWithBody(request, response, admitted);
    else framework(request, response);
  };
}

function find(ctx: Doorkeeper, method: string, request: IncomingMessage): Admitted | undefined {
  const url = request.url as string;
  // It may already have been executed.
  if (request.headers['idempotency-key'] !== undefined) return undefined;
  const end = url.indexOf('?');
  const found = ctx.triggers.find(method, url.slice(triggerPrefix.length, end === -1 ? url.length : end));
  if (found?.route.flow.toCompile !== undefined || found === undefined) return undefined;
  const endpoint = endpointOf(found.route);
  if (!endpoint.plain || !ctx.gate.isOpen(endpoint, request)) return undefined;
  const key = ctx.gate.keyOf(endpoint, request);
  // A limit is counted, and its headers are written, on the long way.
  if (key?.perMinute !== undefined) return undefined;
  return { endpoint, params: found.params, signed: undefined, apiKey: key?.name };
}

/** Whether it sends JSON of at most `most` bytes. */
function sendsJson({ headers }: IncomingMessage, { endpoint }: Admitted, most: number): boolean {
  const type = headers['content-type'];
  const length = Number(headers['content-length']);
  if ((type !== 'application/json' && type !== JSON_TYPE) || isEncoded(headers)) return false;
  return endpoint.accept.includes('json') && length > 0 && length <= Math.min(most, bodyLimitOf(endpoint));
}

/** Whether trigger answers may bypass the framework, because none of its hooks has to see them. */
export function answersDirectly(config: Pick<Config, 'corsOrigins' | 'triggerOrigin' | 'role'>): boolean {
  return config.role !== 'worker' && config.corsOrigins.length === 0 && config.triggerOrigin === undefined;
}

function answers(response: ServerResponse, run: Run, { endpoint }: Admitted): boolean {
  try {
    return sendUsual(response, run, endpoint.response);
  } catch {
    // A value that cannot be written as JSON fails in the same way on the long way.
    return false;
  }
}

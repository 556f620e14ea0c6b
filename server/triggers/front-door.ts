import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Run } from '#engine';
import type { Config } from '../config/config.ts';
import type { TriggerTable } from '../flows/trigger-table.ts';
import type { RunHub } from '../runs/run-types.ts';
import type { TriggerGate } from '../security/auth/gate.ts';
import type { AddressCheck } from '../http/platform.ts';
import type { Admitted } from './admission.ts';
import { sendUsual } from '../answers/answer.ts';
import { endpointOf } from './endpoint.ts';
import { type Input, readQuery } from './input.ts';
import { startRun } from './launch.ts';

export const triggerPrefix = '/api/v1/awel/trigger';

/** Work that was already done for a request that continues through the framework. */
export interface HandedOver {
  readonly admitted: Admitted;
  readonly run: Run;
}

const HANDED_OVER: unique symbol = Symbol('handed over');

type Handed = IncomingMessage & { [HANDED_OVER]?: HandedOver };

/** The run that the front door started for this request, if it did. */
export function handedOver(request: IncomingMessage): HandedOver | undefined {
  return (request as Handed)[HANDED_OVER];
}

/**
 * The short way of the common trigger call: a GET whose flow has finished when its run has started. It runs before
 * the framework, which costs such a call a tenth of its time (docs/decisions/0009-front-door.md).
 *
 * FD1. It makes the same checks in the same order as the long way: address, trigger, authentication, request
 *      model.
 * FD2. Everything but the common case is left to the long way before anything was done; that way also words all
 *      errors.
 * FD3. A started run is handed over, never started again.
 */
export function createFrontDoor(
  ctx: { readonly triggers: TriggerTable; readonly runs: RunHub; readonly gate: TriggerGate },
  addressProblem: AddressCheck,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const inside = `${triggerPrefix}/`;

  function admit(request: IncomingMessage, url: string): Admitted | undefined {
    if (addressProblem(request) !== undefined) return undefined;
    // It may already have been executed.
    if (request.headers['idempotency-key'] !== undefined) return undefined;
    const end = url.indexOf('?');
    const found = ctx.triggers.find('GET', url.slice(triggerPrefix.length, end === -1 ? url.length : end));
    if (found?.route.flow.toCompile !== undefined || found === undefined) return undefined;
    const endpoint = endpointOf(found.route);
    if (!endpoint.plain || !ctx.gate.isOpen(endpoint, request)) return undefined;
    const key = ctx.gate.keyOf(endpoint, request);
    // A limit is counted, and its headers are written, on the long way.
    if (key?.perMinute !== undefined) return undefined;
    return { endpoint, params: found.params, signed: undefined, apiKey: key?.name };
  }

  function prepare(request: IncomingMessage, url: string): { admitted: Admitted; input: Input } | undefined {
    try {
      const admitted = admit(request, url);
      return admitted && { admitted, input: readQuery(admitted.endpoint, admitted.params, request) };
    } catch {
      // The long way finds the same problem and reports it.
      return undefined;
    }
  }

  function begin({ admitted, input }: { admitted: Admitted; input: Input }): Run | undefined {
    try {
      return startRun(ctx.runs, admitted, input, { source: 'http' });
    } catch {
      // Thrown here, it would end the server; the long way meets the same error and answers it.
      return undefined;
    }
  }

  return (request, response) => {
    const url = request.url as string;
    if (request.method !== 'GET' || !url.startsWith(inside)) return false;
    const ready = prepare(request, url);
    if (ready === undefined || !ctx.runs.accepts(ready.admitted.endpoint.route.flow.id)) return false;
    const run = begin(ready);
    if (run === undefined) return false;
    const { admitted } = ready;
    if (answers(response, run, admitted)) return true;
    (request as Handed)[HANDED_OVER] = { admitted, run };
    return false;
  };
}

/** Whether trigger answers may bypass the framework, since none of its hooks has to see them. */
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

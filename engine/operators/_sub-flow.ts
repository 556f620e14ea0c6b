import { isStream } from '#shared/json.ts';
import { z } from 'zod';
import type { Call } from '../base/operator.ts';
import { collectStream } from './_collect.ts';

/** Most items of a called flow's streamed result if a single value is needed. */
const MAX_STREAM_ITEMS = 10_000;

/** The params that say which flow is called. */
export const calledFlow = {
  flow: z
    .string()
    .min(1)
    .max(64)
    .describe('The id of the flow to run; its live version runs.')
    .meta({ widget: 'flow' }),
  trigger: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe('The trigger node to start at; required if the flow has several.')
    .meta({ widget: 'flow-trigger' }),
};

export interface FlowStart {
  readonly flow: string;
  readonly trigger: string | undefined;
  readonly input: unknown;
  readonly key: string;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number | undefined;
}

/**
 * Runs a flow as a part of this run. Returns its result, or a promise of it if that takes more than this turn. A stream is
 * collected.
 */
export function runFlow(call: Call, { signal, ...start }: FlowStart): unknown {
  const result = call.service('flows').run(start, call.asker, signal);
  if (result instanceof Promise) return result.then((value) => whole(value, signal));
  return whole(result, signal);
}

function whole(value: unknown, signal: AbortSignal): unknown {
  return isStream(value) ? collectStream(value, MAX_STREAM_ITEMS, signal) : value;
}

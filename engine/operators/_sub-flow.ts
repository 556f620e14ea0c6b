import { isStream } from '#shared/json.ts';
import { z } from 'zod';
import { type Call, WeftError } from '../base/operator.ts';
import { collectStream } from './_collect.ts';

/** Most items of a called flow's streamed result if a single value is needed. */
const MAX_STREAM_ITEMS = 10_000;

const TOO_LONG = 'take fewer with a node behind it, or collect it there with a higher maxItems';

const flow = z.string().min(1).max(64);
const trigger = z
  .string()
  .min(1)
  .max(64)
  .optional()
  .describe('The trigger node to start at; required if the flow has several.')
  .meta({ widget: 'flow-trigger' });

/** The params that say which flow is called. */
export const calledFlow = {
  flow: flow.describe('The id of the flow to run; its live version runs.').meta({ widget: 'flow' }),
  trigger,
};

/** The same for a node that may have a body in place of it. */
export const calledPart = {
  flow: flow
    .optional()
    .describe('The id of the flow to run; its live version runs. Left out if the node has a body.')
    .meta({ widget: 'flow' }),
  trigger,
};

/** The start of a body as a part of a run. Times are in milliseconds. */
export interface PartStart {
  readonly input: unknown;
  readonly key: string;
  readonly signal: AbortSignal;
  readonly timeoutMs?: number | undefined;
  /** For a loop: which round it is, from 0. */
  readonly round?: number;
  /** Which attempt at the round it is, from 1. */
  readonly attempt?: number;
}

/** The start of a body, or of the named flow where the node has none. */
export interface FlowStart extends PartStart {
  readonly flow: string | undefined;
  readonly trigger: string | undefined;
}

/** Runs the node's body, or else the flow, as a part of this run. Returns as `runFlow`. */
export function runPart(call: Call, start: FlowStart): unknown {
  const { body } = call;
  if (body !== undefined) return whole(body.run(start), start.signal);
  const { flow } = start;
  if (flow !== undefined) return runFlow(call, { ...start, flow });
  throw new WeftError('bad_params', 'There is nothing to run: the node has neither a body nor a flow.', {
    field: 'params.flow',
  });
}

/**
 * Runs a flow as a part of this run. Returns its result, or a promise of it if that takes more than this turn. A stream is
 * collected.
 */
export function runFlow(call: Call, { signal, ...start }: FlowStart & { readonly flow: string }): unknown {
  const { round: index, attempt = 1, ...more } = start;
  const asked = { ...more, ...(index !== undefined && { part: { index, attempt } }) };
  return whole(call.service('flows').run(asked, call.asker, signal), signal);
}

/** Runs the node's body. */
export function runBody(call: Call, start: PartStart): unknown {
  const { body } = call;
  if (body === undefined) throw new WeftError('flow_invalid', `${call.node} has no body.`);
  return whole(body.run(start), start.signal);
}

function whole(result: unknown, signal: AbortSignal): unknown {
  const collected = (value: unknown) =>
    isStream(value) ? collectStream(value, MAX_STREAM_ITEMS, signal, TOO_LONG) : value;
  return result instanceof Promise ? result.then(collected) : collected(result);
}

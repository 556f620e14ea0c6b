import { compile, type Registry } from '#engine';
import type { Flow } from '#shared/flow.ts';
import { expressionTools } from '../../base/adapters/expression-tools.ts';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import { ServiceError } from '../../base/errors/errors.ts';

const ITERATE = 'trigger.iterate';
/** Each item has the limits of its own run; all of them together have a day. */
const ALL_ITEMS_MS = 86_400_000;

/** The flow that a run by hand starts: the flow itself, or one that runs it once for each item. */
export interface Start {
  readonly flow: LiveFlow;
  readonly output: unknown;
}

/**
 * Starts a flow once for each item of a list, if its trigger is made for that, by a flow of two nodes with the flow's
 * id and version: that run is found among the runs of the flow, and the runs of the items below it. Undefined for any
 * other trigger. Throws `invalid_request` without an input.
 */
export function iterationOf(
  flow: LiveFlow,
  trigger: string,
  input: unknown,
  registry: Registry,
): Start | undefined {
  const node = flow.flow.nodes[trigger];
  if (node?.operator !== ITERATE) return undefined;
  if (input === undefined) {
    throw new ServiceError('invalid_request', 'Give the items as `input`: a list, or a single item.', {
      param: 'input',
    });
  }
  const { input: _schema, ...rules } = node.params ?? {};
  const loop = loopFlow(flow.flow, trigger, rules);
  const compiled = compile(loop, flow.version, registry, expressionTools('UTC'));
  const { id, version } = flow;
  return { flow: { id, version, flow: loop, compiled }, output: Array.isArray(input) ? input : [input] };
}

function loopFlow({ id, settings }: Flow, trigger: string, rules: Record<string, unknown>): Flow {
  const each = trigger === 'each' ? 'each_item' : 'each';
  const record = settings?.record;
  return {
    format: 1,
    id,
    nodes: {
      [trigger]: { operator: 'trigger.manual' },
      [each]: {
        operator: 'data.for-each',
        params: { concurrency: 1, ...rules, flow: id, trigger, result: 'pairs' },
      },
    },
    edges: [{ from: `${trigger}.out`, to: `${each}.in` }],
    settings: { timeoutMs: ALL_ITEMS_MS, ...(record && { record }) },
  };
}

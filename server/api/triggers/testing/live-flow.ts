import { normalisePath } from '#engine/check';
import type { CompiledFlow } from '#engine';
import type { FlowSettings } from '#shared/flow.ts';
import type { LiveFlow } from '../../../flows/service/flow-types.ts';
import type { TriggerRoute } from '../../../flows/service/trigger-table.ts';

/** A live flow with one trigger and nothing after it; the fake run hub provides the results of its runs. */
export function liveFlow(
  id: string,
  params: Readonly<Record<string, unknown>> = {},
  settings: FlowSettings = {},
): LiveFlow {
  const version = 'a'.repeat(16);
  const plan = { flow: id, version, trigger: 'trigger', params: withDefaults(params), settings, steps: [] };
  const compiled = { id, version, plans: new Map([['trigger', plan]]) } as unknown as CompiledFlow;
  const nodes = { trigger: { operator: 'trigger.http', params: { ...params } } };
  return { id, version, compiled, flow: { format: 1, id, nodes, edges: [], settings } };
}

/** The params of `trigger.http` with the defaults of its schema. */
function withDefaults(params: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const response = { as: 'json', ...(params['response'] as Record<string, unknown> | undefined) };
  return { methods: ['GET'], auth: 'api-key', accept: ['json'], answer: 'result', ...params, response };
}

/** The route of a flow made by `liveFlow`. */
export function routeOf(flow: LiveFlow): TriggerRoute {
  const params = flow.compiled.plans.get('trigger')?.params ?? {};
  return {
    flow,
    node: 'trigger',
    path: normalisePath((params['path'] as string | undefined) ?? '/'),
    methods: params['methods'] as string[],
  };
}

/** A single route, for tests of the table. */
export function route(flow: string, path: string, methods: readonly string[] = ['GET']): TriggerRoute {
  return routeOf(liveFlow(flow, { path, methods }));
}

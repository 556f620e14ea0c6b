import { flowCalls, flowSchemas, type FlowSignature } from '#engine/check';
import type { Catalog } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import type { Entry } from './entry.ts';
import type { TriggerInfo } from './trigger-routes.ts';

/** What is known of a flow by its id; undefined where no live one has it. */
export type FindFlow = (id: string) => FlowSignature | undefined;

/** Ids of the flows that a flow calls, each once. */
export function calledBy(flow: Flow, catalog: Catalog): string[] {
  return [...new Set(flowCalls(flow, catalog).map((call) => call.flow))];
}

/** What `check` needs of the flows that one leads to, instead of all that there are. */
export function flowsBelow(id: string, calls: readonly string[], find: FindFlow): FlowSignature[] {
  const ids = new Set(calls);
  const found: FlowSignature[] = [];
  for (const next of ids) {
    const flow = next === id ? undefined : find(next);
    if (flow === undefined) continue;
    found.push(flow);
    for (const called of flow.calls ?? []) ids.add(called);
  }
  return found;
}

/** What serves of a flow, as its callers see it. */
export function servedSignature(entry: Entry | undefined, catalog: Catalog): FlowSignature | undefined {
  if (!entry?.serving) return undefined;
  const { triggers, live } = entry.serving;
  return signatureOf(entry.id, live.flow, triggers, catalog);
}

/** A flow as its callers see it; what it takes and gives is worked out when it is first asked for. */
export function signatureOf(
  id: string,
  flow: Flow,
  triggers: readonly Pick<TriggerInfo, 'node'>[],
  catalog: Catalog,
): FlowSignature {
  return {
    id,
    triggers: triggers.map(({ node }) => node),
    calls: calledBy(flow, catalog),
    get schemas() {
      return schemasOf(flow, catalog);
    },
  };
}

const schemas = new WeakMap<Flow, NonNullable<FlowSignature['schemas']>>();

function schemasOf(flow: Flow, catalog: Catalog): NonNullable<FlowSignature['schemas']> {
  const known = schemas.get(flow);
  if (known) return known;
  const found = flowSchemas(flow, catalog);
  schemas.set(flow, found);
  return found;
}

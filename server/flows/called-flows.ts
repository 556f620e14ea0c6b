import { flowCalls, type FlowSignature } from '#engine/check';
import type { Catalog } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import type { Entry } from './entry.ts';

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
  return { id: entry.id, triggers: triggers.map(({ node }) => node), calls: calledBy(live.flow, catalog) };
}

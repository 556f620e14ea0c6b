import { flowCalls, flowSchemas, type FlowSignature } from '#engine/check';
import type { Catalog } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import type { TriggerInfo } from './trigger-routes.ts';

/** A flow as its callers see it. */
export interface CalledFlow extends FlowSignature {
  /** Version of its text, if known: the same version looks the same to callers. */
  readonly version?: string;
}

/** Finds a flow by its id; undefined if no live flow has it. */
export type FindFlow = (id: string) => CalledFlow | undefined;

/** Ids of the flows that a flow calls, each once. */
export function calledBy(flow: Flow, catalog: Catalog): string[] {
  return [...new Set(flowCalls(flow, catalog).map((call) => call.flow))];
}

/** The flows that a flow calls, directly or through others: `check` needs only these. */
export function flowsBelow(id: string, calls: readonly string[], find: FindFlow): CalledFlow[] {
  const ids = new Set(calls);
  const found: CalledFlow[] = [];
  for (const next of ids) {
    const flow = next === id ? undefined : find(next);
    if (flow === undefined) continue;
    found.push(flow);
    for (const called of flow.calls ?? []) ids.add(called);
  }
  return found;
}

/** The parts of a flow's text that its callers see. */
export interface CalledText {
  readonly flow: Flow;
  readonly version: string;
  readonly triggers: readonly Pick<TriggerInfo, 'node'>[];
  readonly calls: readonly string[];
}

/** The signature of a flow; its input and output types are inferred on first use. */
export function signatureOf(id: string, text: CalledText, catalog: Catalog): CalledFlow {
  const { flow, version, triggers, calls } = text;
  return {
    id,
    version,
    triggers: triggers.map(({ node }) => node),
    calls,
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

import { flowCalls, flowSchemas, type FlowSignature } from '#engine/check';
import type { Catalog } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import type { TriggerInfo } from './trigger-routes.ts';

/** A flow as its callers see it. */
export interface CalledFlow extends FlowSignature {
  /** Version of its text, if known: the same version looks the same to callers. */
  readonly version?: string;
  /**
   * Infers `schemas` by these means instead of on first use; present while they are not known and inferring them would
   * take long.
   */
  readonly inferApart?: ((infer: InferSchemas) => Promise<void>) | undefined;
}

type Schemas = NonNullable<FlowSignature['schemas']>;

/** Infers the input and output types of a flow without delaying this thread; undefined if that failed. */
export type InferSchemas = (flow: Flow) => Promise<Schemas | undefined>;

/** Finds a flow by its id; undefined if no live flow has it. */
export type FindFlow = (id: string) => CalledFlow | undefined;

/** Ids of the flows that a flow calls, each once. */
export function calledBy(flow: Flow, catalog: Catalog): string[] {
  return [...new Set(flowCalls(flow, catalog).map((call) => call.flow))];
}

/** Ids of the flows that a check looks at: those that a flow calls, and the one that its failures start. */
export function namedIn(flow: Flow | undefined, calls: readonly string[]): readonly string[] {
  const onFailure = flow?.settings?.onFailure;
  return onFailure === undefined ? calls : [...calls, onFailure];
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

/** Types of flows with more nodes are inferred apart: this many take about 12 ms. */
const LARGE_FLOW = 500;

/** The signature of a flow; its input and output types are inferred on first use, unless that was done apart. */
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
    get inferApart() {
      if (schemas.has(flow) || Object.keys(flow.nodes).length <= LARGE_FLOW) return undefined;
      return async (infer: InferSchemas) => {
        const found = await infer(flow);
        if (found) schemas.set(flow, found);
      };
    },
  };
}

const schemas = new WeakMap<Flow, Schemas>();

function schemasOf(flow: Flow, catalog: Catalog): Schemas {
  const known = schemas.get(flow);
  if (known) return known;
  const found = flowSchemas(flow, catalog);
  schemas.set(flow, found);
  return found;
}

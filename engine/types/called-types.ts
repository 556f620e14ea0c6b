import type { FlowSchemas } from '#shared/flow-schemas.ts';
import type { CheckContext } from '../flow/context.ts';
import { type FlowCall, flowCalls } from '../flow/flow-calls.ts';
import type { RuleFacts } from './apply-rule.ts';
import { fromSchema } from './schema.ts';

/** What is known of the flows that nodes call, by node. */
export function calledTypes(context: CheckContext): ReadonlyMap<string, NonNullable<RuleFacts['called']>> {
  const found = calledSchemas(context).map(
    ([{ node }, schemas]) =>
      [node, { result: fromSchema(schemas.gives), items: fromSchema(schemas.givesItems) }] as const,
  );
  return new Map(found);
}

/** The calls of a flow whose target has known input and result types. */
export function calledSchemas({ flow, catalog, world }: CheckContext): [FlowCall, FlowSchemas][] {
  if (!world.flows?.some((one) => one.id !== flow.id)) return [];
  const known = new Map(world.flows.map((one) => [one.id, one]));
  return flowCalls(flow, catalog).flatMap((call): [FlowCall, FlowSchemas][] => {
    // A flow that calls itself calls the live version, which may differ from this one.
    const { triggers = [], schemas } = (call.flow === flow.id ? undefined : known.get(call.flow)) ?? {};
    const [only, second] = triggers;
    const trigger = call.trigger?.name ?? (second === undefined ? only : undefined);
    const found = trigger === undefined || !schemas ? undefined : schemas[trigger];
    return found ? [[call, found]] : [];
  });
}

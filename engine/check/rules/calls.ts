import { type CheckContext, didYouMean, type FlowSignature, isTrigger } from '../../flow/context.ts';
import { type FlowCall, flowCalls } from '../../flow/flow-calls.ts';

type Known = ReadonlyMap<string, FlowSignature>;

/**
 * The flows that nodes call: whether they exist, where they start, and whether they call this flow again. All of that can
 * change with another flow, so none of it keeps this flow from going live.
 */
export function checkCalls(context: CheckContext): void {
  const { flows } = context.world;
  // Calls in bodies are among those of the flow.
  if (flows === undefined || context.outside) return;
  const known: Known = new Map([
    ...flows.map((one) => [one.id, one] as const),
    [context.flow.id, own(context)],
  ]);
  for (const call of flowCalls(context.flow, context.catalog)) {
    const called = known.get(call.flow);
    if (called === undefined) reportUnknown(context, call, known);
    else {
      checkTrigger(context, call, called);
      checkCircle(context, call, known);
    }
  }
}

/** A flow that calls itself calls the flow that is being checked. */
function own({ flow, catalog, nodes }: CheckContext): FlowSignature {
  const triggers = [...nodes.values()].filter((view) => isTrigger(view) && !view.node.disabled);
  const calls = flowCalls(flow, catalog).map((call) => call.flow);
  return { id: flow.id, triggers: triggers.map(({ id }) => id), calls };
}

function reportUnknown(
  { report, nearest }: CheckContext,
  { node, param, flow }: FlowCall,
  known: Known,
): void {
  report({
    code: 'unknown-flow',
    severity: 'warning',
    message: `No live flow has the id \`${flow}\`, so this node will fail.${didYouMean(nearest(flow, known.keys()))}`,
    node,
    path: ['params', param],
  });
}

function checkTrigger({ report, nearest }: CheckContext, call: FlowCall, { triggers }: FlowSignature): void {
  if (triggers === undefined) return;
  const { node, param, flow, trigger } = call;
  const code = 'ambiguous-trigger';
  if (trigger !== undefined && !triggers.includes(trigger.name)) {
    const meant = didYouMean(nearest(trigger.name, triggers));
    const message = `The flow \`${flow}\` has no trigger \`${trigger.name}\`.${meant}`;
    report({ code, severity: 'warning', message, node, path: ['params', trigger.param] });
  }
  if (trigger !== undefined || triggers.length === 1) return;
  const list = triggers.map((id) => `\`${id}\``).join(', ');
  const message =
    triggers.length === 0
      ? `The flow \`${flow}\` has no trigger to start at.`
      : `The flow \`${flow}\` has several triggers; name the one to start at: ${list}.`;
  report({ code, severity: 'warning', message, node, path: ['params', param] });
}

function checkCircle(
  { flow, report }: CheckContext,
  { node, param, flow: first }: FlowCall,
  known: Known,
): void {
  const way = wayBack(first, flow.id, known);
  if (way === undefined) return;
  const shown = [flow.id, ...way].map((id) => `\`${id}\``).join(' → ');
  report({
    code: 'call-cycle',
    severity: 'warning',
    message: `The flow calls itself: ${shown}. Make sure that this ends before 16 levels.`,
    node,
    path: ['params', param],
  });
}

/** The flows on a shortest chain of calls from one to another, both included. */
function wayBack(from: string, to: string, known: Known): string[] | undefined {
  const before = new Map<string, string | undefined>([[from, undefined]]);
  for (const id of before.keys()) {
    if (id === to) return pathTo(id, before);
    for (const next of known.get(id)?.calls ?? []) if (!before.has(next)) before.set(next, id);
  }
  return undefined;
}

function pathTo(end: string, before: ReadonlyMap<string, string | undefined>): string[] {
  const path: string[] = [];
  for (let id: string | undefined = end; id !== undefined; id = before.get(id)) path.push(id);
  return path.reverse();
}

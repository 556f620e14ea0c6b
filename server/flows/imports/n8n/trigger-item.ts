import type { FlowNode } from '#shared/flow.ts';
import type { Context } from './context.ts';
import { isTrigger } from './loops/cycles.ts';
import { type Port, type Scope, SPREAD } from './graph.ts';
import type { Job } from './job.ts';
import type { Step } from './workflow.ts';

/** A trigger, and an item made of what it gives. */
export function triggered(
  context: Context,
  node: { operator: string; params?: Record<string, unknown> },
  value: string | Record<string, unknown>,
): Port {
  const { step } = context;
  const id = context.add(step.name, node);
  const item = context.add(`${step.name} item`, { operator: 'core.map', params: { value } });
  context.wire(`${id}.out`, `${item}.in`);
  return context.port(item, 'out', {
    card: 'one',
    aligned: new Set([step.name]),
    triggers: new Set([step.name]),
  });
}

/** A trigger that asks a service, what is read and has to hold after it, and the item of what is left. */
export function polledFrom(
  context: Context,
  {
    trigger,
    then,
    when,
    item: value,
  }: {
    readonly trigger: FlowNode;
    readonly then?: FlowNode;
    readonly when?: string;
    readonly item: string | Record<string, unknown>;
  },
): { readonly port: Port; readonly asking: readonly string[] } {
  const { name } = context.step;
  const chain = [context.add(name, trigger)];
  const follow = (hint: string, node: FlowNode, from: string): string => {
    const id = context.add(`${name} ${hint}`, node);
    context.wire(from, `${id}.in`);
    return id;
  };
  let end = `${chain[0]}.out`;
  if (when !== undefined)
    end = `${follow('kind', { operator: 'logic.if', params: { condition: when } }, end)}.then`;
  if (then !== undefined) {
    const read = follow('whole', then, end);
    chain.push(read);
    end = `${read}.out`;
  }
  const item = follow('item', { operator: 'core.map', params: { value } }, end);
  const own = new Set([name]);
  return { port: context.port(item, 'out', { card: 'one', aligned: own, triggers: own }), asking: chain };
}

/** The path of a trigger; characters that none may have are percent-encoded. */
export function pathOf(given: string): string {
  const path = given.replace(/^\/+/, '').replace(/\/+$/, '');
  return `/${path.replaceAll(/[\s?#]|\{\{/g, (sign) => encodeURIComponent(sign))}`;
}

/** Whether a step does something with what leads to it. */
export function needsInput({ convertOf }: Job, step: Step): boolean {
  return convertOf(step.kind) !== undefined && !isTrigger(step);
}

/** A trigger that starts nothing, before a step that nothing leads to: the step stays, and never runs, as in n8n. */
export function unused({ naming, report, unused: all }: Job, scope: Scope, { name, position }: Step): Port {
  const id = naming.id(`${name} unused`);
  all.add(id);
  naming.place(id, { x: position.x * SPREAD - 240, y: position.y * SPREAD });
  scope.nodes.set(id, { operator: 'trigger.manual', disabled: true });
  report.change({
    what: 'wire',
    effect: 'changed',
    node: name,
    after: id,
    message:
      'Nothing leads to it, so it never runs, as there; a trigger that is turned off stands before it.',
  });
  return {
    ref: `${id}.out`,
    expr: `nodes.${id}`,
    card: 'one',
    mayBeEmpty: false,
    aligned: new Set(),
    taken: new Map(),
    triggers: new Set([id]),
    scope,
  };
}

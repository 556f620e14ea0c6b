import type { FlowNode } from '#shared/flow.ts';
import type { Context } from './context.ts';
import type { Port } from './graph.ts';

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

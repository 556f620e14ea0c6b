import type { FlowNode } from '#shared/flow.ts';
import { type Context, createContext } from './context.ts';
import { bodyOf, type Card, createScope, type Port } from './graph.ts';

/** How operators that take one value meet lists of items. */

/** What one operator does for each item: by `each` over a list. */
export function itemwise(
  context: Context,
  input: Port | undefined,
  node: FlowNode,
  { hint = context.step.name, atOnce }: { hint?: string; atOnce?: number } = {},
): string {
  const each = input?.card === 'many' ? { each: atOnce === undefined ? {} : { concurrency: atOnce } } : {};
  const id = context.add(hint, { ...node, ...each });
  if (input) context.wire(input, `${id}.in`);
  return id;
}

/** The list of items of an input, which has at least one. */
export function listPort(context: Context, input: Port | undefined): Port | undefined {
  if (input === undefined) return undefined;
  if (input.card === 'one') {
    const id = context.add(`${context.step.name} list`, {
      operator: 'core.map',
      params: { value: '{{ [input] }}' },
    });
    context.wire(input, `${id}.in`);
    return context.port(id, 'out', { card: 'many', aligned: input.aligned });
  }
  return notEmpty(context, input);
}

/** Nothing runs after a list without items. */
export function notEmpty(context: Context, input: Port): Port {
  if (!input.mayBeEmpty) return input;
  const id = context.add(`${context.step.name} any`, {
    operator: 'logic.if',
    params: { condition: '{{ length(input) > 0 }}' },
  });
  context.wire(input, `${id}.in`);
  return context.port(id, 'then', { card: 'many', aligned: input.aligned });
}

/** A node's answers, each of which may be a list of items, as one list of items; `each` is done with each of them. */
export function spreadItems(
  context: Context,
  from: Port,
  card: Card,
  ...[each, eachGivesList = false]: readonly [each?: string | undefined, eachGivesList?: boolean]
): Port {
  const all = card === 'many' ? 'input' : '[input]';
  const list =
    eachGivesList && each !== undefined
      ? `${all}.map(${each}).flat()`
      : each === undefined
        ? `${all}.flat()`
        : `${all}.flat().map(${each})`;
  const value = `{{ ${list} }}`;
  const always = context.step.settings['alwaysOutputData'] === true;
  const id = context.add(`${context.step.name} items`, {
    operator: 'core.map',
    params: { value: always ? `{{ ifEmpty(${value.slice(3, -3)}, [{ }]) }}` : value },
  });
  context.wire(from, `${id}.in`);
  return context.port(id, 'out', {
    card: 'many',
    mayBeEmpty: !always,
    aligned: new Set([context.step.name]),
  });
}

/** Several nodes for each item: in a body over a list, else as they are. */
export function perItem(context: Context, input: Port, build: (inside: Context, item: Port) => Port): Port {
  if (input.card === 'one') return build(context, input);
  const { step, job } = context;
  const start = job.naming.id(`${step.name} item`);
  const scope = createScope(context.scope, start);
  const item: Port = {
    ...input,
    ref: `${start}.out`,
    expr: `nodes.${start}`,
    card: 'one',
    mayBeEmpty: false,
    scope,
  };
  const inside = createContext(job, step, scope, [[item]]);
  build(inside, item);
  const id = context.add(step.name, {
    operator: 'data.for-each',
    params: { items: '{{ input }}', concurrency: 1 },
    body: bodyOf(scope),
  });
  context.wire(input, `${id}.in`);
  return context.port(id, 'out', { card: 'many', aligned: new Set([...input.aligned, step.name]) });
}

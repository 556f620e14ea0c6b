import type { FlowNode } from '#shared/flow.ts';
import { type Context, createContext } from './context.ts';
import { insertCode } from './code/insert.ts';
import type { Job } from './job.ts';
import {
  bodyOf,
  following,
  type Card,
  createScope,
  type Port,
  fromPlaces,
  itemAt,
  type Scope,
} from './graph.ts';

/** How operators that take one value meet lists of items. */

/** Applies one operator to each item: by `each` over a list. */
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
    return context.port(id, 'out', { card: 'many', ...following(input) });
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
  return context.port(id, 'then', { card: 'many', ...following(input) });
}

/** A node's answers, each of which may be a list of items, as one list of items; `each` is done with each of them. */
export function spreadItems(
  context: Context,
  from: Port,
  card: Card,
  ...[each, eachGivesList = false]: readonly [each?: string | undefined, eachGivesList?: boolean]
): Port {
  if (card === 'many' && isTraced(context)) return spreadPaired(context, from, each, eachGivesList);
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

/** Whether it has to be known which item of a list each item that a step gives came from. */
export function isTraced({ job, step, input }: Context): boolean {
  const port = input();
  return port?.card === 'many' && isReadOf(job, port, job.readAcross(step.name, false));
}

/** Whether nodes are read whose items belong to those of a list, one by one. */
function isReadOf({ given }: Job, list: Port, names: readonly string[]): boolean {
  return names.some((name) => {
    const port = given.get(name)?.item;
    return port?.card === 'many' && itemAt(list, { name, port }, '0') !== undefined;
  });
}

/** The same, with the places of the answers that the items came from. */
function spreadPaired(context: Context, from: Port, each: string | undefined, eachGivesList: boolean): Port {
  const lists =
    eachGivesList && each !== undefined
      ? `input.map(${each}).map((one) => [one].flat())`
      : each === undefined
        ? 'input.map((one) => [one].flat())'
        : `input.map((one) => [one].flat().map(${each}))`;
  return pairedLists(context, from, lists);
}

/** The items of a list of lists, with a node before it that has the place of the list of each. */
export function pairedLists(context: Context, from: Port, lists: string): Port {
  const { step } = context;
  const input = context.input() as Port;
  const always = step.settings['alwaysOutputData'] === true;
  const all = context.add(`${step.name} lists`, {
    operator: 'core.map',
    params: { value: `{{ ${lists} }}` },
  });
  context.wire(from, `${all}.in`);
  const places = context.add(`${step.name} places`, {
    operator: 'core.map',
    params: { value: '{{ input.flatMap((list, place) => list.map((one) => place)) }}' },
  });
  context.wire(`${all}.out`, `${places}.in`);
  const flat = `nodes.${all}.flat()`;
  const id = context.add(`${step.name} items`, {
    operator: 'core.map',
    params: { value: `{{ ${always ? `ifEmpty(${flat}, [{ }])` : flat} }}` },
  });
  context.wire(`${places}.out`, `${id}.in`);
  return context.port(id, 'out', {
    card: 'many',
    mayBeEmpty: !always,
    aligned: new Set([step.name]),
    origin: fromPlaces(input, `nodes.${places}`),
  });
}

/** Several nodes for each item: in a body over a list, else as they are. */
export function perItem(context: Context, input: Port, build: (inside: Context, item: Port) => Port): Port {
  if (input.card === 'one') return build(context, input);
  const { step, job } = context;
  const isCounted = JSON.stringify(step.parameters).includes('$itemIndex');
  const { item, params, scope } = bodyItem(context, input, step.name, isCounted);
  const inside = createContext(job, step, scope, [[item]]);
  build(inside, isCounted ? { ...item, place: `nodes.${scope.start}.index` } : item);
  insertCode(inside);
  const id = context.add(step.name, {
    operator: 'data.for-each',
    params: { items: '{{ input }}', ...params, concurrency: 1 },
    body: bodyOf(scope),
  });
  context.wire(input, `${id}.in`);
  return context.port(id, 'out', { card: 'many', ...following(input, step.name) });
}

interface BodyItem {
  readonly item: Port;
  /** Of the loop. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly scope: Scope;
}

/** The start of a body for each item of a list; it has the place of the item besides, if nodes in the body read it or what belongs to it. */
export function bodyItem(
  { job, step, scope: around }: Context,
  list: Port,
  own?: string,
  isCounted = false,
): BodyItem {
  const start = job.naming.id(`${step.name} item`);
  const scope = createScope(around, start);
  const item: Port = {
    ...list,
    ref: `${start}.out`,
    expr: `nodes.${start}`,
    card: 'one',
    mayBeEmpty: false,
    aligned: new Set(own === undefined ? [] : [own]),
    origin: undefined,
    scope,
  };
  const isRead = isReadOf(job, list, job.readAcross(step.name, true));
  if (!isRead && !isCounted) return { item, params: {}, scope };
  const value = job.naming.id(`${step.name} value`);
  scope.nodes.set(value, { operator: 'core.map', params: { value: '{{ input.item }}' } });
  scope.edges.push({ from: `${start}.out`, to: `${value}.in` });
  return {
    item: {
      ...item,
      ref: `${value}.out`,
      expr: `nodes.${value}`,
      origin: (node) => itemAt(list, node, `nodes.${start}.index`),
    },
    params: { input: { item: '{{ item }}', index: '{{ index }}' } },
    scope,
  };
}

/** The first item of a list, for a node that works once. */
export function firstOf(context: Context, input: Port): Port {
  const list = listPort(context, input) as Port;
  const id = context.add(`${context.step.name} first`, {
    operator: 'core.map',
    params: { value: '{{ input[0] }}' },
  });
  context.wire(list, `${id}.in`);
  return context.port(id, 'out', {
    card: 'one',
    aligned: new Set(),
    taken: input.taken,
    triggers: input.triggers,
  });
}

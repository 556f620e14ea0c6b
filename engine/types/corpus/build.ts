import type { Flow, FlowNode } from '#shared/flow.ts';
import type { ProblemCode } from '#shared/problem.ts';

/** A flow without type errors. */
export interface RightFlow {
  readonly title: string;
  readonly flow: Flow;
}

/** A flow with one mismatch planted in it, and the one problem that reports it. */
export interface WrongFlow extends RightFlow {
  readonly code: ProblemCode;
  readonly severity: 'error' | 'warning';
  /** The node of the problem; undefined for a problem of an edge. */
  readonly node: string | undefined;
  readonly field: string;
}

export type Nodes = Readonly<Record<string, FlowNode>>;

/** Nodes one after the other, the trigger first. */
export function line(nodes: Nodes): Flow {
  const ids = Object.keys(nodes);
  return graph(
    nodes,
    ids.slice(1).map((id, i) => `${ids[i]} > ${id}`),
  );
}

/** `a > b` is an edge from `a.out` to `b.in`. */
export function graph(nodes: Nodes, edges: readonly string[]): Flow {
  const port = (end: string, name: string) => (end.includes('.') ? end : `${end}.${name}`);
  return {
    format: 1,
    id: 'types',
    nodes: { ...nodes },
    edges: edges.map((edge) => {
      const [from = '', to = ''] = edge.split(' > ');
      return { from: port(from, 'out'), to: port(to, 'in') };
    }),
  };
}

export const node = (operator: string, params: Record<string, unknown> = {}): FlowNode => ({
  operator,
  params,
});

/** A request with these fields; a name that ends in `?` may be missing. */
export function request(fields: Readonly<Record<string, unknown>>, more: object = {}): FlowNode {
  const names = Object.keys(fields);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name.replace('?', ''), fields[name]])),
    required: names.filter((name) => !name.endsWith('?')),
    ...more,
  };
  return node('trigger.http', { path: '/types', methods: ['POST'], auth: 'none', request: schema });
}

export const string = { type: 'string' };
export const number = { type: 'number' };
export const integer = { type: 'integer' };
export const boolean = { type: 'boolean' };
export const list = (items: object) => ({ type: 'array', items });
export const record = (properties: object) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
});

export const closed = { additionalProperties: false };
/** The type of the input is unknown. */
export const anything = node('trigger.manual');

export const map = (value: unknown) => node('core.map', { value });
export const template = (text: string) => node('text.template', { template: text });
export const set = (fields: object) => node('data.set', { fields });
export const pick = (fields: readonly string[], missing = 'error') => node('data.pick', { fields, missing });
export const iff = (condition: string) => node('logic.if', { condition });
export const join = (names: readonly string[], value?: unknown) =>
  node('core.join', {
    inputs: names.map((name) => ({ name: name.replace('?', ''), required: !name.endsWith('?') })),
    ...(value !== undefined && { value }),
  });

export const person = request({ name: string, age: integer, adult: boolean, tags: list(string) }, closed);
export const order = request({
  customer: record({ name: string }),
  items: list(record({ sku: string, price: number })),
});
/** Fields that may be missing or null. */
export const loose = request({ 'name?': string, 'age?': { type: ['integer', 'null'] } });
export const parse = node('text.parse-json');
export const merge = node('core.merge');
/** Two branches of the if `i` that meet in `m`. */
export const branches = ['t > i', 'i.then > a', 'i.else > b', 'a > m', 'b > m', 'm > c'];

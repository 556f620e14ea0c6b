import type { Problem, ProblemCode } from '#shared/problem.ts';
import { type AwelData, type AwelEdge, type AwelFlow, type AwelNode } from './awel-flow.ts';

/** A node of DB-GPT with its resources, as the mapping table reads it. */
export interface Original {
  readonly name: string;
  readonly data: AwelData;
  /** A parameter: its value in the file, otherwise the default there; undefined if it has neither. */
  value(name: string): unknown;
  /** The same, if it is a text that is not empty. */
  text(name: string): string | undefined;
  /** The same, if it is a number, or a text that is one. */
  number(name: string): number | undefined;
  flag(name: string): boolean;
  /** The resource connected to a parameter. */
  resource(name: string): Original | undefined;
  readonly resources: readonly Original[];
  /** The names of the operators that its outputs lead to. */
  readonly readers: readonly string[];
}

/** Facts about the whole file, for operators whose counterpart depends on their neighbours. */
export interface FlowFacts {
  has(name: string): boolean;
  /** The id of the flow here. */
  readonly id: string;
}

/** Reports a part of a node that could not be imported. */
export type Note = (code: ProblemCode, message: string, severity?: Problem['severity']) => void;

/** The name of a node's operator: from its description, otherwise from its id. */
export function operatorName(data: AwelData): string {
  const [, fromId] = /^operator_(.+?)___\$\$___/.exec(data.id ?? '') ?? [];
  return data.name || (fromId ?? '');
}

const MAX_NESTED = 20;

/** All nodes of the file by id, with resources attached to the nodes that use them. */
export function originals({ flow_data: { nodes, edges } }: AwelFlow): Map<string, Original> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const wired = Map.groupBy(
    edges.filter((edge) => isResource(byId.get(edge.source))),
    ({ target }) => target,
  );
  const readers = Map.groupBy(
    edges.filter((edge) => !isResource(byId.get(edge.source))),
    ({ source }) => source,
  );
  const readersOf = (id: string): string[] =>
    (readers.get(id) ?? []).flatMap(({ target }) => {
      const node = byId.get(target);
      return node ? [operatorName(node.data)] : [];
    });
  const made = new Map<string, Original>();
  const open = new Set<string>();
  const make = (node: AwelNode): Original => {
    const known = made.get(node.id);
    if (known) return known;
    open.add(node.id);
    const resources = new Map<string, Original>();
    for (const edge of wired.get(node.id) ?? []) {
      const source = byId.get(edge.source);
      // Resources in a cycle belong to no node; real ones are at most three deep.
      if (source && !open.has(source.id) && open.size < MAX_NESTED)
        resources.set(parameterOf(node, edge), make(source));
    }
    open.delete(node.id);
    const original = createOriginal(node.data, resources, readersOf(node.id));
    made.set(node.id, original);
    return original;
  };
  for (const node of nodes) make(node);
  return made;
}

export function isResource(node: AwelNode | undefined): boolean {
  return node?.data.flow_type === 'resource';
}

/** `target_order` of a resource's edge counts all parameters. */
function parameterOf(node: AwelNode, edge: AwelEdge): string {
  return node.data.parameters?.[orderOf(edge, 'target')]?.name ?? '';
}

/** The index of an edge's port: as given, otherwise the number at the end of the handle. */
export function orderOf(edge: AwelEdge, end: 'source' | 'target'): number {
  const given = edge[`${end}_order`];
  if (given !== null && given !== undefined) return given;
  const handle = edge[`${end}_handle`] ?? edge[`${end}Handle`] ?? '';
  const [, number] = /\|(\d{1,4})$/.exec(handle) ?? [];
  return Number(number ?? 0);
}

function createOriginal(
  data: AwelData,
  resources: ReadonlyMap<string, Original>,
  readers: readonly string[],
): Original {
  const value = (name: string): unknown => {
    const parameter = data.parameters?.find((one) => one.name === name);
    return parameter?.value ?? parameter?.default ?? undefined;
  };
  return {
    name: operatorName(data),
    data,
    value,
    text(name) {
      const given = value(name);
      return typeof given === 'string' && given !== '' ? given : undefined;
    },
    number(name) {
      const given = value(name);
      const number = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
      return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
    },
    flag: (name) => isTrue(value(name)),
    resource: (name) => resources.get(name),
    resources: [...resources.values()],
    readers,
  };
}

const FALSE_TEXTS = new Set(['', 'false', '0', 'empty', 'no', 'off']);

/** Truth as DB-GPT reads it. */
function isTrue(value: unknown): boolean {
  return typeof value === 'string' ? !FALSE_TEXTS.has(value.trim().toLowerCase()) : Boolean(value);
}

import { readFileSync } from 'node:fs';

/** A node of DB-GPT, in short: its operator's name, and the values of its parameters. */
export interface ShortNode {
  readonly name: string;
  readonly values?: Readonly<Record<string, unknown>>;
  /** Names of its parameters that resources are connected to. */
  readonly resources?: readonly string[];
  readonly inputs?: readonly string[];
  readonly outputs?: readonly string[];
  readonly isResource?: boolean;
}

export interface ShortFlow {
  readonly nodes: Readonly<Record<string, ShortNode>>;
  /** `a.0 > b.1`: output 0 of a to input (or, from a resource, parameter) 1 of b. */
  readonly edges?: readonly string[];
  readonly more?: Readonly<Record<string, unknown>>;
}

/** DB-GPT's JSON of a flow, as its editor saves it. */
export function originalFlow({ nodes, edges = [], more = {} }: ShortFlow): Record<string, unknown> {
  return {
    uid: '7a10472e-2f1c-48e1-a8f2-6a09c73a3035',
    label: 'Some Flow',
    name: 'some_flow',
    flow_category: 'common',
    state: 'developing',
    version: '0.1.1',
    flow_data: {
      nodes: Object.entries(nodes).map(([id, node], i) => originalNode(id, node, i)),
      edges: edges.map(originalEdge),
      viewport: { x: 0, y: 0, zoom: 0.9 },
    },
    ...more,
  };
}

function originalNode(id: string, node: ShortNode, at: number): object {
  const { name, values = {}, resources = [], inputs = ['in'], outputs = ['out'], isResource } = node;
  const position = { x: at * 500, y: 100, zoom: 0 };
  const common = Object.entries(values).map(([parameter, value]) => ({
    name: parameter,
    category: 'common',
    type_name: 'str',
    default: null,
    value,
  }));
  const wired = resources.map((parameter) => ({ name: parameter, category: 'resource', value: null }));
  return {
    width: 320,
    height: 400,
    id,
    type: 'customNode',
    position,
    position_absolute: position,
    data: {
      label: name,
      name,
      flow_type: isResource ? 'resource' : 'operator',
      id,
      parameters: [...common, ...wired],
      ...(!isResource && { inputs: ports(inputs), outputs: ports(outputs) }),
    },
  };
}

function ports(names: readonly string[]): object[] {
  return names.map((name) => ({ name, label: name, type_name: 'dict' }));
}

function originalEdge(text: string): object {
  const [, source, from, target, to] = /^(.+)\.(\d+) > (.+)\.(\d+)$/.exec(text) as unknown as string[];
  return {
    source,
    source_order: Number(from),
    target,
    target_order: Number(to),
    id: `${source}|${target}`,
    source_handle: `${source}|outputs|${from}`,
    target_handle: `${target}|inputs|${to}`,
    type: 'buttonedge',
  };
}

/** A flow as DB-GPT's server returned it (echo_flow, hello_flow: v0.5.6; simple_streaming_chat: a later one). */
export function corpus(name: 'echo_flow' | 'hello_flow' | 'simple_streaming_chat'): Record<string, unknown> {
  const text = readFileSync(new URL(`corpus/${name}.json`, import.meta.url), 'utf8');
  return JSON.parse(text) as Record<string, unknown>;
}

import { isRecord } from '#shared/json.ts';

/** An app of Dify, read from its file without trusting anything in it. */

export type Fields = Readonly<Record<string, unknown>>;

export interface DifyNode {
  readonly id: string;
  readonly type: string;
  readonly title: string;
  readonly data: Fields;
  /** The iteration or loop that it is in. */
  readonly parent: string | undefined;
  readonly place: { readonly x: number; readonly y: number };
  /** For notes and frames. */
  readonly size: { readonly width?: number; readonly height?: number };
}

export interface DifyEdge {
  readonly from: string;
  /** Which of the ways out of its source it takes; `source` for the only one. */
  readonly handle: string;
  readonly to: string;
}

export interface DifyVariable {
  readonly name: string;
  readonly type: string;
  readonly value: unknown;
}

export interface DifyApp {
  readonly name: string;
  readonly description: string;
  readonly mode: string;
  readonly version: string | undefined;
  readonly nodes: readonly DifyNode[];
  readonly edges: readonly DifyEdge[];
  /** Edges whose ends or form nobody can read. */
  readonly badEdges: number;
  readonly environment: readonly DifyVariable[];
  readonly conversation: readonly DifyVariable[];
  readonly features: Fields;
  /** The settings of an app without a graph. */
  readonly modelConfig: Fields | undefined;
}

export const recordOf = (value: unknown): Fields => (isRecord(value) ? value : {});
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : '';

/** `nodeId`, then names: the address of a variable. */
export const selectorOf = (value: unknown): string[] => listOf(value).map(textOf);

/** More nodes than anybody draws; the graph is read in steps that grow with the square of it. */
export const MOST_NODES = 3000;

export function appOf(value: unknown): DifyApp {
  const file = recordOf(value);
  const about = recordOf(file['app']);
  const workflow = recordOf(file['workflow']);
  const graph = recordOf(workflow['graph']);
  const nodes = uniqueNodes(listOf(graph['nodes']).slice(0, MOST_NODES).map(nodeOf));
  const edges = listOf(graph['edges']).map(edgeOf);
  return {
    name: textOf(about['name']).trim(),
    description: textOf(about['description']),
    mode: textOf(about['mode']),
    version: file['version'] === undefined ? undefined : textOf(file['version']),
    nodes,
    edges: uniqueEdges(edges.filter((edge) => edge !== undefined)),
    badEdges: edges.filter((edge) => edge === undefined).length,
    environment: listOf(workflow['environment_variables']).map(variableOf),
    conversation: listOf(workflow['conversation_variables']).map(variableOf),
    features: recordOf(workflow['features']),
    modelConfig: isRecord(file['model_config']) ? file['model_config'] : undefined,
  };
}

function nodeOf(value: unknown, at: number): DifyNode {
  const node = recordOf(value);
  const data = recordOf(node['data']);
  const outer = textOf(node['type']);
  const type = textOf(data['type']) || (outer === 'custom-note' ? outer : outer.replace(/^custom-/, ''));
  const parent = textOf(node['parentId']) || textOf(data['iteration_id']) || textOf(data['loop_id']);
  const id = textOf(node['id']) || `node ${at + 1}`;
  return {
    id,
    type: outer === 'custom-note' ? outer : type || 'nothing',
    title: textOf(data['title']).trim(),
    data,
    parent: parent === '' || parent === id ? undefined : parent,
    place: placeOf(node),
    size: { ...positive('width', node['width']), ...positive('height', node['height']) },
  };
}

/** The place on the canvas; older files have only the one within the frame. */
function placeOf(node: Fields): DifyNode['place'] {
  const place = recordOf(node['positionAbsolute'] ?? node['position']);
  const at = (one: unknown): number =>
    typeof one === 'number' && Number.isFinite(one) ? Math.min(1e6, Math.max(-1e6, one)) : 0;
  return { x: at(place['x']), y: at(place['y']) };
}

function positive<T extends string>(key: T, value: unknown): { [K in T]?: number } {
  const is = typeof value === 'number' && Number.isFinite(value) && value > 0 && value < 1e5;
  return (is ? { [key]: value } : {}) as { [K in T]?: number };
}

function uniqueNodes(nodes: readonly DifyNode[]): DifyNode[] {
  const seen = new Set<string>();
  return nodes.map((node) => {
    let { id } = node;
    for (let n = 2; seen.has(id); n++) id = `${node.id} (${n})`;
    seen.add(id);
    return id === node.id ? node : { ...node, id };
  });
}

function edgeOf(value: unknown): DifyEdge | undefined {
  const edge = recordOf(value);
  const [from, to] = [textOf(edge['source']), textOf(edge['target'])];
  if (from === '' || to === '') return undefined;
  return { from, handle: textOf(edge['sourceHandle']) || 'source', to };
}

function uniqueEdges(edges: readonly DifyEdge[]): DifyEdge[] {
  return [
    ...new Map(edges.map((edge) => [JSON.stringify([edge.from, edge.handle, edge.to]), edge])).values(),
  ];
}

function variableOf(value: unknown): DifyVariable {
  const variable = recordOf(value);
  return {
    name: textOf(variable['name']),
    type: textOf(variable['value_type']) || 'string',
    value: variable['value'] ?? null,
  };
}

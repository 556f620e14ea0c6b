import { type Catalog, type OperatorInfo, PLAIN_FACTS, withOperators } from '#shared/catalog.ts';
import type { Flow, FlowBody, FlowNode } from '#shared/flow.ts';
import type { Path } from './field-path.ts';

/** The operator that stands for the start of a body. It is in no catalog, so no flow can name it. */
export const BODY_START = 'body.start';

const START: OperatorInfo = {
  type: BODY_START,
  title: 'Start of the body',
  doc: 'The item of a loop, the value so far, or the input.',
  icon: 'play',
  group: 'body',
  params: { type: 'object', properties: {} },
  inputs: [],
  outputs: [{ name: 'out', kind: 'value' }],
  ...PLAIN_FACTS,
  trigger: true,
};

/** Kept by their operators, since a catalog may get others. */
const catalogs = new WeakMap<Catalog['operators'], Catalog>();

/** The catalog for a flow that is a body. */
export function catalogOfBody(catalog: Catalog): Catalog {
  if (Object.hasOwn(catalog.operators, BODY_START)) return catalog;
  const known = catalogs.get(catalog.operators);
  if (known) return known;
  const made = { operators: withOperators(catalog.operators, { [BODY_START]: START }) };
  catalogs.set(catalog.operators, made);
  return made;
}

/** A node anywhere in a flow. */
export interface Placed {
  readonly id: string;
  readonly node: FlowNode;
  /** Where it stands in the flow: `['nodes', 'loop', 'body', 'nodes', 'x']`. */
  readonly path: Path;
  /** The nodes around it, outermost first. */
  readonly within: readonly string[];
}

/** All nodes of a flow, those of bodies behind the node around them. Ids may be there twice; `check` reports that. */
export function* placedNodes(
  nodes: Readonly<Record<string, FlowNode>>,
  above: Path = [],
  within: readonly string[] = [],
): Generator<Placed> {
  for (const [id, node] of Object.entries(nodes)) {
    const path = [...above, 'nodes', id];
    yield { id, node, path, within };
    if (node.body) yield* placedNodes(node.body.nodes, [...path, 'body'], [...within, id]);
  }
}

/** All nodes of a flow by id, those of bodies included. */
export function allNodes(flow: Pick<Flow, 'nodes'>): Readonly<Record<string, FlowNode>> {
  if (!hasBodies(flow)) return flow.nodes;
  return Object.fromEntries([...placedNodes(flow.nodes)].map(({ id, node }) => [id, node]));
}

/** Whether a node of the flow has a body. */
export function hasBodies({ nodes }: Pick<Flow, 'nodes'>): boolean {
  for (const id in nodes) if (nodes[id]?.body) return true;
  return false;
}

/** A body as a flow of its own, whose trigger is its start. Limits of a whole run stay with the flow around it. */
export function flowOfBody(flow: Flow, { start, nodes, edges }: FlowBody): Flow {
  const { timezone, concurrency, maxStreamBuffer } = flow.settings ?? {};
  return {
    format: flow.format,
    id: flow.id,
    nodes: { [start]: { operator: BODY_START }, ...nodes },
    edges,
    settings: {
      ...(timezone !== undefined && { timezone }),
      ...(concurrency !== undefined && { concurrency }),
      ...(maxStreamBuffer !== undefined && { maxStreamBuffer }),
    },
  };
}

/** The nodes with each changed, also those in bodies; the same object if none changes. */
export function mapNodes(
  nodes: Readonly<Record<string, FlowNode>>,
  change: (id: string, node: FlowNode) => FlowNode,
  mapBody: (body: FlowBody) => FlowBody = (body) => body,
): Record<string, FlowNode> {
  let isChanged = false;
  const entries = Object.entries(nodes).map(([id, node]): [string, FlowNode] => {
    let changed = change(id, node);
    if (changed.body) {
      const inner = mapNodes(changed.body.nodes, change, mapBody);
      const body = mapBody(inner === changed.body.nodes ? changed.body : { ...changed.body, nodes: inner });
      if (body !== changed.body) changed = { ...changed, body };
    }
    if (changed !== node) isChanged = true;
    return [id, changed];
  });
  return isChanged ? Object.fromEntries(entries) : (nodes as Record<string, FlowNode>);
}

/** Where a node stands in the flow; undefined if there is none of that id. */
export function pathOfNode(flow: Pick<Flow, 'nodes'>, id: string): Path | undefined {
  if (Object.hasOwn(flow.nodes, id)) return ['nodes', id];
  if (!hasBodies(flow)) return undefined;
  for (const placed of placedNodes(flow.nodes)) if (placed.id === id) return placed.path;
  return undefined;
}

/** The node of the flow itself in whose body, however deep, a node is; the node itself if it is in none. */
export function outermostNode(flow: Pick<Flow, 'nodes'>, id: string): string {
  return String(pathOfNode(flow, id)?.[1] ?? id);
}

/** All ids that nodes and starts of bodies use. */
export function usedIds(flow: Pick<Flow, 'nodes'>): Set<string> {
  const ids = new Set<string>();
  for (const { id, node } of placedNodes(flow.nodes)) {
    ids.add(id);
    if (node.body) ids.add(node.body.start);
  }
  return ids;
}

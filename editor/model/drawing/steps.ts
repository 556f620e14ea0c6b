import type { Catalog } from '#shared/catalog.ts';
import type { FlowEdge } from '#shared/flow.ts';
import type { Doc } from '../document/document.ts';
import { nodeOf, portOf } from '../document/edit.ts';
import { flatDoc, holdersOf, isStart } from '../document/flat.ts';
import { type OperatorData, readFlow } from './node-shapes.ts';

/** A node in the list of steps, which stands for the canvas where there is no room for one. */
export interface Step {
  readonly id: string;
  readonly data: OperatorData;
  /** How many bodies it is in. */
  readonly depth: number;
  /** Where its values come from, such as `Check the amount · large`; empty where that is the step above and nothing else. */
  readonly after: readonly string[];
}

/** The nodes in the order in which they run, those of a body after the node that holds it. Starts of bodies are left out. */
export function stepsOf(nested: Doc, catalog: Catalog): Step[] {
  const { flow } = flatDoc(nested);
  const { shapes } = readFlow(nested, catalog, undefined);
  const into = Map.groupBy(flow.edges, ({ to }) => nodeOf(to));
  const ids = [...shapes.keys()].filter((id) => !isStart(flow.nodes[id]));
  const dataOf = (id: string): OperatorData | undefined => shapes.get(id)?.data;
  return ids.flatMap((id, i) => {
    const data = dataOf(id);
    if (!data) return [];
    const edges = (into.get(id) ?? []).filter(({ from }) => !isStart(flow.nodes[nodeOf(from)]));
    return [{ id, data, depth: holdersOf(flow, id).length, after: afterTexts(edges, ids[i - 1], dataOf) }];
  });
}

function afterTexts(
  edges: readonly FlowEdge[],
  above: string | undefined,
  dataOf: (id: string) => OperatorData | undefined,
): string[] {
  const ways = edges.map(({ from }) => {
    const source = dataOf(nodeOf(from));
    const outputs = source?.ports.filter(({ side }) => side === 'right') ?? [];
    const isOnly = outputs.length === 1;
    const title = source?.title ?? nodeOf(from);
    return { isPlain: isOnly && nodeOf(from) === above, text: isOnly ? title : `${title} · ${portOf(from)}` };
  });
  if (ways.length === 1 && ways[0]?.isPlain) return [];
  return [...new Set(ways.map(({ text }) => text))];
}

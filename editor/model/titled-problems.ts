import type { Catalog } from '#shared/catalog.ts';
import { type Flow, splitPortRef } from '#shared/flow.ts';
import type { Problem } from '#shared/problem.ts';
import { flatFlow, nodeIn } from './document/flat.ts';
import { titleOf } from './document/geometry.ts';

/** Ports of which a node has usually one, so that its title says enough. */
const USUAL: ReadonlySet<string> = new Set(['in', 'out']);
const MOST_LETTERS = 60;

/** The problems of a flow in the words of who draws it: nodes are called by their titles, where files name them by their ids. */
export function titledProblems(
  flow: Flow,
  catalog: Catalog,
  problems: readonly Problem[],
): readonly Problem[] {
  if (!problems.some(({ message }) => message.includes('`'))) return problems;
  const ends = new Set(flatFlow(flow).edges.flatMap(({ from, to }) => [from, to]));
  const call = caller(flow, catalog);
  return problems.map((problem) => {
    const own = ownNodes(problem);
    const message = problem.message.replace(/`([^`]+)`/g, (code, text: string) => {
      if (ends.has(text)) return call(text) ?? code;
      return own.has(text) ? (call(`${text}.in`) ?? code) : code;
    });
    return message === problem.message ? problem : { ...problem, message };
  });
}

/** Nodes that a message can mean by their ids; in one of an expression the same words are names of values. */
function ownNodes({ node, nodes = [], offset }: Problem): ReadonlySet<string> {
  return new Set(offset === undefined ? [...(node === undefined ? [] : [node]), ...nodes] : []);
}

/** The words for a node with one of its ports: with its id too, if another node has the same title. */
function caller(flow: Flow, catalog: Catalog): (end: string) => string | undefined {
  const counts = new Map<string, number>();
  for (const one of Object.values(flatFlow(flow).nodes)) {
    const title = titleOf(one, catalog);
    counts.set(title, (counts.get(title) ?? 0) + 1);
  }
  return (end) => {
    const { node: id, port } = splitPortRef(end);
    const node = nodeIn(flow, id);
    if (!node) return undefined;
    const title = titleOf(node, catalog);
    const more = [(counts.get(title) ?? 0) > 1 && id, !USUAL.has(port) && port].filter(Boolean);
    return `“${shown(title)}”${more.length > 0 ? ` (\`${more.join('.')}\`)` : ''}`;
  };
}

/** In a sentence: short, and without what would begin code. */
function shown(title: string): string {
  const plain = title.replaceAll('`', '’');
  return plain.length > MOST_LETTERS ? `${plain.slice(0, MOST_LETTERS - 1)}…` : plain;
}

import type { Port } from '../graph.ts';
import { lackingIn } from '../code/modules.ts';
import { freeNames, unknownNames } from './nothing.ts';
import { type Reads, Unsayable } from './reads.ts';
import { isReadable } from './templates.ts';

/** Expressions that only JavaScript can say: a node with code before their node works them out. */

export interface Coded {
  /** The name of the node with the code; undefined if there is none. */
  id: string | undefined;
  /** The expressions, which are its fields `e1`, `e2`, …. */
  readonly sources: string[];
  /** The port that leads to the node that reads them. */
  port: Port | undefined;
}

/** Names of n8n that code has here too. */
const KNOWN = new Set([
  '$json',
  '$input',
  '$node',
  '$',
  '$items',
  '$itemIndex',
  '$runIndex',
  '$workflow',
  '$env',
  '$vars',
  '$now',
  '$today',
]);
const OWN_ITEM = /\.item\b|itemMatching|pairedItem/;

/** The expression that reads the value of the code; undefined if code cannot say it either. */
export function saidByCode(
  coded: Coded,
  source: string,
  reads: Reads,
  name: () => string,
): string | undefined {
  const port = reads.from as Port | undefined;
  if (port === undefined || (coded.port !== undefined && coded.port !== port)) return undefined;
  if (!isReadable(source) || !isKnown(source, reads)) return undefined;
  coded.port = port;
  coded.id ??= name();
  const at = coded.sources.push(source);
  return `nodes.${coded.id}${port.card === 'many' ? '?.[index]' : ''}?.[0]?.e${at}`;
}

function isKnown(source: string, reads: Reads): boolean {
  const unknown = new Set(unknownNames(source));
  const names = freeNames(source).filter((name) => name.startsWith('$') && !unknown.has(name));
  if (lackingIn(source).length > 0 || names.some((name) => !KNOWN.has(name))) return false;
  try {
    // Code knows the place of an item in its own list only, and counts no rounds.
    if (source.includes('$itemIndex') && !['index', '0'].includes(reads.index)) return false;
    if (source.includes('$runIndex') && reads.fact('$runIndex') !== '0') return false;
    for (const node of namedNodes(source)) {
      reads.nodeItems(node);
      if (OWN_ITEM.test(source)) reads.nodeItem(node, 'own');
    }
    return true;
  } catch (error) {
    if (error instanceof Unsayable) return false;
    throw error;
  }
}

const NAMED =
  /\$\(\s*(['"`])((?:\\.|(?!\1).)*)\1\s*\)|\$node\[\s*(['"`])((?:\\.|(?!\3).)*)\3\s*\]|\$node\.(\w+)|\$items\(\s*(['"`])((?:\\.|(?!\6).)*)\6/g;

/** The nodes that code reads, by the names that are written in it. */
export function namedNodes(source: string): string[] {
  const names = [...source.matchAll(NAMED)].map(
    (match) => match[2] ?? match[4] ?? match[5] ?? match[7] ?? '',
  );
  return [...new Set(names.map((name) => name.replaceAll(/\\(.)/g, '$1')).filter((name) => name !== ''))];
}

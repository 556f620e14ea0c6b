import type { Node } from './ast.ts';
import { findFunction } from './library.ts';
import { childrenOf } from './nodes.ts';

/** Functions whose result stays the same for a while, though the clock goes on. */
const rounding: ReadonlySet<string> = new Set([
  'startOf',
  'endOf',
  'formatDate',
  'weekday',
  'datePart',
  'isSame',
]);

/** The names of functions in an expression that give something new in each run, such as `now`, unless the time is rounded. */
export function clockReads(ast: Node): string[] {
  if (ast.type === 'call') {
    if (rounding.has(ast.name)) return [];
    const changes = findFunction(ast.name)?.reads !== undefined && ast.name !== 'today';
    return [...(changes ? [ast.name] : []), ...childrenOf(ast).flatMap(clockReads)];
  }
  const isRounded =
    ast.type === 'chain' && ast.links.some((link) => link.kind === 'method' && rounding.has(link.name));
  return isRounded ? [] : childrenOf(ast).flatMap(clockReads);
}

import { type Node, parseTree } from 'jsonc-parser';
import type { Path } from './field-path.ts';

/** A position in a text, 1-based. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Finds a value of a flow in its text; undefined if the text does not have it. */
export type Locate = (path: Path) => Position | undefined;

/**
 * Finds the position of a path's value in a JSON text: its key, or the element of an array. For a path that is not in the
 * text, the nearest enclosing value. The text is parsed again at the first lookup only.
 */
export function sourceMap(text: string): Locate {
  let root: Node | undefined;
  let starts: number[] | undefined;
  const members = new Map<Node, Map<string | number, Node>>();
  return (path) => {
    root ??= parseTree(text, [], { disallowComments: true });
    if (!root) return undefined;
    starts ??= lineStarts(text);
    let at = root;
    let value: Node | undefined = root;
    for (const key of path) {
      const next: Node | undefined = value && membersOf(value, members).get(key);
      if (!next) break;
      at = next;
      value = next.type === 'property' ? next.children?.[1] : next;
    }
    return position(starts, at.offset);
  };
}

function membersOf(node: Node, known: Map<Node, Map<string | number, Node>>): Map<string | number, Node> {
  let found = known.get(node);
  if (found) return found;
  // The last one of repeated keys wins, as in the value.
  found = new Map((node.children ?? []).map((child, i) => [memberKey(node, child, i), child]));
  known.set(node, found);
  return found;
}

function memberKey(parent: Node, child: Node, index: number): string | number {
  return parent.type === 'object' ? String(child.children?.[0]?.value) : index;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (const match of text.matchAll(/\r\n|\n|\r/g)) starts.push(match.index + match[0].length);
  return starts;
}

function position(starts: readonly number[], offset: number): Position {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}

import type { FieldLink } from './ast.ts';
import { isName } from './lexer.ts';
import { findReads } from './reads.ts';
import { scanTemplate } from './template.ts';

/** Renames `nodes.<from>` to `nodes.<to>` in the expressions of a template. */
export function renameNodeInTemplate(text: string, from: string, to: string): string {
  return renameInTemplate(text, ['nodes', from], to);
}

/** The same for many nodes at once, by old id, so that an id can be old and new at the same time. */
export function renameNodesInTemplate(text: string, names: ReadonlyMap<string, string>): string {
  return renameReads(text, (root, [link]) => {
    const to = root === 'nodes' && link ? names.get(link.name) : undefined;
    return to === undefined || !link ? undefined : { link, to };
  });
}

/**
 * Gives the last name of a path such as `nodes.a.out` another name in the expressions of a template. Only real references change;
 * parts that cannot be parsed stay as they are.
 */
export function renameInTemplate(text: string, path: readonly string[], to: string): string {
  const [wanted, ...behind] = path;
  return renameReads(text, (root, names) => {
    const link = names[behind.length - 1];
    return root === wanted && link && behind.every((name, i) => names[i]?.name === name)
      ? { link, to }
      : undefined;
  });
}

/** What replaces the beginning of a read: its root and the first `names` after it. */
export interface ReplacedRead {
  readonly names: number;
  readonly by: string;
}

/** Replaces the beginnings of reads in the expressions of a template; parts that cannot be parsed stay as they are. */
export function replaceReads(
  text: string,
  replaced: (root: string, names: readonly FieldLink[]) => ReplacedRead | undefined,
): string {
  const edits = new Map<number, Edit>();
  for (const part of scanTemplate(text).parts) {
    if (typeof part === 'string') continue;
    for (const { root, names, direct, start } of findReads(part.ast)) {
      const found = direct ? replaced(root, names) : undefined;
      if (!found) continue;
      const end = names[found.names - 1]?.end ?? start + root.length;
      edits.set(part.offset + start, { end: part.offset + end, by: found.by });
    }
  }
  return edited(text, edits);
}

type Renamed = { readonly link: FieldLink; readonly to: string } | undefined;

function renameReads(text: string, renamed: (root: string, names: readonly FieldLink[]) => Renamed): string {
  const edits = new Map<number, Edit>();
  for (const part of scanTemplate(text).parts) {
    if (typeof part === 'string') continue;
    for (const { root, names } of findReads(part.ast)) {
      const found = renamed(root, names);
      if (!found) continue;
      const edit = editOf(found.link, found.to, text.charAt(part.offset + found.link.nameStart));
      edits.set(part.offset + edit.start, { end: part.offset + edit.end, by: edit.by });
    }
  }
  return edited(text, edits);
}

interface Edit {
  readonly end: number;
  readonly by: string;
}

function edited(text: string, edits: ReadonlyMap<number, Edit>): string {
  let result = '';
  let at = 0;
  for (const [start, { end, by }] of [...edits].toSorted(([a], [b]) => a - b)) {
    result += text.slice(at, start) + by;
    at = end;
  }
  return result + text.slice(at);
}

function editOf(link: FieldLink, to: string, first: string): { start: number; end: number; by: string } {
  const { nameStart, nameEnd } = link;
  if (first === '"' || first === "'") {
    const quoted = JSON.stringify(to);
    const by =
      first === '"' ? quoted : `'${quoted.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
    return { start: nameStart, end: nameEnd, by };
  }
  if (isName(to)) return { start: nameStart, end: nameEnd, by: to };
  // A name that cannot follow a dot goes into brackets.
  return { start: link.start, end: link.end, by: `${link.optional ? '?.' : ''}[${JSON.stringify(to)}]` };
}

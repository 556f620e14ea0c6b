import type { FieldLink } from './ast.ts';
import { isName } from './lexer.ts';
import { findReads } from './reads.ts';
import { scanTemplate } from './template.ts';

/** Renames `nodes.<from>` to `nodes.<to>` in the expressions of a template. */
export function renameNodeInTemplate(text: string, from: string, to: string): string {
  return renameInTemplate(text, ['nodes', from], to);
}

/**
 * Gives the last name of a path such as `nodes.a.out` another name in the expressions of a template. Only real references change;
 * parts that can not be parsed stay as they are.
 */
export function renameInTemplate(text: string, path: readonly string[], to: string): string {
  const [wanted, ...behind] = path;
  const edits = new Map<number, { end: number; by: string }>();
  for (const part of scanTemplate(text).parts) {
    if (typeof part === 'string') continue;
    for (const { root, names } of findReads(part.ast)) {
      const last = names[behind.length - 1];
      if (root !== wanted || !last || !behind.every((name, i) => names[i]?.name === name)) continue;
      const edit = editOf(last, to, text.charAt(part.offset + last.nameStart));
      edits.set(part.offset + edit.start, { end: part.offset + edit.end, by: edit.by });
    }
  }
  let result = text;
  // From the end, so that the offsets in front stay true.
  for (const [start, { end, by }] of [...edits].toSorted(([a], [b]) => b - a)) {
    result = result.slice(0, start) + by + result.slice(end);
  }
  return result;
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
  // A name that can not stand behind a dot goes into brackets.
  return { start: link.start, end: link.end, by: `${link.optional ? '?.' : ''}[${JSON.stringify(to)}]` };
}

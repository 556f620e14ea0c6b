import type { Here } from './here.ts';
import { isListKind, type Value } from './write.ts';

/** A variable in a text: `{{#node.name#}}`; older files leave out the node for a few. */
const VARIABLE = /\{\{#([^{}#]{1,400})#\}\}/g;

/** The parts of a text with variables. */
export function partsOf(text: string, value: (selector: readonly string[]) => Value): (string | Value)[] {
  const parts: (string | Value)[] = [];
  let at = 0;
  for (const found of text.matchAll(VARIABLE)) {
    if (found.index > at) parts.push(text.slice(at, found.index));
    parts.push(inText(value((found[1] as string).split('.'))));
    at = found.index + found[0].length;
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
}

/** An empty list is nothing in a text, and neither is what nothing gives. */
function inText(value: Value): Value {
  if (value.expr === '[]' || value.expr === 'null') return { expr: '""', kind: 'text' };
  if (!isListKind(value.kind) || value.kind === 'files') return value;
  return { ...value, expr: `ifEmpty(${value.expr}, "")` };
}

/** The selectors of the variables in a text. */
export function variablesIn(text: string): string[][] {
  return [...text.matchAll(VARIABLE)].map((found) => (found[1] as string).split('.'));
}

const WRITTEN = new Set<Value['kind']>(['list', 'texts', 'numbers', 'record', 'boolean', 'file', 'files']);

/** Notes that a value is written into a text in another way than in Dify. */
export function noteWritten(
  here: Pick<Here, 'note'>,
  parts: readonly (string | Value)[],
  difference: string,
): void {
  if (parts.some((part) => typeof part !== 'string' && WRITTEN.has(part.kind))) here.note(difference);
}

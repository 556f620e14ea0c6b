import { literalText, quoted, readField } from './mapping.ts';

/** `{name}`, or a doubled brace, which stands for one. */
const PLACEHOLDER = /\{\{|\}\}|\{(\w+)\}/g;

/**
 * Converts a prompt template of DB-GPT (Python's format) to one of ours: `{name}` reads a field of `root`, or
 * the expression in `known` for the name.
 */
export function promptText(
  template: string,
  root: string,
  known: Readonly<Record<string, string>> = {},
): string {
  let text = '';
  let end = 0;
  for (const match of template.matchAll(PLACEHOLDER)) {
    text += literalText(template.slice(end, match.index));
    text += replacement(match, root, known);
    end = match.index + match[0].length;
  }
  return text + literalText(template.slice(end));
}

/** The names in a template, each once. */
export function promptNames(template: string): string[] {
  const names = [...template.matchAll(PLACEHOLDER)].map(([, name]) => name);
  return [...new Set(names.filter((name) => name !== undefined))];
}

function replacement(
  [whole, name]: RegExpExecArray,
  root: string,
  known: Readonly<Record<string, string>>,
): string {
  // A brace is written as a value, because beside another one it would start an expression.
  if (name === undefined) return `{{ ${quoted(whole.charAt(0))} }}`;
  return Object.hasOwn(known, name) ? (known[name] as string) : readField(root, [name]);
}

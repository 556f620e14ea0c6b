import { WeftError } from '../base/operator.ts';
import type { Match } from './_regex.ts';

/** A literal text, or a group: by number, 0 for the whole match, or by name. */
type Part = string | { readonly group: number | string };

/**
 * Parses a replacement: text with `$1`, `${name}` and `$$`.
 * @throws WeftError `bad_params` for any other use of `$`.
 */
export function readReplacement(text: string): readonly Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (let at = text.indexOf('$'); at !== -1; at = text.indexOf('$', from)) {
    parts.push(text.slice(from, at));
    const [whole, number, name, dollar] = REFERENCE.exec(text.slice(at, at + 200)) ?? wrong(at);
    parts.push(dollar ?? { group: name ?? Number(number) });
    from = at + whole.length;
  }
  parts.push(text.slice(from));
  return parts;
}

const REFERENCE = /^\$(?:(\d{1,3})|\{(\w+)\}|(\$))/;

function wrong(at: number): never {
  throw new WeftError(
    'bad_params',
    `The replacement has a $ at ${at} that names no group; write $1, \${name}, or $$ for a $.`,
    { field: 'params.replacement' },
  );
}

/** @throws WeftError `bad_params` for a group that the pattern does not have. */
export function expand(parts: readonly Part[], match: Match): string {
  return parts.map((part) => (typeof part === 'string' ? part : groupOf(match, part.group))).join('');
}

function groupOf(match: Match, group: number | string): string {
  if (group === 0) return match.text;
  const found =
    typeof group === 'number'
      ? match.groups[group - 1]
      : Object.hasOwn(match.named, group)
        ? match.named[group]
        : undefined;
  if (found === undefined)
    throw new WeftError('bad_params', `The pattern has no group ${group}.`, { field: 'params.replacement' });
  return found ?? '';
}

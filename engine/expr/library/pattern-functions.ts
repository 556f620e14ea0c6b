import { toText } from '../../base/text.ts';
import { bounded, charge } from '../budget.ts';
import type { PatternMatch } from '../tools.ts';
import { type FunctionEntry, maybeNumber, type Pattern, textOf, wrongType } from './entry.ts';

/** The text, after the steps for searching the pattern in it are taken. */
function searched(value: unknown, pattern: unknown, name: string): [text: string, pattern: Pattern] {
  const text = textOf(value, name);
  const compiled = pattern as Pattern;
  charge(text.length * compiled.cost);
  return [text, compiled];
}

/** The matches. The text is read once for all of them, and each costs a step. */
function* matchesIn(
  value: unknown,
  pattern: unknown,
  name: string,
): Generator<PatternMatch, void, undefined> {
  const [text, { regex }] = searched(value, pattern, name);
  for (const match of regex.matches(text)) {
    charge(1);
    yield match;
  }
}

/** A group by number or name; without one the first group, or the match where the pattern has no groups. */
function groupOf(match: PatternMatch, group: unknown, name: string): string | null {
  if (group === undefined || group === null)
    return match.groups.length > 0 ? (match.groups[0] ?? null) : match.text;
  if (group === 0) return match.text;
  const found =
    typeof group === 'number'
      ? match.groups[group - 1]
      : Object.hasOwn(match.named, textOf(group, name))
        ? match.named[group as string]
        : undefined;
  return found === undefined ? wrongType(`The pattern of \`${name}\` has no group ${toText(group)}.`) : found;
}

const REFERENCE = /\$(?:(\d{1,3})|\{(\w{1,100})\}|(\$)|)/g;

/** `$1`, `${name}` and `$$` in a replacement; any other `$` is an error, since it names no group. */
function expanded(by: string, match: PatternMatch): string {
  if (!by.includes('$')) return by;
  return by.replace(REFERENCE, (_, number?: string, name?: string, dollar?: string) => {
    if (dollar !== undefined) return dollar;
    if (number === undefined && name === undefined)
      wrongType(
        'A `$` in the replacement of `replace` names a group: write `$1`, `${name}`, or `$$` for a `$`.',
      );
    return groupOf(match, number === undefined ? name : Number(number), 'replace') ?? '';
  });
}

function replaceMatches(value: unknown, pattern: unknown, by: string, most: number): string {
  const text = textOf(value, 'replace');
  let out = '';
  let from = 0;
  let left = most;
  if (left > 0) {
    for (const match of matchesIn(text, pattern, 'replace')) {
      out = bounded(out + text.slice(from, match.index) + expanded(by, match));
      from = match.index + match.text.length;
      if (--left <= 0) break;
    }
  }
  return bounded(out + text.slice(from));
}

function splitAtMatches(text: string, pattern: unknown): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (const match of matchesIn(text, pattern, 'splitBy')) {
    // An empty match parts characters, and gives nothing at both ends.
    if (match.text === '' && (match.index === from || match.index === text.length)) continue;
    pieces.push(text.slice(from, match.index));
    from = match.index + match.text.length;
  }
  return [...pieces, text.slice(from)];
}

/** Functions with regular expressions in RE2's syntax, which take linear time. */
export const patternFunctions: Readonly<Record<string, FunctionEntry>> = {
  matches: {
    signature: 'matches(text, pattern)',
    doc: 'Whether a regular expression matches somewhere in the text.',
    returns: 'boolean',
    takes: ['string', 'string'],
    pattern: 1,
    run: (value, pattern) => {
      const [text, { regex }] = searched(value, pattern, 'matches');
      return regex.test(text);
    },
  },
  extract: {
    signature: 'extract(text, pattern, group?)',
    doc: 'The first match of a regular expression in the text, or null: its first group if it has groups, or the group with this number or name; 0 is the whole match.',
    returns: 'string or null',
    takes: ['string', 'string'],
    pattern: 1,
    run: (text, pattern, group) => {
      for (const match of matchesIn(text, pattern, 'extract')) return groupOf(match, group, 'extract');
      return null;
    },
  },
  extractAll: {
    signature: 'extractAll(text, pattern, group?)',
    doc: 'All matches of a regular expression in the text, as a list; the group as in `extract`.',
    returns: 'array',
    takes: ['string', 'string'],
    pattern: 1,
    run: (text, pattern, group) =>
      Array.from(matchesIn(text, pattern, 'extractAll'), (match) => groupOf(match, group, 'extractAll')),
  },
  splitBy: {
    signature: 'splitBy(text, pattern)',
    doc: 'The pieces between the matches of a regular expression, as an array.',
    returns: 'strings',
    takes: ['string', 'string'],
    pattern: 1,
    run: (text, pattern) => splitAtMatches(textOf(text, 'splitBy'), pattern),
  },
  replace: {
    signature: 'replace(text, pattern, with, most?)',
    doc: 'The text with all matches of a regular expression replaced, or the first `most` of them; `$1` is the first group, `${name}` a named one, `$0` the match, and `$$` a dollar sign.',
    returns: 'string',
    takes: ['string', 'string', 'string', 'number'],
    pattern: 1,
    run: (text, pattern, by, most) =>
      replaceMatches(
        text,
        pattern,
        textOf(by, 'replace'),
        maybeNumber(most, 'replace') ?? Number.POSITIVE_INFINITY,
      ),
  },
};

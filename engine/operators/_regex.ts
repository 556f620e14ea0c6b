import { RE2JS } from 're2js';
import { WeftError } from '../base/operator.ts';

/** Flags of a pattern. */
export interface RegexFlags {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
}

/** One match in a text. Groups that did not take part are null. */
export interface Match {
  text: string;
  /** Start and end of the match, in UTF-16 units. */
  index: number;
  end: number;
  groups: (string | null)[];
  named: Record<string, string | null>;
}

/** Longest text to search: a search takes time in proportion to it, and cannot be interrupted. */
export const MAX_SEARCHED = 1_000_000;
/** Text length times pattern size; the limit is half a second on a slow machine. */
const MAX_WORK = 20_000_000;
/** Pattern length times the number of repetitions of its parts, with counts written out. */
const MAX_PATTERN_SIZE = 20_000;

/** Patterns compile in milliseconds and are usually used again; the same pattern always compiles to the same result. */
const compiled = new Map<string, RE2JS>();
const KEPT = 200;

/**
 * Compiles a pattern in RE2's syntax, which takes linear time whatever the pattern: no back-references, no look-around.
 * @throws WeftError `bad_params` with what is wrong with it.
 */
export function compileRegex(pattern: string, flags: RegexFlags): RE2JS {
  const bits =
    (flags.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0) |
    (flags.multiline ? RE2JS.MULTILINE : 0) |
    (flags.dotAll ? RE2JS.DOTALL : 0);
  const key = `${bits}:${pattern}`;
  const known = compiled.get(key);
  if (known) return known;
  if (pattern.length * repetitionsIn(pattern) > MAX_PATTERN_SIZE) {
    throw badPattern('it is too large; use smaller counts');
  }
  try {
    const regex = RE2JS.compile(pattern, bits);
    if (compiled.size === KEPT) compiled.delete(compiled.keys().next().value as string);
    compiled.set(key, regex);
    return regex;
  } catch (error) {
    throw badPattern(error instanceof Error ? error.message : 'it is not valid');
  }
}

/** All matches from left to right; each is searched on demand. */
export function* matchesIn(regex: RE2JS, text: string): Generator<Match, void, undefined> {
  checkWork(regex, text);
  const matcher = regex.matcher(text);
  while (matcher.find()) {
    yield {
      text: matcher.group() ?? '',
      index: matcher.start(),
      end: matcher.end(),
      groups: Array.from({ length: matcher.groupCount() }, (_, i) => matcher.group(i + 1)),
      named: { ...matcher.getNamedGroups() },
    };
  }
}

export function isMatch(regex: RE2JS, text: string): boolean {
  checkWork(regex, text);
  return regex.test(text);
}

function checkWork(regex: RE2JS, text: string): void {
  if (text.length <= MAX_SEARCHED && text.length * regex.programSize() <= MAX_WORK) return;
  throw new WeftError(
    'value_too_large',
    `The text is too long for this pattern (at most ${MAX_SEARCHED} characters, fewer for a large pattern); split it first.`,
  );
}

/** How often parts of the pattern can repeat once counts are written out, as engines do; the count stops at 1000. */
function repetitionsIn(pattern: string): number {
  let product = 1;
  for (const [, from = '', to = ''] of pattern.matchAll(/\{([0-9]{1,4}),?([0-9]{0,4})\}/g)) {
    product = Math.min(1000, product * Math.max(1, Number(from), Number(to)));
  }
  return product;
}

function badPattern(why: string): WeftError {
  return new WeftError('bad_params', `The pattern is not a regular expression in RE2's syntax: ${why}.`, {
    field: 'params.pattern',
  });
}

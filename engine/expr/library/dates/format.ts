import { textOf } from '../entry.ts';
import { badDate } from './zone.ts';

const tokens: ReadonlySet<string> = new Set(
  `S SSS u uu uuu s ss m mm h hh H HH Z ZZ ZZZ ZZZZ ZZZZZ z a d dd E EEE EEEE EEEEE c ccc cccc ccccc L LL LLL LLLL LLLLL
  M MM MMM MMMM MMMMM y yy yyyy yyyyyy G GG GGGGG kk kkkk W WW o ooo n nn ii iiii q qq X x
  D DD DDD DDDD t tt ttt tttt T TT TTT TTTT f ff fff ffff F FF FFF FFFF`.split(/\s+/),
);

/** Tokens of other libraries, and what they are here. */
const meant: Readonly<Record<string, string>> = {
  YYYY: 'yyyy',
  YY: 'yy',
  Y: 'yyyy',
  A: 'a',
  DD: 'dd',
  D: 'd',
  dddd: 'cccc',
  ddd: 'ccc',
  SS: 'SSS',
  Do: 'd',
};

/** A format of dates as a template names it. */
export interface Format {
  readonly text: string;
  /** A text in this format says which year it is. */
  readonly hasYear: boolean;
  /** A text in this format says how far it is from UTC. */
  readonly hasOffset: boolean;
}

const MOST_KEPT = 500;
const LONGEST = 200;
const kept = new Map<string, Format>();

/**
 * A format whose letters all mean something. Luxon would write the others as they are: `YYYY-MM-DD`, as other libraries have it, would
 * give a wrong date without a word.
 */
export function formatOf(value: unknown, name: string): Format {
  const text = textOf(value, name);
  const known = kept.get(text);
  if (known) return known;
  if (text.length > LONGEST || text.trim() === '')
    badDate(`A format of \`${name}\` has 1 to ${LONGEST} characters, like yyyy-MM-dd HH:mm.`);
  const found = tokensIn(text);
  const wrong = found.find((token) => !tokens.has(token)) ?? mixedMacro(found);
  if (wrong !== undefined) unknownToken(wrong);
  const has = (start: RegExp) => found.some((token) => start.test(token));
  const format = { text, hasYear: has(/^(?:y|kk|ii|[XxDfF])/), hasOffset: has(/^[ZzXx]/) };
  if (kept.size < MOST_KEPT) kept.set(text, format);
  return format;
}

/** Runs of one letter, without texts in single quotes. */
function tokensIn(format: string): string[] {
  return format.replace(/'[^']*'/g, ' ').match(/([A-Za-z])\1*/g) ?? [];
}

/** `DD` is a whole date in the words of a language; beside other parts of a date, the day was meant. */
function mixedMacro(found: readonly string[]): string | undefined {
  return found.some((token) => /^[yMLd]/.test(token))
    ? found.find((token) => /^D{1,2}$/.test(token))
    : undefined;
}

function unknownToken(token: string): never {
  const better = meant[token];
  const instead = better === undefined ? 'put it in single quotes if it is text' : `write \`${better}\``;
  return badDate(`\`${token}\` in a format is no part of a date: ${instead}.`);
}

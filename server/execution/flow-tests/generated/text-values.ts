import { formats } from '../../../base/requests/formats.ts';

/** Numbers from 0 (inclusive) to 1, the same for the same seed. */
export type Chance = () => number;

export const pick = <T>(chance: Chance, list: readonly T[]): T =>
  list[Math.floor(chance() * list.length)] as T;
export const upTo = (chance: Chance, most: number): number => Math.floor(chance() * (most + 1));

/** Texts that programs often handle wrongly. */
const EDGES = [
  '',
  ' ',
  '0',
  '-1',
  'null',
  'true',
  'NaN',
  'é',
  'ß',
  'İ',
  '👍🏽',
  'a\u0301',
  '绿茶',
  'שלום',
  '\u202E',
  '\n',
  '\t',
  "O'Brien",
  '"',
  '\\',
  '<b>&amp;',
  '{{ input }}',
  '${x}',
  '%00',
  '../../..',
  '__proto__',
  'toString',
  '1e309',
  '2024-02-30',
  'A'.repeat(300),
];
const WORDS = ['a', 'apple', 'Ada Lovelace', 'Zürich', '42', 'x y z', 'hello world', 'lower-case', 'UPPER'];

const OF_FORMAT: Readonly<Record<string, readonly string[]>> = {
  email: ['a@b.co', 'ada+tag@example.com', "o'brien@mail.example.org"],
  uri: ['https://example.com', 'http://localhost:8080/a?b=c#d', 'urn:isbn:0451450523', 'mailto:a@b.co'],
  uuid: [
    '00000000-0000-0000-0000-000000000000',
    '123e4567-e89b-12d3-a456-426614174000',
    'FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF',
  ],
  date: ['2026-01-01', '2024-02-29', '1969-12-31', '0001-01-01', '9999-12-31'],
  time: ['00:00:00Z', '23:59:59Z', '12:30:00.5+02:00'],
  'date-time': [
    '2026-01-01T00:00:00Z',
    '2024-02-29T23:59:59.999+14:00',
    '1969-12-31T23:59:59Z',
    '9999-12-31T23:59:59Z',
  ],
  ipv4: ['0.0.0.0', '127.0.0.1', '255.255.255.255'],
  ipv6: ['::', '::1', '2001:db8::ff00:42:8329'],
};

interface TextRules {
  readonly min: number;
  readonly max: number;
  readonly format?: unknown;
  readonly pattern?: unknown;
}

/** A text for these rules; the caller must check it, because rules may exclude each other. */
export function textFor({ min, max, format, pattern }: TextRules, chance: Chance): string {
  if (typeof pattern === 'string') return fromPattern(pattern, chance);
  if (typeof format === 'string' && Object.hasOwn(formats, format))
    return pick(chance, OF_FORMAT[format] ?? ['']);
  const least = Math.min(min, LONGEST);
  if (chance() < 0.15) return 'a'.repeat(least);
  const text = chance() < 0.5 ? pick(chance, EDGES) : pick(chance, WORDS);
  const characters = Array.from(text);
  if (characters.length < least) return text.padEnd(text.length + least - characters.length, 'a');
  return characters.slice(0, max).join('');
}

/** The longest generated text, in characters: a schema that needs a longer one refuses it, and needs an example. */
const LONGEST = 20_000;

/** The number of repetitions of a part that may repeat without limit. */
const MORE = 3;

/** A text that matches a pattern. Unsupported parts (look-around, names of scripts) are taken literally. */
export function fromPattern(pattern: string, chance: Chance): string {
  const reader = { signs: Array.from(pattern), at: 0, left: LONGEST, chance };
  return alternation(reader);
}

interface Reader {
  readonly signs: readonly string[];
  at: number;
  /** The number of repetitions that may still be made. */
  left: number;
  readonly chance: Chance;
}

function alternation(reader: Reader): string {
  const all = [sequence(reader)];
  while (reader.signs[reader.at] === '|') {
    reader.at++;
    all.push(sequence(reader));
  }
  return pick(reader.chance, all);
}

function sequence(reader: Reader): string {
  let text = '';
  for (;;) {
    const sign = reader.signs[reader.at];
    if (sign === undefined || sign === '|' || sign === ')') return text;
    const begin = reader.at;
    let piece = atom(reader);
    const [least, most] = times(reader);
    const end = reader.at;
    const wanted = least + upTo(reader.chance, most - least);
    if (wanted === 0) piece = '';
    for (let n = 1; n < wanted && reader.left-- > 0; n++) {
      // A new one each time.
      reader.at = begin;
      piece += atom(reader);
    }
    reader.at = end;
    text += piece;
  }
}

const CLASSES: Readonly<Record<string, string>> = {
  d: '0189',
  w: 'aZ_9',
  s: ' \t',
  D: 'ax-',
  W: ' -!',
  S: 'aZ9',
  b: '',
  B: '',
};
const SIGNS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f', v: '\v', '0': '\0' };

function atom(reader: Reader): string {
  const { signs, chance } = reader;
  const sign = signs[reader.at++] as string;
  if (sign === '^' || sign === '$') return '';
  if (sign === '.') return pick(chance, ['a', 'Z', '0', ' ', 'é', '-']);
  if (sign === '[') return oneOfClass(reader);
  if (sign === '\\') {
    const escaped = signs[reader.at++] ?? '\\';
    const list = CLASSES[escaped];
    if (list !== undefined) return list === '' ? '' : pick(chance, Array.from(list));
    return SIGNS[escaped] ?? escaped;
  }
  return sign === '(' ? group(reader) : sign;
}

function group(reader: Reader): string {
  const { signs } = reader;
  if (signs[reader.at] === '?')
    while (reader.at < signs.length && !/[:>]/.test(signs[reader.at++] as string));
  const inner = alternation(reader);
  reader.at++;
  return inner;
}

function oneOfClass(reader: Reader): string {
  const { signs, chance } = reader;
  const isNot = signs[reader.at] === '^';
  if (isNot) reader.at++;
  const ranges = rangesOf(reader);
  if (isNot) {
    const others = Array.from('aZ0 -_.!é').filter((one) =>
      ranges.every(([from, to]) => codeOf(one) < from || codeOf(one) > to),
    );
    return pick(chance, others.length > 0 ? others : ['\u2603']);
  }
  const [from, to] = pick(chance, ranges);
  return String.fromCodePoint(pick(chance, [from, to, from + upTo(chance, to - from)]));
}

/** Reads up to the end of the class. */
function rangesOf(reader: Reader): [from: number, to: number][] {
  const { signs } = reader;
  const ranges: [number, number][] = [];
  for (let first = true; reader.at < signs.length && (first || signs[reader.at] !== ']'); first = false) {
    const from = classSign(reader);
    const isRange = signs[reader.at] === '-' && signs[reader.at + 1] !== ']' && from.length === 1;
    if (isRange) reader.at++;
    const to = isRange ? classSign(reader) : from;
    if (isRange) ranges.push([codeOf(from[0]), codeOf(to[0])]);
    else for (const one of from) ranges.push([codeOf(one), codeOf(one)]);
  }
  reader.at++;
  return ranges;
}

function classSign(reader: Reader): string[] {
  const sign = reader.signs[reader.at++] as string;
  if (sign !== '\\') return [sign];
  const escaped = reader.signs[reader.at++] ?? '\\';
  const list = CLASSES[escaped];
  return list ? Array.from(list) : [SIGNS[escaped] ?? escaped];
}

function codeOf(sign: string | undefined): number {
  return sign?.codePointAt(0) ?? 0;
}

function times(reader: Reader): [least: number, most: number] {
  const rest = reader.signs.slice(reader.at, reader.at + 16).join('');
  const found = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(rest);
  if (found === null) return [1, 1];
  reader.at += found[0].length;
  const [sign, least, comma, most] = [found[0][0], found[1], found[2], found[3]];
  if (sign === '?') return [0, 1];
  if (sign === '*') return [0, MORE];
  if (sign === '+') return [1, 1 + MORE];
  const from = Number(least);
  return [from, comma === '' ? from : most === '' ? from + MORE : Number(most)];
}

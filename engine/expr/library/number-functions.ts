import { charge } from '../budget.ts';
import { isRecord } from '#shared/json.ts';
import { type FunctionEntry, numberOf, textOf, wrongType } from './entry.ts';

const NUMBER = { returns: 'number', takes: ['number'] } as const;

const MOST_KEPT = 100;
const formats = new Map<string, Intl.NumberFormat>();

/** Steps for writing a number as a language does; a new format costs more. */
const COST = 10;
const NEW_FORMAT = 200;

function numberFormat(locale: string, options: Readonly<Record<string, unknown>>): Intl.NumberFormat {
  const key = JSON.stringify([locale, options]);
  const known = formats.get(key);
  if (known) return known;
  charge(NEW_FORMAT);
  try {
    const made = new Intl.NumberFormat(locale, options as Intl.NumberFormatOptions);
    if (formats.size >= MOST_KEPT) formats.delete(formats.keys().next().value as string);
    formats.set(key, made);
    return made;
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it is not valid';
    return wrongType(
      `\`formatNumber\` needs a language like de or pt-BR and options like { minimumFractionDigits: 2 }: ${why}.`,
    );
  }
}

function formatNumber(value: unknown, locale: unknown, options: unknown): string {
  charge(COST);
  const number = numberOf(value, 'formatNumber');
  const given = options ?? {};
  if (!isRecord(given))
    wrongType('`formatNumber` needs its options as an object, like { style: "percent" }.');
  return numberFormat(textOf(locale ?? 'en-US', 'formatNumber'), given).format(number);
}

/** Functions over numbers. */
export const numberFunctions: Readonly<Record<string, FunctionEntry>> = {
  pow: {
    signature: 'pow(base, exponent)',
    doc: 'The base to the power of the exponent.',
    returns: 'number',
    takes: ['number', 'number'],
    run: (base, exponent) => numberOf(base, 'pow') ** numberOf(exponent, 'pow'),
  },
  sqrt: {
    signature: 'sqrt(number)',
    doc: 'The square root.',
    ...NUMBER,
    run: (value) => Math.sqrt(numberOf(value, 'sqrt')),
  },
  log: {
    signature: 'log(number, base?)',
    doc: 'The natural logarithm, or that to a base.',
    returns: 'number',
    takes: ['number', 'number'],
    run: (value, base) => {
      const number = numberOf(value, 'log');
      if (base === undefined || base === null) return Math.log(number);
      if (base === 10) return Math.log10(number);
      return base === 2 ? Math.log2(number) : Math.log(number) / Math.log(numberOf(base, 'log'));
    },
  },
  sign: {
    signature: 'sign(number)',
    doc: 'Whether a number is positive (1), negative (-1) or neither (0).',
    ...NUMBER,
    run: (value) => Math.sign(numberOf(value, 'sign')),
  },
  random: {
    signature: 'random()',
    doc: 'A number by chance, from 0 to below 1, another at each reading.',
    returns: 'number',
    reads: 'random',
    run: (random) => random,
  },
  randomInt: {
    signature: 'randomInt(from, to)',
    doc: 'A whole number by chance, from `from` to `to`, both included.',
    returns: 'number',
    takes: ['number', 'number'],
    reads: 'random',
    run: (random, from, to) => {
      const [low, high] = [Math.ceil(numberOf(from, 'randomInt')), Math.floor(numberOf(to, 'randomInt'))];
      if (!(high >= low)) wrongType('`randomInt` needs a range with a whole number in it.');
      return low + Math.floor((random as number) * (high - low + 1));
    },
  },
  formatNumber: {
    signature: 'formatNumber(number, locale?, options?)',
    doc: 'The number as people of a language write it, with options of Intl.NumberFormat: `formatNumber(1234.5, "de", { style: "currency", currency: "EUR" })`.',
    returns: 'string',
    takes: ['number', 'string', 'object'],
    run: formatNumber,
  },
};

/** Those that are methods of numbers too, with those of `valueFunctions`. */
export const numberMethodNames: readonly string[] = ['formatNumber', 'round', 'floor', 'ceil', 'abs'];

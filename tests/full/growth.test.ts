import { describe, expect, test } from 'vitest';
import { languageParsers } from './growth/language-parsers.ts';
import { faults, type Parser } from './growth/measure.ts';
import { textParsers } from './growth/text-parsers.ts';
import { webParsers } from './growth/web-parsers.ts';

/*
 * Whoever sends a text must not choose how long the server works for it: all that reads foreign text costs no more than its
 * length, whatever is repeated or nested in it.
 */
const MINUTES = 60_000;

function steps(count: number): number {
  let hash = 1;
  for (let n = 0; n < count; n++) hash = Math.imul(hash ^ n, 0x01000193);
  return hash;
}

describe.each([
  ['the web', webParsers],
  ['texts', textParsers],
  ['languages', languageParsers],
] as [string, readonly Parser[]][])('%s', (_room, parsers) => {
  test.each(parsers.map((parser) => [parser.name, parser] as const))(
    'the cost of %s grows with their length',
    { timeout: 5 * MINUTES },
    async (_name, parser) => expect(await faults(parser)).toEqual([]),
  );
});

test('a cost that grows with the square, or doubles, is found', { timeout: 2 * MINUTES }, async () => {
  const square = { name: 'square', tokens: ['a', 'b'], read: (text: string) => /a+c/.exec(text) };
  const doubling = {
    name: 'doubling',
    tokens: ['a', 'b'],
    read: (text: string) => steps(2 ** Math.min(text.length / 2, 28)),
  };
  const deep = (text: string): number => (text === '' ? 0 : 1 + deep(text.slice(1)));
  expect(await faults(square)).not.toEqual([]);
  expect(await faults(doubling)).not.toEqual([]);
  await expect(faults({ name: 'deep', tokens: ['a'], read: deep })).rejects.toThrow('call stack');
});

import { describe, expect, test } from 'vitest';
import { fc } from '../../../tests/support/property.ts';
import { readInSlices } from './read-in-slices.ts';

/** A value, or `wrong`. */
const plainly = (text: string): unknown => {
  try {
    return [JSON.parse(text)];
  } catch {
    return 'wrong';
  }
};
function endOf(body: Buffer, from: number): number {
  let at = from;
  while (at < body.length && body[at] !== 0x22) at += body[at] === 0x5c ? 2 : 1;
  return at;
}

const sliced = (text: string, slice: number): Promise<unknown> =>
  readInSlices(Buffer.from(text), { endOf, check() {}, slice }).then(
    (value) => [value],
    () => 'wrong',
  );

describe('JSON read in slices', () => {
  test('has the value that JSON.parse has', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.json({ maxDepth: 6 }).filter((text) => !text.includes('__proto__')),
        fc.constantFrom(0, 2, '\t'),
        fc.integer({ min: 1, max: 40 }),
        async (text, space, slice) => {
          const spaced = JSON.stringify(JSON.parse(text), null, space);
          expect(await sliced(spaced, slice)).toEqual(plainly(spaced));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('is refused where JSON.parse refuses it', async () => {
    const piece = fc.constantFrom(
      '[',
      ']',
      '{',
      '}',
      ',',
      ':',
      '"a"',
      '"\\"',
      '"\\\\"',
      '1',
      ' ',
      'null',
      '"b":',
      '[1,2],',
      '"}"',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { maxLength: 14 }),
        fc.integer({ min: 0, max: 4 }),
        async (pieces, slice) => {
          for (const text of [
            pieces.join(''),
            `[${pieces.join('')}]`,
            `{"x":${pieces.join('')}}`,
            `[[1,2,3],${pieces.join('')}[4,5,6]]`,
          ])
            expect([text, await sliced(text, slice)]).toEqual([text, plainly(text)]);
        },
      ),
      { numRuns: 3000 },
    );
  });

  test.each([
    '[1,2,3,]',
    '[,1,2]',
    '[1,,2,3]',
    '[[1,2,3],]',
    '[[1,2,3]4]',
    '[[1,2,3] ,5,]',
    '{"a":[1,2,3],}',
    '{"a":[1,2,3] "b":1}',
    '{"a" [1,2,3]}',
    '{"a":1,"b":2,,}',
    '{,"a":[1,2,3]}',
    '{"c":1 "a":[1,2,3]}',
    '{"a":1[1,2,3]}',
    '{"a":-[1,2,3]}',
    '{"a":1e[1,2,3]}',
    '[1,2,3]]',
    '[1,2,3] x',
    'x [1,2,3]',
    '[1,2,3}',
    '["a',
    '["a\\"]',
    '[[1,2,3][4,5,6]]',
    '{"a":1,"a":[1,2,3],"a":{"b":2}}',
    '[     ]',
    '{      }',
    '[[     ]]',
    '\uFEFF[1,2,3,4]',
    '[1,2,3,4]\uFEFF',
    '{"":[1,2,3]}',
    '{"2":[1,2,3],"1":4,"b":[5,6,7]}',
  ])('%s', async (text) => {
    const without = text.replace(/^\uFEFF/, '');
    for (const slice of [0, 1, 2, 4, 8]) {
      const value = await sliced(text, slice);
      expect(value).toEqual(plainly(without));
      expect(JSON.stringify(value)).toBe(JSON.stringify(plainly(without)));
    }
  });

  test('lets others work meanwhile', async () => {
    const text = JSON.stringify(Array.from({ length: 50_000 }, (_, i) => ({ [`k${i}`]: i })));
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const value = await sliced(text, 16 * 1024);
    isOver = true;
    expect(value).toEqual([JSON.parse(text)]);
    expect(turns).toBeGreaterThan(2);
  });
});

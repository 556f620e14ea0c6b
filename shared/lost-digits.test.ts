import { fc } from '../tests/support/property.ts';
import { expect, test } from 'vitest';
import { losesDigits, lostNumbers, parseExactly, parseKeepingDigits } from './lost-digits.ts';

/** An id whose last bits are 0, as most snowflakes have: a double holds it, and is written with other digits. */
const SNOWFLAKE = '1212092628029698048';

const wholeNumbers = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.integer({ min: 0, max: 60 }))
  // Shifted, so that many of them are numbers which a double holds.
  .map(([isNegative, value, bits]) => (isNegative ? -1n : 1n) * ((value >> 20n) << BigInt(bits)))
  .map(String);

test('a number that a double holds loses digits too if it is written with others', () => {
  expect(losesDigits(SNOWFLAKE)).toBe(true);
  expect(losesDigits('9007199254740993')).toBe(true);
  expect(losesDigits('9007199254740991')).toBe(false);
  // It is written as it was.
  expect(losesDigits('1212092628029698000')).toBe(false);
});

test('a number that is too large or too small for a double is found, however it is written', () => {
  const long = '9'.repeat(500);
  const lost = ['1e400', '-1E+400', '1.5e999', '1e-400', '1234567890e300', long];
  const kept = ['1e308', '-1.5e-300', '0e999', '0.0e-999', '1e+05', '1234567890e10'];
  const json = `[${[...lost, ...kept].join(',')},"1e400, 1e999"]`;
  expect([...lostNumbers(json)].map(({ number }) => number)).toEqual(lost);
  expect(parseKeepingDigits(json)).toEqual([...lost, ...kept.map(Number), '1e400, 1e999']);
});

test('no whole number comes out of JSON with other digits', () => {
  fc.assert(
    fc.property(fc.array(wholeNumbers, { maxLength: 5 }), (numbers) => {
      const json = `{"a":[${numbers.join(', ')}],"text":"[${numbers.join(' ')}]"}`;
      const { a, text } = parseKeepingDigits(json) as { a: unknown[]; text: string };
      expect(a.map(String)).toEqual(numbers);
      expect(text).toBe(`[${numbers.join(' ')}]`);
      const isExact = [...lostNumbers(json)].length === 0;
      if (isExact) expect(parseExactly(json)).toEqual({ a, text });
      else expect(() => parseExactly(json)).toThrow(/write it as a text/);
    }),
  );
});

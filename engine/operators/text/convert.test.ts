import { Buffer } from 'node:buffer';
import { fc } from '../../../tests/support/property.ts';
import { describe, expect, test } from 'vitest';
import { runOperator } from '../../testing/call.ts';
import convert from './convert.ts';

const converted = async (conversion: string, value: unknown): Promise<unknown> =>
  (await runOperator('text.convert', convert, { params: { conversion }, inputs: { in: value } }))['out'];

/** Long enough for several pieces, with characters of one to four bytes at every position. */
const texts = fc
  .array(fc.string({ unit: 'grapheme', maxLength: 20 }), { maxLength: 30 })
  .chain((parts) => fc.constantFrom(1, 400).map((times) => parts.join('').repeat(times)));
const settings = { numRuns: 100 };

describe('encodings', () => {
  test('base64 and hexadecimal are those of Node', async () => {
    const law = fc.asyncProperty(texts, async (text) => {
      expect(await converted('to-base64', text)).toBe(Buffer.from(text).toString('base64'));
      expect(await converted('to-hex', text)).toBe(Buffer.from(text).toString('hex'));
      expect(await converted('to-url', text)).toBe(encodeURIComponent(text.toWellFormed()));
    });
    await fc.assert(law, settings);
  });

  test.each(['base64', 'hex', 'url'])('%s and back is the same text', async (name) => {
    const law = fc.asyncProperty(texts, async (text) => {
      expect(await converted(`from-${name}`, await converted(`to-${name}`, text))).toBe(text.toWellFormed());
    });
    await fc.assert(law, settings);
  });

  test('HTML and back is the same text, whatever entities it holds', async () => {
    const parts = fc.array(
      fc.constantFrom('&', 'amp;', '&lt;', '&#65;', '&#x41;', '<', '"', "'", 'a', ';', '&&'),
    );
    const law = fc.asyncProperty(parts, fc.constantFrom(1, 3000), async (list, times) => {
      const text = list.join('').repeat(times);
      const escaped = (await converted('escape-html', text)) as string;
      expect(escaped).not.toMatch(/[<>"']/);
      expect(await converted('unescape-html', escaped)).toBe(text);
    });
    await fc.assert(law, settings);
  });

  test('the URL-safe form of base64 is read too, and the end may be left out', async () => {
    expect(await converted('from-base64', '8J-YgA')).toBe('😀');
  });

  test('a lone surrogate becomes the replacement character', async () => {
    expect(await converted('from-hex', await converted('to-hex', 'a\ud800'))).toBe('a\ufffd');
  });

  test.each([
    ['from-base64', 'a'],
    ['from-base64', 'ab=c'],
    ['from-base64', '/w=='],
    ['from-hex', 'abc'],
    ['from-hex', 'zz'],
    ['from-hex', 'ff'],
    ['from-url', '%'],
    ['from-url', '%4'],
    ['from-url', '%zz'],
    ['from-url', '%ff'],
    ['from-url', `${'a'.repeat(8191)}%4`],
  ])('%s of %j is refused', async (conversion, text) => {
    await expect(converted(conversion, text)).rejects.toMatchObject({ code: 'bad_input' });
  });

  test('a text that would grow beyond the limit is refused', async () => {
    await expect(converted('escape-html', '"'.repeat(2_000_000))).rejects.toMatchObject({
      code: 'value_too_large',
    });
  });

  test('names and numbers that stand for no character stay as they are', async () => {
    const text = '&nosuch; &#0; &#x110000; &#xd800; &toString; & ;';
    expect(await converted('unescape-html', text)).toBe(text);
  });
});

describe('times', () => {
  test('are those of JavaScript, in all years with four digits', async () => {
    const range = { min: Date.parse('0000-01-01T00:00:00Z'), max: Date.parse('9999-12-31T23:59:59.999Z') };
    const law = fc.asyncProperty(fc.integer(range), async (ms) => {
      const text = new Date(ms).toISOString();
      expect(await converted('to-iso-time', ms)).toBe(text);
      expect(await converted('from-iso-time', text)).toBe(ms);
    });
    await fc.assert(law, { numRuns: 500 });
  });

  test.each([
    ['2024-02-29', '2024-02-29T00:00:00Z'],
    ['2026-03-01T12:30', '2026-03-01T12:30:00Z'],
    [' 2026-03-01 12:30:05Z ', '2026-03-01T12:30:05Z'],
    ['2026-03-01T12:30:00.1234567Z', '2026-03-01T12:30:00.123Z'],
    ['2026-03-01T00:00:00+05:30', '2026-02-28T18:30:00Z'],
    ['2026-03-01T00:00:00-0100', '2026-03-01T01:00:00Z'],
  ])('%j is read', async (text, same) => {
    expect(await converted('from-iso-time', text)).toBe(Date.parse(same));
  });

  test.each([
    '2026-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-01-00',
    '2026-01-01T24:00',
    '2026-01-01T10:60',
    '2026-01-01T10:00:60',
    '2026-01-01T10:00+24:00',
    '01.02.2026',
    '2026',
    '',
    `2026-01-01${' '.repeat(60)}x`,
  ])('%j is no time', async (text) => {
    await expect(converted('from-iso-time', text)).rejects.toMatchObject({ code: 'bad_input' });
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, 1e17, -1e17, 8.64e15, '0', null])(
    '%j is no time in milliseconds',
    async (value) => {
      await expect(converted('to-iso-time', value)).rejects.toMatchObject({ code: 'bad_input' });
    },
  );
});

describe('numbers', () => {
  test('every finite number that JavaScript writes is read back', async () => {
    const law = fc.asyncProperty(fc.double({ noNaN: true, noDefaultInfinity: true }), async (value) => {
      expect(await converted('to-number', String(value))).toBe(value === 0 ? Number(String(value)) : value);
    });
    await fc.assert(law, { numRuns: 300 });
  });

  test.each([
    '',
    ' ',
    '0x10',
    'Infinity',
    '1e999',
    '1_000',
    '1212092628029698048',
    '+9007199254740993',
    '1,5',
    '--1',
    '.',
    '1'.repeat(100_000).concat('x'),
  ])('%.20j is none', async (text) => {
    await expect(converted('to-number', text)).rejects.toMatchObject({ code: 'bad_input' });
  });
});

import { fc } from '../../../tests/support/property.ts';
import { describe, expect, test } from 'vitest';
import { runOperator } from '../../testing/call.ts';
import regex from './regex.ts';
import split from './split.ts';

const found = async (params: Record<string, unknown>, text: unknown): Promise<unknown> =>
  (await runOperator('text.regex', regex, { params, inputs: { in: text } }))['out'];

describe('a pattern', () => {
  test('that is found again and again gives what JavaScript gives', async () => {
    const patterns = fc.constantFrom('a', '(a)|(b)', 'a*', '(?P<x>a+)b?', '[ab]{2}', '$', '^', '\\b');
    const law = fc.asyncProperty(
      patterns,
      fc.string({ unit: fc.constantFrom('a', 'b', ' ', '😀') }),
      async (pattern, text) => {
        const all = (await found({ mode: 'all', pattern }, text)) as { text: string; index: number }[];
        const same = [...text.matchAll(new RegExp(pattern.replace('?P<', '?<'), 'gu'))];
        expect(all.map((m) => [m.text, m.index])).toEqual(same.map((m) => [m[0], m.index]));
        const parts = text.split(new RegExp(pattern.replace(/\((?:\?P<\w+>)?/g, '(?:'), 'u'));
        expect(await found({ mode: 'split', pattern }, text)).toEqual(text === '' ? [''] : parts);
      },
    );
    await fc.assert(law, { numRuns: 300 });
  });

  test('that takes exponential time elsewhere is answered', async () => {
    const text = `${'a'.repeat(20_000)}b`;
    expect(await found({ mode: 'test', pattern: '^(a+)+$' }, text)).toBe(false);
  });

  test('groups without a part are null', async () => {
    expect(await found({ pattern: '(a)|(?P<b>b)' }, 'a')).toMatchObject({
      groups: ['a', null],
      named: { b: null },
    });
  });

  test('that is not found is null, false, an empty list, or leaves the text as it is', async () => {
    const pattern = 'x';
    expect(await found({ mode: 'match', pattern }, 'a')).toBeNull();
    expect(await found({ mode: 'test', pattern }, 'a')).toBe(false);
    expect(await found({ mode: 'all', pattern }, 'a')).toEqual([]);
    expect(await found({ mode: 'replace', pattern }, 'a')).toBe('a');
    expect(await found({ mode: 'split', pattern }, 'a')).toEqual(['a']);
  });

  test.each([
    ['multiline', '^b', 'a\nb'],
    ['dotAll', 'a.b', 'a\nb'],
    ['ignoreCase', 'AB', 'ab'],
  ])('%s changes how it is read', async (flag, pattern, text) => {
    expect(await found({ mode: 'test', pattern }, text)).toBe(false);
    expect(await found({ mode: 'test', pattern, [flag]: true }, text)).toBe(true);
  });

  test.each(['(', '(a)\\1', '(?=a)x**', 'a{2000}', '(a{1000}){1000}', 'a{1000}'.repeat(100)])(
    '%.30j is refused',
    async (pattern) => {
      await expect(found({ pattern }, 'a')).rejects.toMatchObject({
        code: 'bad_params',
        field: 'params.pattern',
      });
    },
  );

  test('with too much to do for its text is refused before it begins', async () => {
    const run = found({ mode: 'all', pattern: '((a?){300})$' }, 'a'.repeat(500_000));
    await expect(run).rejects.toMatchObject({ code: 'value_too_large' });
    await expect(found({ pattern: 'a' }, 'a'.repeat(1_000_001))).rejects.toMatchObject({
      code: 'value_too_large',
    });
  });

  test('with more matches than wanted is an error', async () => {
    const params = { mode: 'all', pattern: 'a', maxMatches: 3 };
    expect(await found(params, 'aaa')).toHaveLength(3);
    await expect(found(params, 'aaaa')).rejects.toMatchObject({ code: 'too_many_items' });
  });
});

describe('a replacement', () => {
  const pattern = '(?P<word>\\w+) (\\d)?';

  test('may hold groups by number and name, the match, and a dollar', async () => {
    const replacement = '[$0|$1|${word}|$2|$$1]';
    expect(await found({ mode: 'replace', pattern, replacement }, 'ab 1, c ')).toBe(
      '[ab 1|ab|ab|1|$1], [c |c|c||$1]',
    );
  });

  test.each(['$', '$x', '${', '${word', '$7', '${no}', '${toString}'])(
    '%j is refused',
    async (replacement) => {
      await expect(found({ mode: 'replace', pattern, replacement }, 'ab 1')).rejects.toMatchObject({
        code: 'bad_params',
        field: 'params.replacement',
      });
    },
  );

  test('that would make the text too long is refused', async () => {
    const params = { mode: 'replace', pattern: 'a', replacement: 'x'.repeat(10_000), maxMatches: 100_000 };
    await expect(found(params, 'a'.repeat(10_000))).rejects.toMatchObject({ code: 'value_too_large' });
  });
});

describe('split text', () => {
  const parts = async (text: unknown, params: Record<string, unknown> = {}): Promise<unknown> =>
    (await runOperator('text.split', split, { params, inputs: { in: text } }))['out'];

  test('put together again is the text', async () => {
    const words = fc.string({ unit: fc.constantFrom('a', ',', ';', ' ', '\n', '\r') });
    const law = fc.asyncProperty(words, fc.constantFrom(',', ', ', ',,', ';'), async (text, separator) => {
      expect(((await parts(text, { separator })) as string[]).join(separator)).toBe(text);
      expect(await parts(text, { separator })).toEqual(text.split(separator));
    });
    await fc.assert(law, { numRuns: 300 });
  });

  test('finds lines with either end', async () => {
    expect(await parts('a\r\nb\nc\r\n\r\n')).toEqual(['a', 'b', 'c', '', '']);
  });

  test('of more than a million parts is refused', async () => {
    await expect(parts('\n'.repeat(1_000_001))).rejects.toMatchObject({ code: 'too_many_items' });
  });
});

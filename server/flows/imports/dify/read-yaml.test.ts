import { expect, test } from 'vitest';
import { MOST_CHARACTERS, readYaml } from './read-yaml.ts';

test('values come as JSON has them', () => {
  expect(readYaml('a: 1\nb: [x, true, null, 2020-01-02]\n"1": {c: .inf}\nd: |\n  two\n  lines\n')).toEqual({
    ok: true,
    value: { a: 1, b: ['x', true, null, '2020-01-02'], '1': { c: 'Infinity' }, d: 'two\nlines\n' },
  });
});

const bomb = [
  'a: &a [x, x, x, x, x, x, x, x, x]',
  ...'bcdefghi'.split('').map((name, at) => `${name}: &${name} [${`*${'abcdefgh'[at]}, `.repeat(9)}]`),
].join('\n');

test.each([
  ['a file of 50 MB', 'x'.repeat(50_000_000), `at most ${MOST_CHARACTERS}`],
  ['an alias bomb', bomb, 'no valid YAML: Excessive alias count'],
  ['a file that was cut off', 'app:\n  name: "An app\n', 'no valid YAML'],
  ['wrong indentation', 'a:\n    b: 1\n  c: 2\n', 'no valid YAML'],
  ['thousands of brackets', `a: ${'['.repeat(100_000)}`, 'nested deeper'],
  ['thousands of list items in each other', `${'- '.repeat(5000)}x`, 'nested deeper'],
  [
    'deep indentation',
    Array.from({ length: 900 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'),
    'nested deeper',
  ],
  ['a tag that makes objects', 'a: !!js/function "x"', ''],
])('%s is told in words', (_, text, message) => {
  const read = readYaml(text);
  if (message === '') expect(read).toEqual({ ok: true, value: { a: 'x' } });
  else expect(read).toEqual({ ok: false, message: expect.stringContaining(message) });
});

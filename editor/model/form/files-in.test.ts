import { expect, test } from 'vitest';
import { fileFields, filesIn } from './files-in.ts';

const file = (letter: string) => ({
  $file: `f_${letter.repeat(32)}`,
  name: `${letter}.txt`,
  type: 'text/plain',
  bytes: 1,
});

test('finds the files of a value, each once, and nothing that only looks like one', () => {
  const [a, b] = [file('a'), file('b')];
  expect(filesIn({ list: [a, { deep: b }], again: a, other: { $file: 'x' }, none: null })).toEqual([a, b]);
  expect(filesIn(a)).toEqual([a]);
  expect(filesIn(undefined)).toEqual([]);
});

test('finds a file among very many other values, and looks at no more than it can', () => {
  const rows = Array.from({ length: 500_000 }, (_, i) => ({ i }));
  expect(filesIn([file('a'), ...rows.slice(0, 100_000)])).toEqual([file('a')]);
  expect(filesIn({ rows, file: file('b') })).toEqual([file('b')]);
});

test.each([
  [['json'], undefined, []],
  [['bytes'], undefined, [{ name: '', many: false, required: true }]],
  [['multipart'], undefined, [{ name: 'file', many: true, required: false }]],
  [
    ['json', 'multipart'],
    {
      required: ['doc'],
      properties: {
        doc: { type: 'object', format: 'file' },
        more: { type: 'array', items: { type: 'object', format: 'file' } },
        n: { type: 'integer' },
      },
    },
    [
      { name: 'doc', many: false, required: true },
      { name: 'more', many: true, required: false },
    ],
  ],
])('%j takes the files %j', (accept, schema, fields) => {
  expect(fileFields(schema, accept)).toEqual(fields);
});

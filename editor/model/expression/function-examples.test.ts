import { expect, test } from 'vitest';
import { functionDocs } from '#engine/check';
import { testTools } from '../../../engine/expr/testing/test-tools.ts';
import { previewOf } from './expression-preview.ts';
import { exampleOf, findFunctions } from './function-examples.ts';

const scope = new Map([['run', { value: { startedAt: 1_800_000_000_000 } }]]);
/** Known only when a flow runs. */
const byChance = ['random', 'randomInt', 'randomItem', 'hash'];

test.each(functionDocs.map((doc) => [`${doc.receiver ?? ''} ${doc.signature}`, doc] as const))(
  '%s has an example that works',
  (_, doc) => {
    const example = exampleOf(doc) ?? '';
    expect(example).toContain(doc.name);
    const preview = previewOf(`{{ ${example} }}`, scope, { dates: testTools.dates, regex: testTools.regex });
    expect(preview).toMatchObject({ kind: byChance.includes(doc.name) ? 'missing' : 'value' });
  },
);

test('a method has the call of the function on its receiver', () => {
  const of = (name: string, receiver: 'string' | 'array' | 'number') =>
    exampleOf(functionDocs.find((doc) => doc.name === name && doc.receiver === receiver) as never);
  expect(of('round', 'number')).toBe('(12.345).round(2)');
  expect(of('extract', 'string')).toBe('"order 12".extract("\\\\d+")');
  expect(of('sortBy', 'array')).toBe('[{ n: 2 }, { n: 1 }].sortBy("n")');
});

test('functions are found by their name first, then by what they do', () => {
  expect(findFunctions('upper').map(({ name }) => name)[0]).toBe('upper');
  expect(findFunctions('email address').map(({ name }) => name)).toContain('isEmail');
  expect(findFunctions('nothing like this')).toEqual([]);
  expect(findFunctions('')).toHaveLength(functionDocs.length);
});

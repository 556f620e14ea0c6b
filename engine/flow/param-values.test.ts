import { expect, test } from 'vitest';
import { leafKind, leavesOutNull } from './param-values.ts';

test('what describes a setting for people does not change what its value may be', () => {
  const told = {
    description: 'Said.',
    widget: 'template',
    when: { param: 'mode', is: ['map'] },
    takes: 'id',
  };
  expect(leafKind({ type: 'string', ...told })).toBe('text');
  expect(leafKind({ ...told })).toBe('any');
  expect(leavesOutNull({ properties: { value: { weft: 'lazy', ...told } } }, 'value')).toBe(false);
});

test('what a value can break makes it typed, whatever describes it', () => {
  for (const rule of [{ enum: ['a'] }, { pattern: '^a' }, { minLength: 1 }, { anyOf: [{ type: 'string' }] }])
    expect(leafKind({ type: 'string', title: 'A', ...rule })).toBe('typed');
  expect(leafKind({ type: 'integer' })).toBe('typed');
  expect(leavesOutNull({ properties: { count: { type: 'integer' } } }, 'count')).toBe(true);
});

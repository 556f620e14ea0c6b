import { expect, test } from 'vitest';
import { groupChanges } from './group-changes.ts';

test('all that happened to a node is one entry, a renamed one under its new name, and a connection of another order a changed one', () => {
  const field = { before: 1, after: 2 };
  const groups = groupChanges([
    { kind: 'node-renamed', node: 'a', to: 'b' },
    { kind: 'node-changed', node: 'b', path: 'params.x', ...field },
    { kind: 'node-changed', node: 'b', path: 'params.y', ...field },
    { kind: 'node-removed', node: 'c', operator: 'core.map' },
    { kind: 'edge-removed', from: 'a.out', to: 'c.in' },
    { kind: 'edge-added', from: 'a.out', to: 'c.in' },
    { kind: 'flow-changed', path: 'name', ...field },
  ]);
  expect(groups.map(({ key, kind, fields }) => [key, kind, fields.map(({ path }) => path)])).toEqual([
    ['node b', 'changed', ['params.x', 'params.y']],
    ['node c', 'removed', []],
    ['edge a.out c.in', 'changed', []],
    ['flow', 'changed', ['name']],
  ]);
  expect(groups[0]?.renamedFrom).toBe('a');
});

import { expect, test } from 'vitest';
import { changeWords, groupChanges } from './group-changes.ts';

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

test('what a version changed is told by its nodes, else by its edges, else by its settings', () => {
  const field = { path: 'name', before: 1, after: 2 };
  const words = (...changes: Parameters<typeof groupChanges>[0]) => changeWords(groupChanges(changes));
  const edge = { kind: 'edge-added', from: 'a.out', to: 'b.in' } as const;
  expect(
    words(
      { kind: 'node-added', node: 'a', operator: 'core.map' },
      { kind: 'node-changed', node: 'b', ...field },
      { kind: 'node-changed', node: 'c', ...field },
      edge,
    ),
  ).toBe('1 node added, 2 changed');
  expect(words(edge)).toBe('1 edge added');
  expect(words({ kind: 'flow-changed', ...field })).toBe('settings of the flow changed');
  expect(words()).toBe('nothing changed');
});

import { expect, test } from 'vitest';
import type { Flow } from '#shared/flow.ts';
import { type Entry, missingOperators } from './entry.ts';

test('operators that a server lacks are found in bodies too', () => {
  const body = { start: 'inside', nodes: { odd: { operator: 'own.odd' } }, edges: [] };
  const flow: Flow = {
    format: 2,
    id: 'f',
    nodes: { group: { operator: 'core.group', body }, also: { operator: 'own.also' } },
    edges: [],
  };
  const problems = ['odd', 'also'].map((node) => ({
    code: 'unknown-operator',
    severity: 'error',
    message: '',
    node,
  }));
  const entry = { id: 'f', file: { examined: { flow, problems } } } as unknown as Entry;
  expect(missingOperators(entry)).toEqual(['own.also', 'own.odd']);
});

import { expect, test } from 'vitest';
import { flowsBelow } from './called-flows.ts';

test('a check gets the flows below, each once, however they call each other', () => {
  const calls: Record<string, string[]> = { a: ['b', 'c'], b: ['c', 'gone'], c: ['a', 'me'], far: [] };
  const find = (id: string) => (calls[id] ? { id, triggers: ['t'], calls: calls[id] } : undefined);
  expect(flowsBelow('me', ['a', 'gone'], find).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  expect(flowsBelow('me', [], find)).toEqual([]);
});

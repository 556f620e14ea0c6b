import { expect, test } from 'vitest';
import type { EvaluationInfo } from '#shared/evaluation.ts';
import { publish, startPair } from '../support/cluster.ts';
import { sayFlow } from '../support/flows.ts';

test('tests and evaluation sets of one server are those of the other, and run there', async () => {
  const { a, b } = await startPair();
  await publish(a, sayFlow('hello', 'one'));
  await a.owner.data('POST', '/flows/hello/tests', { test: { name: 'says', expect: { answer: 'one' } } });
  expect(await b.owner.data('GET', '/flows/hello/tests')).toMatchObject({ cases: [{ name: 'says' }] });
  expect(await b.owner.data('POST', '/flows/hello/tests/run')).toMatchObject({
    results: [{ name: 'says', passed: true }],
  });
  await b.owner.data('PUT', '/evaluations/polite', {
    format: 1,
    target: { flow: 'hello' },
    scorers: [{ kind: 'exact' }],
    cases: [{ name: 'tea', input: {}, expect: { answer: 'one' } }],
  });
  const sets = await a.owner.data<EvaluationInfo[]>('GET', '/evaluations');
  expect(sets).toMatchObject([{ id: 'polite', set: { cases: [{ name: 'tea' }] }, problem: null }]);
  await a.owner.data('DELETE', '/evaluations/polite');
  expect(await b.owner.data('GET', '/evaluations')).toEqual([]);
});

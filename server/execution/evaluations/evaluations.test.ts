import { expect, test } from 'vitest';
import type { EvaluationResult } from '#shared/evaluation.ts';
import { type EvaluationDeps, Evaluations } from './evaluations.ts';

/** A store that confirms a stored result only when the test lets it. */
function slowStore() {
  const stored: EvaluationResult[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const adding = Promise.withResolvers<void>();
  return {
    done: resolve,
    adding: adding.promise,
    store: {
      async add(result: EvaluationResult) {
        stored.push(result);
        adding.resolve();
        await promise;
      },
      list: async () => stored.toReversed(),
      latest: async () => new Map(stored.map((one) => [one.set, one])),
      get: async (_: string, id: string) => stored.find((one) => one.id === id),
      forget: async () => {},
    },
  };
}

const by = { apiKey: undefined, distrust: () => undefined };
const body = { draft: false };
const found = { name: 'Tea', model: null, split: { by: 'headings', size: 1000, overlap: 150 } };

function evaluationsWith(
  parts: Partial<Record<keyof EvaluationDeps, unknown>>,
  search: (...given: unknown[]) => unknown,
) {
  let ids = 0;
  return new Evaluations({
    host: { now: () => 0, id: () => `r${++ids}` },
    log: { warn: () => {} },
    knowledge: { opened: async () => ({ named: async () => found, searchIn: search }) },
    ...parts,
  } as unknown as EvaluationDeps);
}

const set = {
  format: 1 as const,
  target: { space: 'Tea', limit: 10 },
  scorers: [{ kind: 'recall' as const, k: 5 }],
  cases: Array.from({ length: 9 }, (_, n) => ({
    name: `case ${n}`,
    input: `${n}`,
    expect: { documents: ['a'] },
  })),
};

test('a result that is being stored is listed once', async () => {
  const { store, adding, done } = slowStore();
  const hits = [{ document: { name: 'a' } }];
  const evaluations = evaluationsWith({ evaluationResults: store }, async () => ({ hits }));
  const { id } = await evaluations.start('s', set, body, by);
  await adding;
  expect((await evaluations.list('s')).map((one) => [one.id, one.status])).toEqual([[id, 'done']]);
  done();
  await evaluations.close();
  expect(await evaluations.list('s')).toHaveLength(1);
});

test('results are in the order of the set, whichever case ends first, and four run at once', async () => {
  const { store, done } = slowStore();
  done();
  let [now, most] = [0, 0];
  const evaluations = evaluationsWith({ evaluationResults: store }, async () => {
    most = Math.max(most, ++now);
    await new Promise((resolve) => setImmediate(resolve));
    if (now % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
    now--;
    return { hits: [] };
  });
  const { id } = await evaluations.start('s', set, body, by);
  await expect.poll(async () => (await evaluations.get('s', id)).status).toBe('done');
  const { results, scores } = await evaluations.get('s', id);
  expect(results.map(({ name }) => name)).toEqual(set.cases.map(({ name }) => name));
  expect([most, scores]).toEqual([4, { 'recall@5': 0 }]);
});

test('a server that stops stores its partial results', async () => {
  const { store, done } = slowStore();
  done();
  let asked = 0;
  const evaluations = evaluationsWith({ evaluationResults: store }, (...given: unknown[]) => {
    const signal = given[3] as AbortSignal;
    if (++asked <= 2) return Promise.resolve({ hits: [] });
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  });
  const { id } = await evaluations.start('s', set, body, by);
  await expect.poll(async () => (await evaluations.get('s', id)).done).toBe(2);
  await evaluations.close();
  expect(await store.get('s', id)).toMatchObject({ status: 'stopped', done: 2, passed: null });
});

import { expect, test } from 'vitest';
import type { EvaluationResult } from '#shared/evaluation.ts';
import { onBothDatabases } from '../../storage/database/testing/databases.ts';
import { weftMigrations } from '../../storage/database/weft-tables.ts';
import { createResultStore } from './result-store.ts';

const result = (set: string, n: number): EvaluationResult => ({
  id: `r${String(n).padStart(4, '0')}`,
  set,
  at: new Date(n * 1000).toISOString(),
  status: 'done',
  target: 'flow f',
  version: 'v',
  done: 1,
  cases: 1,
  failed: 0,
  scores: { exact: n / 1000 },
  threshold: null,
  passed: null,
  ms: 1,
  results: [
    { name: 'one', input: 'a', documents: [], expect: {}, scores: { exact: { score: 1 } }, ms: 1 },
  ] as unknown as EvaluationResult['results'],
});

onBothDatabases(weftMigrations, (make) => {
  test('results come back complete, newest first, for one set and project', async () => {
    const { sql, again } = await make();
    const store = createResultStore(sql);
    const other = createResultStore(await again(), 'other');
    for (const [set, n] of [
      ['a', 1],
      ['a', 3],
      ['b', 2],
    ] as const)
      await store.add(result(set, n));
    await other.add(result('a', 9));
    expect((await store.list('a')).map(({ id }) => id)).toEqual(['r0003', 'r0001']);
    expect(await store.get('a', 'r0003')).toEqual(result('a', 3));
    expect(await store.get('b', 'r0003')).toBeUndefined();
    expect([...(await store.latest()).entries()].map(([set, { id }]) => [set, id])).toEqual([
      ['a', 'r0003'],
      ['b', 'r0002'],
    ]);
    await store.forget('a');
    expect([await store.list('a'), (await store.list('b')).length]).toEqual([[], 1]);
    expect(await other.list('a')).toHaveLength(1);
  });

  test('the last hundred of a set are kept', async () => {
    const { sql } = await make();
    const store = createResultStore(sql);
    await store.add(result('b', 1));
    for (let n = 1; n <= 103; n++) await store.add(result('a', n));
    const kept = await store.list('a');
    expect([kept.length, kept.at(0)?.id, kept.at(-1)?.id]).toEqual([100, 'r0103', 'r0004']);
    expect(await store.list('b')).toHaveLength(1);
  });
});

import { expect, test } from 'vitest';
import { EvaluationSet } from '#shared/evaluation.ts';
import { onBothDatabases } from '../../storage/database/testing/databases.ts';
import { weftMigrations } from '../../storage/database/weft-tables.ts';
import { createRowSets } from './row-sets.ts';

const base = EvaluationSet.parse({
  format: 1,
  target: { flow: 'hello' },
  scorers: [{ kind: 'exact' }],
  cases: [{ name: 'first', input: {} }],
});
const added =
  (name: string) =>
  (before: EvaluationSet = base): EvaluationSet => ({
    ...before,
    cases: [...before.cases, { name, input: {}, expect: {} }],
  });

onBothDatabases(weftMigrations, (make) => {
  test('cases that two servers add at the same moment are all stored, and both servers have them', async () => {
    const { sql, again } = await make();
    const stores = [createRowSets(sql), createRowSets(await again())] as const;
    const [mine, other] = stores;
    const names = ['a', 'b', 'c', 'd'];
    await Promise.all(names.map((name, i) => (i % 2 === 0 ? mine : other).change('polite', added(name))));
    for (const store of stores) {
      const [only] = await store.all();
      expect(only?.shown).toBe('polite.eval.json');
      expect(
        only
          ?.read()
          .cases.map(({ name }) => name)
          .sort(),
      ).toEqual([...names, 'first']);
    }
  });

  test('a missing set, a wrong name and a broken set have their error codes', async () => {
    const { sql } = await make();
    const store = createRowSets(sql);
    for (const ask of [() => store.get('none'), () => store.remove('none')])
      await expect(ask()).rejects.toMatchObject({ code: 'evaluation_not_found' });
    await expect(store.change('../x', added('a'))).rejects.toMatchObject({ code: 'invalid_request' });
    await sql.run(
      'INSERT INTO evaluation_set (project, id, json) VALUES (?, ?, ?)',
      'default',
      'broken',
      '{',
    );
    await expect(store.change('broken', added('a'))).rejects.toMatchObject({ code: 'evaluation_broken' });
    await store.change('broken', () => base, true);
    expect((await store.get('broken')).read()).toEqual(base);
    await store.remove('broken');
    expect(await store.all()).toEqual([]);
  });
});

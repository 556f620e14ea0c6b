import { expect, test } from 'vitest';
import type { FlowTests } from '#shared/flow-test.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { FlowDocument } from '../../flows/service/flow-types.ts';
import { onBothDatabases } from '../../storage/database/testing/databases.ts';
import { weftMigrations } from '../../storage/database/weft-tables.ts';
import { createRowTests } from './row-tests.ts';

const flows = {
  get: async (id: string): Promise<FlowDocument> => {
    if (id === 'hello') return { id } as FlowDocument;
    throw new ServiceError('flow_not_found');
  },
};

function added(name: string) {
  const expected = { status: 'ok' as const, outputs: {} };
  return (all: FlowTests): FlowTests => ({
    ...all,
    cases: [...all.cases, { name, outputs: {}, errors: {}, expect: expected }],
  });
}

onBothDatabases(weftMigrations, (make) => {
  test('tests that two servers add at the same moment are all stored, and both servers have them', async () => {
    const { sql, again } = await make();
    const stores = [createRowTests(flows, sql), createRowTests(flows, await again())] as const;
    const [mine, other] = stores;
    const names = ['a', 'b', 'c', 'd'];
    await Promise.all(names.map((name, i) => (i % 2 === 0 ? mine : other).change('hello', added(name))));
    for (const store of stores) {
      const { file, tests } = await store.read('hello');
      expect([file, tests.cases.map(({ name }) => name).sort()]).toEqual(['hello.test.json', names]);
    }
  });

  test('an unknown flow has no tests, and broken tests stay unchanged', async () => {
    const { sql } = await make();
    const store = createRowTests(flows, sql);
    await expect(store.read('other')).rejects.toMatchObject({ code: 'flow_not_found' });
    await expect(store.change('other', added('a'))).rejects.toMatchObject({ code: 'flow_not_found' });
    expect((await store.read('hello')).tests).toEqual({ format: 1, cases: [] });
    await sql.run('INSERT INTO flow_tests (project, flow, json) VALUES (?, ?, ?)', 'default', 'hello', '{');
    await expect(store.change('hello', added('a'))).rejects.toMatchObject({ code: 'conflict' });
  });
});

import { expect, test } from 'vitest';
import { onBothDatabases } from '../storage/testing/databases.ts';
import { weftMigrations } from '../storage/weft-tables.ts';
import { historyContract, row } from './history.contract.ts';
import { createRowHistory } from './row-history.ts';

onBothDatabases(weftMigrations, (make) => {
  historyContract('in rows', async () => createRowHistory((await make()).sql));

  test('finds runs by part of their id, flow or error, whatever the letters mean to the database', async () => {
    const history = createRowHistory((await make()).sql);
    const error = { code: 'bad_input', message: '100% Wrong', node: 'work' };
    await history.appendSummaries([row('r1', { status: 'failed', error }), row('r2', { flow: 'other' })]);
    const found = async (text: string) => (await history.list({ limit: 10, text })).map(({ run }) => run);
    expect([await found('OTHER'), await found('100% w'), await found('1%w'), await found('_')]).toEqual([
      ['r2'],
      ['r1'],
      [],
      ['r1'],
    ]);
    expect((await history.list({ limit: 10, code: 'bad_input' })).length).toBe(1);
    await history.close();
  });

  test('a run that has ended stays so, whatever a server says late that has lost it to another', async () => {
    const history = createRowHistory((await make()).sql);
    await history.appendSummaries([row('r1', { status: 'waiting' })]);
    await history.appendSummaries([row('r1', { status: 'ok' })]);
    await history.appendSummaries([row('r1', { status: 'waiting' })]);
    expect((await history.get('r1'))?.status).toBe('ok');
    await history.close();
  });

  test('a thousand ends at once are stored whole, each once', async () => {
    const history = createRowHistory((await make()).sql);
    const rows = Array.from({ length: 1000 }, (_, i) => row(`r${1000 + i}`));
    await history.appendSummaries(rows);
    await history.appendSummaries(rows.slice(0, 10));
    expect((await history.list({ limit: 5000 })).length).toBe(1000);
    expect(await history.prune(1001)).toBe(1000);
    await history.close();
  });
});

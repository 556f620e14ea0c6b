import { expect, test } from 'vitest';
import { onBothDatabases } from '../../storage/database/testing/databases.ts';
import { weftMigrations } from '../../storage/database/weft-tables.ts';
import { historyContract, row } from './history.contract.ts';
import { createRowHistory } from './row-history.ts';

onBothDatabases(weftMigrations, (make) => {
  historyContract('in rows', async () => createRowHistory((await make()).sql));

  test('finds runs by part of their id, flow or error, even if its characters are wildcards of the database', async () => {
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

  test('a run that has ended stays ended, whatever a server reports late that has lost it to another', async () => {
    const history = createRowHistory((await make()).sql);
    await history.appendSummaries([row('r1', { status: 'waiting' })]);
    await history.appendSummaries([row('r1', { status: 'ok' })]);
    await history.appendSummaries([row('r1', { status: 'waiting' })]);
    expect((await history.get('r1'))?.status).toBe('ok');
    await history.close();
  });

  test('a thousand ends at once are stored completely, each once', async () => {
    const history = createRowHistory((await make()).sql);
    const rows = Array.from({ length: 1000 }, (_, i) => row(`r${1000 + i}`));
    await history.appendSummaries(rows);
    await history.appendSummaries(rows.slice(0, 10));
    expect((await history.list({ limit: 5000 })).length).toBe(1000);
    expect(await history.get('r1500')).toEqual(rows[500]);
    expect(await history.prune(1001)).toBe(1000);
    await history.close();
  });

  test('ends of many runs of several flows are read as they were written, beside others', async () => {
    const history = createRowHistory((await make()).sql);
    const rows = Array.from({ length: 60 }, (_, i) =>
      row(`r${100 + i}`, {
        flow: `f${i % 3}`,
        version: `"v'${i % 3}`,
        startedAt: 1_700_000_000_000.125 + i,
        ms: i / 7,
      }),
    );
    const failed = row('r200', { status: 'failed', error: { code: 'x', message: '\0\ud800"?', node: 'n' } });
    await history.appendSummaries([...rows, failed]);
    expect(await history.list({ limit: 100 })).toEqual([...rows, failed].toReversed());
    const since = 1_700_000_000_057.125;
    expect((await history.list({ limit: 100, since })).map(({ run }) => run)).toEqual([
      'r159',
      'r158',
      'r157',
    ]);
    expect((await history.list({ limit: 100, text: '101 f1' })).map(({ run }) => run)).toEqual(['r101']);
    expect((await history.list({ limit: 100, flow: 'f2', status: 'ok', source: 'http' })).length).toBe(20);
    await history.close();
  });

  test('the end of a run that is in one batch twice is stored, in either order', async () => {
    const history = createRowHistory((await make()).sql);
    const ended = Array.from({ length: 20 }, (_, i) => row(`r${100 + i}`));
    const waiting = ended.map((one) => row(one.run, { status: 'waiting' }));
    await history.appendSummaries([...waiting.slice(0, 10), ...ended, ...waiting.slice(10)]);
    expect(await history.list({ limit: 100 })).toEqual(ended.toReversed());
    await history.close();
  });

  test('runs that waited are shown as ended after many ends arrive together', async () => {
    const history = createRowHistory((await make()).sql);
    const ended = Array.from({ length: 20 }, (_, i) => row(`r${100 + i}`));
    await history.appendSummaries(ended.map((one) => row(one.run, { status: 'waiting' })));
    await history.appendSummaries(ended);
    expect(await history.list({ limit: 100 })).toEqual(ended.toReversed());
    await history.close();
  });
});

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { redactValue } from '../../base/secrets/redact-value.ts';
import { createRedactor } from '../../base/secrets/redactor.ts';
import type { Sql } from '../../storage/database/sql.ts';
import { onBothDatabases } from '../../storage/database/testing/databases.ts';
import { openWeftSql, weftMigrations } from '../../storage/database/weft-tables.ts';
import { tempFolder } from '../../testing/platform-bed.ts';
import { testBus } from '../../storage/database/testing/bus.ts';
import { createWaits } from './waits.ts';
import { question, waitsContract } from './waits.contract.ts';

const redact = (value: unknown): unknown => value;
const APPROVED = { decision: 'approved', by: 'Ada', via: 'session', comment: '' } as const;
const REJECTED = { decision: 'rejected', by: 'Bob', via: 'key', comment: '' } as const;

const waitsOn = (sql: Sql, project?: string) =>
  createWaits({ bus: testBus(), sql, now: () => 2000, redact, ...(project !== undefined && { project }) });

onBothDatabases(weftMigrations, (make) => {
  waitsContract('in rows', async (now) =>
    createWaits({ bus: testBus(), sql: (await make()).sql, now, redact }),
  );

  test('one of the decisions of two processes counts, for both', async () => {
    const { sql, again } = await make();
    const [one, two] = [waitsOn(sql), waitsOn(await again())];
    for (let at = 0; at < 10; at++) {
      const run = `run${at}`;
      const open = { ...question(), run };
      await Promise.all([one.open(open), two.open(open)]);
      const ends = await Promise.allSettled([
        one.decide(`${run}.ask`, APPROVED),
        two.decide(`${run}.ask`, REJECTED),
      ]);
      expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      const value = ends[0]?.status === 'fulfilled' ? APPROVED : REJECTED;
      expect((await one.answer(run, 'ask'))?.value).toMatchObject(value);
      expect(await two.answer(run, 'ask')).toEqual(await one.answer(run, 'ask'));
    }
  });

  test('of events at two processes each wait takes one', async () => {
    const { sql, again } = await make();
    const [one, two] = [waitsOn(sql), waitsOn(await again())];
    const event = { name: 'paid', key: '7' };
    const runs = Array.from({ length: 20 }, (_, i) => `run${i}`);
    for (const run of runs) await one.open({ ...question({ kind: 'event', event }), run });
    const given = { ...APPROVED, decision: 'received' } as const;
    const answers = await Promise.all([one, two, one, two].map((waits) => waits.receive(event, given)));
    const received = answers.flatMap((answer) => answer.received.map(({ run }) => run));
    expect(received.sort()).toEqual(runs.sort());
  });

  test('a decision before the question and the question at the same moment end in a decision', async () => {
    const { sql, again } = await make();
    const [one, two] = [waitsOn(sql), waitsOn(await again())];
    for (let at = 0; at < 10; at++) {
      const run = `run${at}`;
      await Promise.all([
        one.open({ ...question(), run }),
        two.decide(`${run}.ask`, APPROVED, { flow: 'orders' }),
      ]);
      expect((await one.answer(run, 'ask'))?.value).toMatchObject(APPROVED);
    }
  });

  test('projects are kept apart', async () => {
    const { sql } = await make();
    const [one, two] = [waitsOn(sql, 'one'), waitsOn(sql, 'two')];
    const asking = question({ notify: 'https://a.org/' }, 3000);
    await one.open(asking);
    expect(await two.get('run1.ask')).toBeUndefined();
    await two.open({ ...asking, flow: 'others' });
    await one.decide('run1.ask', APPROVED);
    await one.notified('run1.ask');
    expect(await two.answer('run1', 'ask')).toBeUndefined();
    expect(await two.get('run1.ask')).toMatchObject({ status: 'open', flow: 'others' });
    expect((await one.list({ status: 'open', limit: 10 })).waits).toEqual([]);
    expect(await Promise.all([one, two].map(async (of) => (await of.unnotified()).length))).toEqual([0, 1]);
    await one.close('run1');
    await one.forget('run1');
    expect(await two.get('run1.ask')).toMatchObject({ status: 'open' });
  });

  test('nothing is written if nothing changes', async () => {
    const { sql } = await make();
    let time = 2000;
    const before = createWaits({ bus: testBus(), sql, now: () => time, redact });
    await before.open(question({}, 3000));
    await before.open({ ...question({}, 3000), run: 'run2' });
    await before.close('run2');
    const refuse = () => Promise.reject(new Error('written'));
    const silent: Sql = { ...sql, run: refuse, batch: refuse, transaction: refuse };
    const waits = createWaits({ bus: testBus(), sql: silent, now: () => time, redact });
    await waits.open(question({}, 3000));
    expect(await waits.answer('run1', 'ask')).toBeUndefined();
    expect(await waits.get('run1.ask')).toMatchObject({ status: 'open' });
    time = 3000;
    expect(await waits.get('run1.ask')).toMatchObject({ status: 'expired' });
    expect((await waits.list({ status: 'open', limit: 10 })).waits).toEqual([]);
    expect((await waits.list({ status: 'expired', limit: 10 })).waits).toHaveLength(1);
    expect(await waits.unnotified()).toEqual([]);
    await waits.close('run2');
    await waits.close('none');
    await waits.forget('none');
  });
});

test('no statement on waits reads a whole table', async () => {
  const sql = openWeftSql(await tempFolder());
  onTestFinished(() => sql.close());
  const texts = new Set<string>();
  const noting = <Of extends Pick<Sql, 'all' | 'first' | 'run'>>(to: Of): Of => ({
    ...to,
    all: (text, ...values) => to.all(noted(text), ...values),
    first: (text, ...values) => to.first(noted(text), ...values),
    run: (text, ...values) => to.run(noted(text), ...values),
  });
  const noted = (text: string): string => {
    texts.add(text);
    return text;
  };
  const transaction: Sql['transaction'] = (work, options) =>
    sql.transaction((tx) => work(noting(tx)), options);
  let time = 2000;
  const waits = createWaits({
    bus: testBus(),
    sql: { ...noting(sql), transaction },
    now: () => time,
    redact,
  });
  await waits.open(question({}, 3000));
  for (const status of ['open', 'expired', 'decided'] as const)
    for (const of of [{}, { flow: 'orders' }, { run: 'run1' }, { flow: 'orders', run: 'run1' }])
      for (const kind of [{}, { of: 'call' }, { of: 'event' }] as const)
        await waits.list({ status, limit: 10, ...of, ...kind });
  const event = { name: 'paid', key: '7' };
  await waits.open({ ...question({ kind: 'event', event }), run: 'run7' });
  await waits.receive(event, { ...APPROVED, decision: 'received' });
  await waits.unnotified();
  time = 3000;
  await waits.answer('run1', 'ask');
  await waits.close('run1');
  time += 31 * 86_400_000;
  await waits.close('run2');
  await waits.open(question());
  await waits.forget('run1');
  expect(texts.size).toBe(44);
  for (const text of texts) {
    const steps = await sql.all<{ readonly detail: string }>(`EXPLAIN QUERY PLAN ${text}`);
    const whole = steps.filter(({ detail }) => detail.startsWith('SCAN'));
    expect({ text, whole }).toEqual({ text, whole: [] });
  }
});

test('waits of 0.1.0 are read, with their decisions', async () => {
  const data = await tempFolder();
  const older = new DatabaseSync(join(data, 'weft.db'));
  older.exec(OLDER_TABLES);
  const put = older.prepare('INSERT OR REPLACE INTO waits VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const ask = { kind: 'approval', text: 'Shall we?' };
  const decision = { ...APPROVED, at: new Date(1500).toISOString() };
  const decided = JSON.stringify({ title: 'Old', ask, decision });
  put.run('run1.ask', 'run1', 'orders', 'ask', 'decided', 1000.5, null, null, null, decided);
  const open = JSON.stringify({ title: 'Old', ask: { ...ask, notify: 'https://a.org/' } });
  put.run('run2.ask', 'run2', 'orders', 'ask', 'open', 1001, 5000, 'due', null, open);
  put.run('run3.ask', 'run3', 'orders', 'ask', 'void', 900, null, null, 1100, open);
  older.close();
  const sql = openWeftSql(data);
  onTestFinished(() => sql.close());
  const waits = waitsOn(sql);
  expect(await waits.answer('run1', 'ask')).toEqual({ value: decision });
  expect(await waits.get('run3.ask')).toMatchObject({ status: 'void', title: 'Old' });
  expect((await waits.unnotified()).map(({ id }) => id)).toEqual(['run2.ask']);
  expect((await waits.list({ status: 'open', limit: 10 })).waits).toMatchObject([
    { id: 'run2.ask', expiresAt: new Date(5000).toISOString() },
  ]);
  await waits.decide('run2.ask', APPROVED);
  expect((await waits.answer('run2', 'ask'))?.value).toMatchObject(APPROVED);
});

const OLDER_TABLES = `
  CREATE TABLE IF NOT EXISTS waits (
    id TEXT NOT NULL PRIMARY KEY, run TEXT NOT NULL, flow TEXT NOT NULL, node TEXT NOT NULL, status TEXT NOT NULL,
    opened_at REAL NOT NULL, until REAL, notify TEXT, over_at REAL, told TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS waits_status ON waits (status, opened_at);
  CREATE INDEX IF NOT EXISTS waits_run ON waits (run);
  CREATE INDEX IF NOT EXISTS waits_due ON waits (notify) WHERE notify = 'due';
  CREATE INDEX IF NOT EXISTS waits_over ON waits (over_at) WHERE over_at IS NOT NULL;
  CREATE INDEX IF NOT EXISTS waits_until ON waits (until) WHERE status = 'open' AND until IS NOT NULL;
`;

test('a decision survives closing and opening the file', async () => {
  const data = await tempFolder();
  const first = openWeftSql(data);
  const before = waitsOn(first);
  await before.open(question());
  await before.decide('run1.ask', APPROVED);
  await first.close();
  const second = openWeftSql(data);
  onTestFinished(() => second.close());
  expect((await waitsOn(second).answer('run1', 'ask'))?.value).toMatchObject(APPROVED);
});

test('a decision that the disk refuses is refused with storage_failed, and the wait stays open', async () => {
  const sql = openWeftSql(await tempFolder());
  onTestFinished(() => sql.close());
  const waits = waitsOn(sql);
  await waits.open(question());
  await sql.run('PRAGMA query_only = ON');
  await expect(waits.decide('run1.ask', APPROVED)).rejects.toMatchObject({ code: 'storage_failed' });
  expect(await waits.answer('run1', 'ask')).toBeUndefined();
  await waits.decide('run1.ask', APPROVED);
});

test('secrets are masked in everything that people see, but kept in the address to notify', async () => {
  const redactor = createRedactor();
  redactor.add('hunter22');
  const sql = openWeftSql(await tempFolder());
  onTestFinished(() => sql.close());
  const masked = createWaits({ bus: testBus(), sql, now: Date.now, redact: (v) => redactValue(v, redactor) });
  await masked.open(
    question({ text: 'It is hunter22', data: ['hunter22'], notify: 'https://a.org/hunter22' }),
  );
  expect(await masked.get('run1.ask')).toMatchObject({
    ask: { text: 'It is ***', data: ['***'], notify: 'https://a.org/hunter22' },
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { wholeScans } from '../database/testing/whole-scans.ts';
import { createLocalBus } from '../database/bus.ts';
import { onBothDatabases } from '../database/testing/databases.ts';
import { openWeftSql, weftMigrations } from '../database/weft-tables.ts';
import { tempFolder } from '../../testing/platform-bed.ts';
import { idempotencyContract } from './idempotency.contract.ts';
import { KEPT_MS, SWEEP_EVERY } from './idempotency-store.ts';
import { createMemoryIdempotency } from './memory-idempotency.ts';
import { createSqlIdempotency } from './sql-idempotency.ts';

/** Encodes texts, so that they appear nowhere in clear text. */
const sealer = {
  seal: (text: string, about: string) => Buffer.from(`${about} ${text}`).toString('base64'),
  unseal: (sealed: string, about: string) =>
    Buffer.from(sealed, 'base64')
      .toString()
      .slice(about.length + 1),
};
const id = { trigger: 'a', caller: 'b', key: 'c' };
const roomy = { keys: 1000, answer: 1000, answers: 1000 };

idempotencyContract('in memory', createMemoryIdempotency);
onBothDatabases(weftMigrations, (make) => {
  idempotencyContract('in rows', async (now, limits) =>
    createSqlIdempotency((await make()).sql, now, sealer, limits && { limits }),
  );

  test('one of two concurrent claims by two processes wins, also of a key that has expired', async () => {
    let time = 0;
    const { sql, again } = await make();
    const ours = createSqlIdempotency(sql, () => time, sealer);
    const theirs = createSqlIdempotency(await again(), () => time, sealer);
    for (const round of ['first', 'after its time']) {
      const claims = await Promise.all(
        Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? ours : theirs).claim(id, `print ${at}`)),
      );
      expect(claims.filter(({ isNew }) => isNew)).toHaveLength(1);
      const winner = claims.findIndex(({ isNew }) => isNew);
      expect(new Set(claims.map((claim) => claim.fingerprint)), round).toEqual(new Set([`print ${winner}`]));
      time += KEPT_MS;
    }
  });

  test('another process returns the answer of the first one', async () => {
    const { sql, again } = await make();
    const [ours, theirs] = [sql, await again()].map((each) => createSqlIdempotency(each, () => 0, sealer));
    await ours?.claim(id, 'print');
    await ours?.started(id, 'run-1');
    expect(await theirs?.claim(id, 'print')).toMatchObject({ isNew: false, state: 'started', run: 'run-1' });
    await ours?.answered(id, 'run-1', { status: 200, headers: [], body: Buffer.from('done') });
    expect(await theirs?.claim(id, 'print')).toMatchObject({ state: 'answered', answer: { status: 200 } });
  });

  test('a disconnected caller no longer polls for the answer of another server', async () => {
    const { sql, again } = await make();
    const bus = createLocalBus(() => {});
    const peers = (self: string) => ({ self, isLive: async () => true, bus });
    const ours = createSqlIdempotency(sql, () => 0, sealer, { peers: peers('ours') });
    const theirs = createSqlIdempotency(await again(), () => 0, sealer, { peers: peers('theirs') });
    await ours.claim(id, 'print');
    let isGone = false;
    const waiting = theirs.claim(id, 'print', () => isGone);
    isGone = true;
    await expect(waiting).rejects.toMatchObject({ code: 'run_cancelled' });
  });

  test('keys that other processes added or deleted are counted after an hour, after a minute where there is no room', async () => {
    let time = 0;
    const { sql, again } = await make();
    const limits = { ...roomy, keys: 2 };
    const [ours, theirs] = [sql, await again()].map((each) =>
      createSqlIdempotency(each, () => time, sealer, { limits }),
    );
    const key = (name: string) => ({ ...id, key: name });
    await ours?.claim({ ...id, trigger: 'other' }, 'print');
    for (const name of ['1', '2']) await theirs?.claim(key(name), 'print');
    time += 3_600_000;
    await expect(ours?.claim(key('3'), 'print')).rejects.toMatchObject({ code: 'idempotency_full' });
    await theirs?.release(key('2'));
    await expect(ours?.claim(key('3'), 'print')).rejects.toMatchObject({ code: 'idempotency_full' });
    time += 60_000;
    expect(await ours?.claim(key('3'), 'print')).toMatchObject({ isNew: true });
  });

  test('expired keys free exactly their room', async () => {
    let time = 0;
    const { sql } = await make();
    const store = createSqlIdempotency(sql, () => time, sealer, {
      limits: { keys: 3, answer: 10, answers: 15 },
    });
    const key = (name: string) => ({ ...id, key: name });
    const answer = { status: 200, headers: [], body: new Uint8Array(10) };
    await store.claim(key('old'), 'print');
    await store.answered(key('old'), 'run', answer);
    // All are counted a second before the first one ends.
    time = KEPT_MS - 1000;
    await store.claim(key('young'), 'print');
    time = KEPT_MS;
    for (let n = 0; n < SWEEP_EVERY; n++) await store.claim({ ...id, trigger: 'other' }, 'print');
    await store.answered(key('young'), 'run', answer);
    expect(await store.claim(key('young'), 'print')).toMatchObject({ state: 'answered' });
    for (const name of ['2', '3']) await store.claim(key(name), 'print');
    await expect(store.claim(key('4'), 'print')).rejects.toMatchObject({ code: 'idempotency_full' });
  });

  test('projects are kept apart, and so is their room', async () => {
    const { sql } = await make();
    const limits = { ...roomy, keys: 1 };
    const [one, two] = ['one', 'two'].map((project) =>
      createSqlIdempotency(sql, () => 0, sealer, { limits, project }),
    );
    expect(await one?.claim(id, 'print')).toMatchObject({ isNew: true });
    expect(await two?.claim(id, 'other')).toMatchObject({ isNew: true });
    await two?.answered(id, 'run-2', undefined);
    expect(await one?.claim(id, 'print')).toMatchObject({ isNew: false, state: 'started', run: undefined });
    await two?.release(id);
    expect(await one?.claim(id, 'print')).toMatchObject({ isNew: false });
  });
});

test('keys are there again after the file was closed and opened, and count', async () => {
  const data = await tempFolder();
  const first = openWeftSql(data);
  await createSqlIdempotency(first, () => 0, sealer).claim(id, 'print');
  await first.close();
  const second = openWeftSql(data);
  onTestFinished(() => second.close());
  const store = createSqlIdempotency(second, () => 0, sealer, { limits: { keys: 1, answer: 1, answers: 1 } });
  await expect(store.claim({ ...id, key: 'd' }, 'print')).rejects.toMatchObject({ code: 'idempotency_full' });
  expect(await store.claim(id, 'print')).toMatchObject({ state: 'started', fingerprint: 'print' });
});

test('keys of 0.1.0 are known on', async () => {
  const data = await tempFolder();
  const old = new DatabaseSync(join(data, 'weft.db'));
  old.exec(`
    CREATE TABLE idempotency (
      trigger TEXT NOT NULL, caller TEXT NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL, state TEXT NOT NULL,
      run TEXT, status INTEGER, headers TEXT, body BLOB, at REAL NOT NULL, PRIMARY KEY (trigger, caller, key)
    ) STRICT;
    CREATE INDEX idempotency_at ON idempotency (at);
    INSERT INTO idempotency VALUES ('a', 'b', 'c', 'print', 'answered', 'run-1', 201, '[["x-a","1"]]', x'00ff', 7.5);
    INSERT INTO idempotency VALUES ('a', 'b', 'd', 'print', 'started', NULL, NULL, NULL, NULL, 8);
  `);
  old.close();
  const sql = openWeftSql(data);
  onTestFinished(() => sql.close());
  const store = createSqlIdempotency(sql, () => KEPT_MS, sealer, { limits: { ...roomy, keys: 2 } });
  expect(await store.claim(id, 'print')).toEqual({
    isNew: false,
    at: 7.5,
    fingerprint: 'print',
    state: 'answered',
    run: 'run-1',
    answer: { status: 201, headers: [['x-a', '1']], body: new Uint8Array([0, 255]) },
  });
  expect(await store.claim({ ...id, key: 'd' }, 'print')).toMatchObject({ at: 8, state: 'started' });
  await expect(store.claim({ ...id, key: 'e' }, 'print')).rejects.toMatchObject({ code: 'idempotency_full' });
});

test('a database that cannot be written is the error storage_failed, and the key uses no room', async () => {
  const data = await tempFolder();
  const sql = openWeftSql(data);
  onTestFinished(() => sql.close());
  const store = createSqlIdempotency(sql, () => 0, sealer, { limits: { ...roomy, keys: 2 } });
  await store.claim(id, 'print');
  for (const key of ['d', 'e']) {
    await sql.run('PRAGMA query_only = ON');
    // The refusal makes the writer open the file again.
    await expect(store.claim({ ...id, key }, 'print')).rejects.toMatchObject({ code: 'storage_failed' });
  }
  expect(await store.claim({ ...id, key: 'd' }, 'print')).toMatchObject({ isNew: true });
});

test('keys are counted again after the first count failed', async () => {
  const data = await tempFolder();
  const sql = openWeftSql(data);
  onTestFinished(() => sql.close());
  await createSqlIdempotency(sql, () => 0, sealer).claim(id, 'print');
  const store = createSqlIdempotency(sql, () => 0, sealer, { limits: { ...roomy, keys: 1 } });
  await sql.run('PRAGMA query_only = ON');
  const more = { ...id, key: 'd' };
  await expect(store.claim(more, 'print')).rejects.toMatchObject({ code: 'storage_failed' });
  await expect(store.claim(more, 'print')).rejects.toMatchObject({ code: 'idempotency_full' });
});

test('a hidden answer is not in the file in clear', async () => {
  const data = await tempFolder();
  const sql = openWeftSql(data);
  const store = createSqlIdempotency(sql, () => 0, sealer);
  await store.claim(id, 'print');
  const body = Buffer.from('all of swordfish');
  await store.answered(id, 'run-1', { status: 200, headers: [['x-own', 'swordfish']], body, hidden: true });
  expect((await store.claim(id, 'print')).answer).toMatchObject({ headers: [['x-own', 'swordfish']], body });
  await sql.close();
  const files = readdirSync(data).map((name) => readFileSync(join(data, name), 'latin1'));
  expect(files.join()).not.toContain('swordfish');
});

test('no statement reads all keys but the count of them', async () => {
  const whole = await wholeScans(weftMigrations, async (sql) => {
    const store = createSqlIdempotency(sql, () => 0, sealer);
    await store.claim(id, 'print');
    await store.claim(id, 'print');
    await store.started(id, 'run-1');
    await store.answered(id, 'run-1', undefined);
    await store.release(id);
  });
  expect(whole.filter((text) => !text.includes('COUNT(*)'))).toEqual([]);
});

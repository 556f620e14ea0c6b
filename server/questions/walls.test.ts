import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import postgres from 'postgres';
import { describe, expect, onTestFinished, test } from 'vitest';
import { databaseKinds } from '#shared/connection.ts';
import {
  asker,
  connectionBed,
  limits,
  never,
  setFolders,
  settingsOf,
} from '../connections/testing/connection-bed.ts';
import { writesOf } from '../connections/role.ts';
import { newDatabase } from '../storage/testing/postgres-server.ts';
import { tempFolder } from '../testing/platform-bed.ts';
import { checkStatement } from './check-statement.ts';
import { createDataQuestions } from './data-questions.ts';
import { attacks, harmless } from './testing/attacks.ts';

/** The corpus against each wall by itself: the others are down. */

const column = (name: string) => ({ name, type: '', key: false });
const tables = ['t', 'u'].map((name) => ({ parts: [name], columns: ['a', 'b', 'c', 'd'].map(column) }));
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'passed',
    (error: Error & { code?: string }) => error.code ?? error.message,
  );

test('the corpus has 60 statements and more', () => {
  expect(Object.values(attacks).flat().length).toBeGreaterThanOrEqual(60);
});

describe.each(databaseKinds)('the grammar of %s', (kind) => {
  test.each(attacks[kind])('refuses %s', async (sql) => {
    expect(['sql_not_allowed', 'sql_failed']).toContain(await codeOf(checkStatement(kind, sql, tables)));
  });

  test.each(harmless[kind])('accepts %s', async (sql) => {
    expect(await codeOf(checkStatement(kind, sql, tables))).toBe('passed');
  });

  test.each(['', ' ', '-- nothing', 'SELEC 1', ';', '\0', `SELECT '${'x'.repeat(30_000)}'`])(
    'refuses %j',
    async (sql) => {
      expect(['sql_not_allowed', 'sql_failed']).toContain(await codeOf(checkStatement(kind, sql, tables)));
    },
  );
});

/** A database with everything that the corpus would like to find. */
async function attacked() {
  const address = await newDatabase();
  const admin = postgres(address, { max: 1, onnotice: () => {} });
  onTestFinished(() => admin.end());
  const reader = `reader_${new URL(address).pathname.slice(1)}`;
  await admin.unsafe(`
    CREATE TABLE t (a int, b text, d date); INSERT INTO t VALUES (1, 'x', '2026-01-01'), (2, 'y', '2026-02-01');
    CREATE SEQUENCE counter;
    CREATE FUNCTION write_as_caller() RETURNS int LANGUAGE sql AS 'DELETE FROM t; SELECT 1';
    CREATE FUNCTION write_as_owner() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'DELETE FROM t; SELECT 1';
    CREATE PROCEDURE write_as_procedure() LANGUAGE sql AS 'DELETE FROM t';
    CREATE FUNCTION is_odd(int, int) RETURNS bool LANGUAGE sql AS 'SELECT write_as_owner() = 1';
    CREATE OPERATOR !!! (LEFTARG = int, RIGHTARG = int, FUNCTION = is_odd);
    CREATE ROLE ${reader} LOGIN; GRANT SELECT ON t TO ${reader};`);
  onTestFinished(async () => void (await admin.unsafe(`DROP OWNED BY ${reader}; DROP ROLE ${reader}`)));
  const state = async (): Promise<string> => {
    const rows =
      await admin.unsafe(`SELECT (SELECT json_agg(t ORDER BY a) FROM t) AS t, (SELECT last_value FROM counter) AS n,
      (SELECT json_agg(relname ORDER BY relname) FROM pg_class WHERE relnamespace = 'public'::regnamespace) AS all`);
    return JSON.stringify(rows);
  };
  const bed = connectionBed();
  const settings = settingsOf(address);
  const grants = { flows: ['f'] };
  await bed.connections.put('owner', { kind: 'postgres', settings, grants });
  await bed.connections.put('reader', { kind: 'postgres', settings: { ...settings, user: reader }, grants });
  return { ...bed, admin, state };
}

/** Ends sooner than a statement that only waits. */
const soon = { ...limits, timeoutMs: 1500 };
/** What ends the sessions that the test needs itself, or writes outside of the database as its superuser. */
const isOutside = (sql: string): boolean => /pg_terminate_backend|weft_attack/.test(sql);

describe('PostgreSQL', () => {
  test('a user that only reads changes nothing, in a transaction that could', async () => {
    const { connections, state, admin } = await attacked();
    const before = await state();
    const through: string[] = [];
    for (const sql of attacks.postgres) {
      await codeOf(
        connections.sql.execute(
          { connection: 'reader', statements: [{ sql, params: {} }], ...soon },
          asker,
          never,
        ),
      );
      if ((await state()) === before) continue;
      through.push(sql);
      await admin.unsafe("TRUNCATE t; INSERT INTO t VALUES (1, 'x', '2026-01-01'), (2, 'y', '2026-02-01')");
    }
    // What runs with the rights of its owner is for the other walls.
    expect(through.filter((sql) => !/write_as_owner|OPERATOR/.test(sql))).toEqual([]);
    expect(through).toContain('SELECT write_as_owner()');
  }, 120_000);

  test('a transaction that only reads changes nothing, as a superuser', async () => {
    const { connections, state } = await attacked();
    const before = await state();
    for (const sql of attacks.postgres.filter((one) => !isOutside(one))) {
      await codeOf(connections.sql.query({ connection: 'owner', sql, params: {}, ...soon }, asker, never));
      expect([sql, await state()]).toEqual([sql, before]);
    }
  }, 120_000);

  test('all together read what is asked, and no more rows than that', async () => {
    const { connections, state } = await attacked();
    const data = createDataQuestions({ connections });
    const before = await state();
    const read = (sql: string, connection = 'reader') =>
      data.read({ connection, sql, ...limits, maxRows: 1 }, asker, never);
    expect(await read('SELECT a FROM t ORDER BY a DESC; -- the most')).toEqual({
      rows: [{ a: 2 }],
      more: true,
    });
    for (const sql of attacks.postgres) expect(await codeOf(read(sql))).not.toBe('passed');
    expect(await state()).toBe(before);
    expect(await codeOf(read('SELECT 1', 'owner'))).toBe('connection_writes');
    const settings = connections.list().find(({ name }) => name === 'owner')?.settings ?? {};
    const grants = { flows: ['f'], writers: true };
    await connections.put('owner', { kind: 'postgres', settings, grants });
    expect((await read('SELECT 1 AS one', 'owner')).rows).toEqual([{ one: 1 }]);
    expect(
      await codeOf(
        data.read({ connection: 'owner', sql: 'SELECT 1', ...limits }, { ...asker, flow: 'other' }, never),
      ),
    ).toBe('connection_not_granted');
  }, 60_000);

  test('its test says what the user may do besides reading', async () => {
    const { connections } = await attacked();
    expect(await connections.test('reader')).toMatchObject({ ok: true, writes: [] });
    const { writes } = await connections.test('owner');
    expect(writes).toEqual(
      expect.arrayContaining(['everything, as a superuser', 'write to t', 'create something in public']),
    );
  });

  test('its tables are read with their links', async () => {
    const { connections, admin } = await attacked();
    await admin.unsafe(
      'CREATE TABLE lines (id int PRIMARY KEY); CREATE TABLE parts (line_id int REFERENCES lines(id)); GRANT SELECT ON ALL TABLES IN SCHEMA public TO PUBLIC',
    );
    const data = createDataQuestions({ connections });
    const scheme = await data.scheme({ connection: 'reader', question: 'x', most: 10 }, asker, never);
    expect(scheme).toEqual({
      dialect: 'PostgreSQL',
      others: 0,
      tables: [
        { parts: ['lines'], columns: [{ name: 'id', type: 'integer', key: true }], links: [] },
        {
          parts: ['parts'],
          columns: [{ name: 'line_id', type: 'integer', key: false }],
          links: [{ column: 'line_id', to: 'lines.id' }],
        },
        expect.objectContaining({ parts: ['t'] }),
      ],
    });
  });
});

describe('SQLite', () => {
  async function attackedFile() {
    const folder = await tempFolder();
    setFolders({ shop: folder });
    const path = join(folder, 'shop.db');
    const db = new DatabaseSync(path);
    db.exec("CREATE TABLE t (a, b, d); INSERT INTO t VALUES (1, 'x', '2026-01-01'), (2, 'y', '2026-02-01')");
    db.close();
    const { connections } = connectionBed();
    const put = (name: string, readOnly: boolean) =>
      connections.put(name, {
        kind: 'sqlite',
        settings: { folder: 'shop', file: 'shop.db', readOnly },
        grants: { flows: ['f'] },
      });
    await put('reader', true);
    await put('owner', false);
    return { connections, content: () => readFileSync(path).toString('base64') };
  }

  test('a file that is opened read only changes by nothing', async () => {
    const { connections, content } = await attackedFile();
    const before = content();
    for (const sql of attacks.sqlite)
      await codeOf(
        connections.sql.execute(
          { connection: 'reader', statements: [{ sql, params: {} }], ...soon },
          asker,
          never,
        ),
      );
    expect(content()).toBe(before);
  }, 60_000);

  test('a session that only reads changes nothing', async () => {
    const { connections, content } = await attackedFile();
    const before = content();
    for (const sql of attacks.sqlite)
      await codeOf(connections.sql.query({ connection: 'owner', sql, params: {}, ...soon }, asker, never));
    expect(content()).toBe(before);
  }, 60_000);

  test('all together read what is asked', async () => {
    const { connections } = await attackedFile();
    const data = createDataQuestions({ connections });
    const read = (sql: string, connection = 'reader') =>
      data.read({ connection, sql, ...limits }, asker, never);
    expect(await read('SELECT b FROM t ORDER BY a;')).toEqual({
      rows: [{ b: 'x' }, { b: 'y' }],
      more: false,
    });
    for (const sql of attacks.sqlite) expect(await codeOf(read(sql))).not.toBe('passed');
    expect(await codeOf(read('SELECT 1', 'owner'))).toBe('connection_writes');
    expect((await connections.test('owner')).writes).toEqual([
      'change the file, since it is not opened read only',
    ]);
    const missing = data.read({ connection: 'nobody', sql: 'SELECT 1', ...limits }, asker, never);
    expect(await codeOf(missing)).toBe('connection_missing');
  }, 60_000);
});

test.each([
  [['GRANT USAGE ON *.* TO `r`@`%`', 'GRANT SELECT, SHOW VIEW ON `shop`.* TO `r`@`%`'], []],
  [['GRANT SELECT (`a`, `b`) ON `shop`.`t` TO `r`@`%`'], []],
  [['GRANT SELECT, INSERT (`a`, `b`), FILE ON *.* TO `r`@`%`'], ['INSERT (`a`, `b`) on *.*', 'FILE on *.*']],
  [['GRANT ALL PRIVILEGES ON `shop`.* TO `r`@`%`'], ['ALL PRIVILEGES on `shop`.*']],
  [['GRANT SELECT ON `shop`.* TO `r`@`%` WITH GRANT OPTION'], ['pass its rights on']],
  [['GRANT `writer`@`%` TO `r`@`%`'], ['what its roles may (GRANT `writer`@`%` TO `r`@`%`)']],
])('grants of MySQL: %j', async (grants, writes) => {
  const query = async () => grants.map((text) => ({ 'Grants for r@%': text }));
  expect(await writesOf({ kind: 'mysql', settings: {} }, query)).toEqual(writes);
});

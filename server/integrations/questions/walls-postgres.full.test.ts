import postgres from 'postgres';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { SqlLimits } from '#engine';
import { asker, connectionBed, limits, never, settingsOf } from '../connections/testing/connection-bed.ts';
import { newDatabase } from '../../storage/database/testing/postgres-server.ts';
import { createDataQuestions } from './data-questions.ts';
import { attacks } from './testing/attacks.ts';
import { honest } from './testing/honest.ts';
import { codeOf, isOutside, someRows, soon, tableOf } from './testing/walls-bed.ts';

/** The corpus against each wall of a real PostgreSQL alone, with the others disabled. */

/** The targets of the corpus; most of them run with the rights of their owner. */
const TRAPS = `
  CREATE TYPE place AS (street text, city text);
  ${tableOf('postgres', 't')}; ${tableOf('postgres', 'u')};
  CREATE TABLE hidden (a int);
  CREATE SEQUENCE counter;
  CREATE FUNCTION write_as_caller() RETURNS int LANGUAGE sql AS 'DELETE FROM t; SELECT 1';
  CREATE FUNCTION write_as_owner() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'DELETE FROM t; SELECT 1';
  CREATE FUNCTION purge(int) RETURNS int LANGUAGE sql SECURITY DEFINER AS 'DELETE FROM t; SELECT 1';
  CREATE FUNCTION row_purge(t) RETURNS int LANGUAGE sql SECURITY DEFINER AS 'DELETE FROM t; SELECT 1';
  CREATE FUNCTION salary(int) RETURNS text LANGUAGE sql SECURITY DEFINER AS 'SELECT ''SECRET''';
  CREATE PROCEDURE write_as_procedure() LANGUAGE sql AS 'DELETE FROM t';
  CREATE FUNCTION is_odd(int, int) RETURNS bool LANGUAGE sql AS 'SELECT write_as_owner() = 1';
  CREATE OPERATOR !!! (LEFTARG = int, RIGHTARG = int, FUNCTION = is_odd);
  CREATE DOMAIN checked AS int CHECK (purge(VALUE) = 1);
  CREATE COLLATION mine (provider = libc, locale = 'C');
  CREATE TYPE odd AS (n int);
  CREATE FUNCTION odd_to_int(odd) RETURNS int LANGUAGE sql SECURITY DEFINER AS 'DELETE FROM t; SELECT 1';
  CREATE CAST (odd AS int) WITH FUNCTION odd_to_int(odd) AS IMPLICIT;
  CREATE TABLE convertible (value odd);
  INSERT INTO convertible VALUES (ROW(1));`;

/** Functions that replace built-in ones, as better matches. */
const SHADOWS = `
  CREATE FUNCTION lower(varchar) RETURNS text LANGUAGE sql SECURITY DEFINER AS 'DELETE FROM t; SELECT ''shadow''';
  CREATE FUNCTION round(int) RETURNS int LANGUAGE sql SECURITY DEFINER AS 'DELETE FROM t; SELECT -1';
  CREATE FUNCTION joined(int, text) RETURNS text LANGUAGE sql SECURITY DEFINER AS 'DELETE FROM t; SELECT ''shadow''';
  CREATE OPERATOR || (LEFTARG = int, RIGHTARG = text, FUNCTION = joined);
  CREATE TYPE json AS (x int);`;

async function attacked(more = '') {
  const address = await newDatabase();
  const admin = postgres(address, { max: 1, onnotice: () => {} });
  onTestFinished(() => admin.end());
  const reader = `reader_${new URL(address).pathname.slice(1)}`;
  await admin.unsafe(`${TRAPS} ${someRows('t')}; ${someRows('u')}; ${more};
    CREATE ROLE ${reader} LOGIN; GRANT SELECT ON t, u, convertible TO ${reader};`);
  onTestFinished(async () => void (await admin.unsafe(`DROP OWNED BY ${reader}; DROP ROLE ${reader}`)));
  const state = async (): Promise<string> => {
    const rows =
      await admin.unsafe(`SELECT (SELECT json_agg(t ORDER BY a) FROM t) AS t, (SELECT last_value FROM counter) AS n,
      (SELECT json_agg(relname ORDER BY relname) FROM pg_class WHERE relnamespace = 'public'::regnamespace) AS all,
      (SELECT count(*) FROM pg_largeobject_metadata) AS objects`);
    return JSON.stringify(rows);
  };
  const restore = () =>
    admin.unsafe(`TRUNCATE t; ${someRows('t')}; SELECT lo_unlink(oid) FROM pg_largeobject_metadata`);
  const bed = connectionBed();
  const settings = { ...settingsOf(address), most: 1 };
  const grants = { flows: ['f'], writers: true };
  await bed.connections.put('owner', { kind: 'postgres', settings, grants });
  await bed.connections.put('reader', {
    kind: 'postgres',
    settings: { ...settings, user: reader },
    grants: { flows: ['f'] },
  });
  const data = createDataQuestions({ connections: bed.connections });
  return {
    ...bed,
    admin,
    state,
    restore,
    /** Reads like a flow of an author. */
    query: (sql: string, connection = 'owner', some: SqlLimits = limits) =>
      bed.connections.sql.query({ connection, sql, params: {}, ...some }, asker, never),
    /** Reads like a statement of a model. */
    read: (sql: string, connection = 'reader', some: SqlLimits = limits) =>
      data.read({ connection, sql, ...some }, asker, never),
  };
}

test('the second wall: a read-only user changes nothing, even in a writable transaction', async () => {
  const { connections, state, restore } = await attacked();
  const before = await state();
  const through: string[] = [];
  for (const sql of attacks.postgres) {
    const statements = [{ sql, params: {} }];
    await codeOf(connections.sql.execute({ connection: 'reader', statements, ...soon }, asker, never));
    if ((await state()) === before) continue;
    through.push(sql);
    await restore();
  }
  // The other walls cover functions with the rights of their owner, and large objects, which every user may create.
  const allowed = /write_as_owner|purge|OPERATOR|!!!|checked|convertible|lo_create|lo_from_bytea/i;
  expect(through.filter((sql) => !allowed.test(sql))).toEqual([]);
  expect(through).toContain('SELECT write_as_owner()');
  expect(through).toContain('SELECT t.row_purge FROM t');
}, 240_000);

test('the third wall: a read-only transaction changes nothing, even as a superuser', async () => {
  const { query, state } = await attacked();
  const before = await state();
  for (const sql of attacks.postgres.filter((one) => !isOutside(one))) {
    await codeOf(query(sql, 'owner', soon));
    expect([sql, await state()]).toEqual([sql, before]);
  }
}, 240_000);

describe('all together', () => {
  test('refuse the corpus, even for a superuser, and allow legitimate statements', async () => {
    const { state, read } = await attacked(SHADOWS);
    const before = await state();
    const passed: string[] = [];
    for (const sql of attacks.postgres)
      for (const user of sql.includes('hidden') ? ['reader'] : ['reader', 'owner'])
        if ((await codeOf(read(sql, user))) === 'passed') passed.push(`${user}: ${sql}`);
    expect(passed).toEqual([]);
    const refused: [string, string][] = [];
    for (const sql of honest.postgres)
      await read(sql).catch((error: Error) => refused.push([sql, error.message]));
    // The walls let columns without a name pass; a row has room for one of them.
    expect(
      refused.filter(([, message]) => !message.startsWith('Two columns of the result are called')),
    ).toEqual([]);
    expect(await state()).toBe(before);
  }, 240_000);

  test('functions, operators and types of the database do not replace built-in ones', async () => {
    const { state, read } = await attacked(SHADOWS);
    const before = await state();
    expect(
      (await read("SELECT lower('X'::varchar) AS l, round(2) AS r, 1 || 'x' AS j, '1'::json AS t")).rows,
    ).toEqual([{ l: 'x', r: 2, j: '1x', t: 1 }]);
    expect(await state()).toBe(before);
  });

  test('the server too limits statements of a model, and no others', async () => {
    const { connections, query } = await attacked();
    const settings = ['statement_timeout', 'work_mem', 'temp_file_limit', 'search_path'];
    const sql = `SELECT ${settings.map((name) => `current_setting('${name}') AS ${name}`).join(', ')}`;
    const usual = await query(sql);
    const call = { connection: 'owner', sql, params: {}, ...limits, isForeign: true };
    expect(await connections.sql.query(call, asker, never)).toEqual([
      {
        statement_timeout: '20s',
        work_mem: '16MB',
        temp_file_limit: '1GB',
        search_path: 'pg_catalog, pg_temp',
      },
    ]);
    expect(await query(sql)).toEqual(usual);
  });

  test('read no more rows than the limit, and nothing without a grant', async () => {
    const { connections, read } = await attacked();
    const data = createDataQuestions({ connections });
    expect(
      await read('SELECT a FROM t ORDER BY a DESC; -- the most', 'reader', { ...limits, maxRows: 1 }),
    ).toEqual({
      rows: [{ a: 2 }],
      more: true,
    });
    const settings = connections.list().find(({ name }) => name === 'owner')?.settings ?? {};
    await connections.put('owner', { kind: 'postgres', settings, grants: { flows: ['f'] } });
    expect(await codeOf(read('SELECT 1', 'owner'))).toBe('connection_writes');
    const other = { ...asker, flow: 'other' };
    expect(await codeOf(data.read({ connection: 'owner', sql: 'SELECT 1', ...limits }, other, never))).toBe(
      'connection_not_granted',
    );
  });
});

describe('a use of an author', () => {
  /** Settings that change the rights of reads, with each way to execute a text. */
  const set = "set_config('default_transaction_read_only', 'off', false)";
  const texts = `array[translate('select array_to_tsvector{array[set_config{''default_transaction_read_only'',''off'',false}]}','{}','()')]`;

  test('leaves no setting, lock or right for the next one, and writes nothing', async () => {
    const { query, state, admin } = await attacked();
    const before = await state();
    for (const sql of [
      `SELECT ${set}`,
      `SELECT f.ts_stat FROM unnest(${texts}) f`,
      `SELECT query_to_xml('SELECT ${set.replaceAll("'", "''")}', true, true, '')`,
      "SELECT set_config('search_path', 'nowhere', false)",
      "SELECT set_config('app.tenant', 'OF-ALICE', false)",
      "SELECT set_config('role', 'pg_monitor', false)",
      'SELECT pg_advisory_lock(4711)',
      'SELECT pg_advisory_lock_shared(4711)',
      'WITH x AS (SELECT pg_advisory_lock(4711)) SELECT count(*) FROM x',
    ]) {
      await codeOf(query(sql));
      const [found] = await query(`SELECT coalesce(current_setting('app.tenant', true), '') AS tenant,
        current_user = session_user AS same, current_setting('default_transaction_read_only') AS ro,
        current_schemas(false)::text AS path`);
      expect([sql, found]).toEqual([sql, { tenant: '', same: true, ro: 'on', path: '{public}' }]);
      await codeOf(query('WITH x AS (DELETE FROM t WHERE a = 1 RETURNING a) SELECT a FROM x'));
      await codeOf(query('SELECT f.purge FROM generate_series(1, 1) f'));
      expect([sql, await state()]).toEqual([sql, before]);
    }
    const locks = () => admin.unsafe("SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory'");
    await expect.poll(async () => (await locks())[0]?.['n']).toBe(0);
  }, 60_000);

  test('is refused before it is sent unless it reads', async () => {
    const { query } = await attacked();
    for (const sql of [
      'COMMIT',
      '(((COMMIT',
      '/* SELECT */ ROLLBACK',
      '-- SELECT\rCOMMIT',
      'SET TRANSACTION READ WRITE',
      'DO $$ BEGIN DELETE FROM t; END $$',
      "COPY t TO '/tmp/weft_attack'",
      'LISTEN x',
      'PREPARE x AS SELECT 1',
      '',
      '-- nothing',
    ])
      await expect(query(sql)).rejects.toMatchObject({
        code: 'sql_failed',
        message: expect.stringContaining('sql.execute'),
      });
    expect(await query('/* (( */ -- x\n (( SELECT 1 AS one ))')).toEqual([{ one: 1 }]);
  });

  test('that changes something leaves no settings, roles, tables or locks', async () => {
    const { connections, query } = await attacked();
    for (const sql of [
      "SET app.tenant = 'OF-ALICE'",
      "SET search_path = 'nowhere'",
      'SET ROLE pg_monitor',
      'SET SESSION AUTHORIZATION pg_monitor',
      'CREATE TEMP TABLE kept (a int)',
      "SELECT nextval('counter')",
      'SELECT pg_advisory_lock(4711)',
      'DECLARE kept CURSOR WITH HOLD FOR SELECT 1',
      'LISTEN kept',
    ]) {
      const call = { connection: 'owner', statements: [{ sql, params: {} }], ...limits };
      await connections.sql.execute(call, asker, never);
      const [found] = await query(`SELECT coalesce(current_setting('app.tenant', true), '') AS tenant,
        current_user = session_user AND session_user <> 'pg_monitor' AS same, current_schemas(false)::text AS path,
        to_regclass('kept') IS NULL AS gone, (SELECT count(*) FROM pg_cursors WHERE name = 'kept') AS cursors,
        (SELECT count(*) FROM pg_listening_channels()) AS heard,
        (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()) AS locks`);
      const nothing = {
        tenant: '',
        same: true,
        path: '{public}',
        gone: true,
        cursors: 0,
        heard: 0,
        locks: 0,
      };
      expect([sql, found]).toEqual([sql, nothing]);
      await expect(query('SELECT lastval()')).rejects.toMatchObject({ code: 'sql_failed' });
    }
  });

  test('that prepares a statement ends its session', async () => {
    const { connections, query } = await attacked();
    const statements = [{ sql: 'PREPARE left_over AS SELECT 1', params: {} }];
    await connections.sql.execute({ connection: 'owner', statements, ...limits }, asker, never);
    expect(await query('SELECT count(*) AS n FROM pg_prepared_statements WHERE from_sql')).toEqual([
      { n: 0 },
    ]);
  });
});

test('its test reports the write rights of the user', async () => {
  const { connections } = await attacked();
  expect(await connections.test('reader')).toMatchObject({ ok: true, writes: [] });
  const { writes } = await connections.test('owner');
  expect(writes).toEqual(
    expect.arrayContaining(['everything, as a superuser', 'write to t', 'create something in public']),
  );
});

test('its tables are read with their links', async () => {
  const { connections, admin } = await attacked();
  await admin.unsafe(`DROP TABLE hidden, convertible, u;
    CREATE TABLE lines (id int PRIMARY KEY); CREATE TABLE parts (line_id int REFERENCES lines(id));
    CREATE SCHEMA sales; CREATE TABLE sales.lines (x text); GRANT USAGE ON SCHEMA sales TO PUBLIC;
    GRANT SELECT ON ALL TABLES IN SCHEMA public, sales TO PUBLIC`);
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
      { parts: ['sales', 'lines'], columns: [{ name: 'x', type: 'text', key: false }], links: [] },
    ],
  });
});

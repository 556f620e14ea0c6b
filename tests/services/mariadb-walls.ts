import mysql from 'mysql2/promise';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  asker,
  connectionBed,
  limits,
  never,
  settingsOf,
} from '../../server/integrations/connections/testing/connection-bed.ts';
import { createDataQuestions } from '../../server/integrations/questions/data-questions.ts';
import { attacks } from '../../server/integrations/questions/testing/attacks.ts';
import { honest } from '../../server/integrations/questions/testing/honest.ts';
import {
  codeOf,
  isOutside,
  someRows,
  soon,
  tableOf,
} from '../../server/integrations/questions/testing/walls-bed.ts';
import { addressOf } from '../runner/services.ts';

/** The corpus against each wall of a real MariaDB by itself: the others are down. */

async function attacked() {
  const address = addressOf('mariadb');
  const name = `walls_${process.pid}_${Math.random().toString(36).slice(2, 8)}`;
  const admin = await mysql.createConnection(address.href);
  onTestFinished(async () => {
    await admin.query(`DROP DATABASE IF EXISTS ${name}`);
    await admin.query(`DROP USER IF EXISTS ${name}@'%'`);
    await admin.end();
  });
  for (const sql of [
    `CREATE DATABASE ${name}`,
    `USE ${name}`,
    ...['t', 'u'].flatMap((table) => [tableOf('mysql', table), someRows(table)]),
    'CREATE TABLE log (a INT)',
    'CREATE FUNCTION write_something() RETURNS INT MODIFIES SQL DATA BEGIN DELETE FROM t; RETURN 1; END',
    // Behind a blank it would be called in the place of the built-in one.
    'CREATE FUNCTION `sum`(x INT) RETURNS INT MODIFIES SQL DATA BEGIN DELETE FROM t; RETURN 77; END',
    'CREATE SEQUENCE s',
    `CREATE USER ${name}@'%' IDENTIFIED BY 'reader'`,
    `GRANT SELECT ON ${name}.* TO ${name}@'%'`,
  ])
    await admin.query(sql);
  const state = async (): Promise<string> => {
    const [rows] = await admin.query(
      `SELECT (SELECT GROUP_CONCAT(a, b ORDER BY a) FROM t) AS t, (SELECT COUNT(*) FROM log) AS n,
        (SELECT GROUP_CONCAT(table_name ORDER BY 1) FROM information_schema.tables WHERE table_schema = DATABASE()) AS x`,
    );
    return JSON.stringify(rows);
  };
  const restore = async (): Promise<void> => {
    await admin.query('DELETE FROM t');
    await admin.query(someRows('t'));
  };
  const bed = connectionBed();
  const settings = { ...settingsOf(address.href), database: name, most: 1 };
  const grants = { flows: ['f'], writers: true };
  await bed.connections.put('owner', { kind: 'mysql', settings, grants });
  const reader = { ...settings, user: name, password: 'reader' };
  await bed.connections.put('reader', { kind: 'mysql', settings: reader, grants: { flows: ['f'] } });
  const data = createDataQuestions({ connections: bed.connections });
  return {
    ...bed,
    admin,
    state,
    restore,
    query: (sql: string, connection = 'owner', some = limits) =>
      bed.connections.sql.query({ connection, sql, params: {}, ...some }, asker, never),
    read: (sql: string, connection = 'reader', some = limits) =>
      data.read({ connection, sql, ...some }, asker, never),
  };
}

/** What disturbs other tests on the same server, or takes the database away. */
const isMutual = (sql: string): boolean => isOutside(sql) || /KILL|FLUSH|GRANT|LOCK TABLES/i.test(sql);

/** Registers its tests. */
export function mariadbWalls(): void {
  describe('walls around statements', walls);
}

function walls(): void {
  test('the second wall: a read-only user changes nothing, even in a writable transaction', async () => {
    const { connections, state } = await attacked();
    const before = await state();
    for (const sql of attacks.mysql.filter((one) => !isMutual(one))) {
      const statements = [{ sql, params: {} }];
      await codeOf(connections.sql.execute({ connection: 'reader', statements, ...soon }, asker, never));
      expect([sql, await state()]).toEqual([sql, before]);
    }
  }, 240_000);

  test('the third wall: a read-only transaction changes nothing, even with all rights', async () => {
    const { query, state } = await attacked();
    const before = await state();
    for (const sql of attacks.mysql.filter((one) => !isMutual(one))) {
      await codeOf(query(sql, 'owner', soon));
      expect([sql, await state()]).toEqual([sql, before]);
    }
  }, 240_000);

  test('all together refuse the corpus, and allow legitimate statements', async () => {
    const { read, state } = await attacked();
    const before = await state();
    const passed: string[] = [];
    for (const sql of attacks.mysql)
      for (const user of ['reader', 'owner'])
        if ((await codeOf(read(sql, user))) === 'passed') passed.push(`${user}: ${sql}`);
    expect(passed).toEqual([]);
    const refused: unknown[] = [];
    for (const sql of honest.mysql)
      await read(sql).catch((error: Error) => refused.push([sql, error.message]));
    expect(refused).toEqual([]);
    expect((await read('SELECT SUM (a) AS s FROM t', 'owner')).rows).toEqual([{ s: 3 }]);
    expect(await state()).toBe(before);
  }, 240_000);

  test('a use of an author leaves no setting, variable or lock for the next one', async () => {
    const { admin, query, state } = await attacked();
    await admin.query(`CREATE FUNCTION open_up() RETURNS INT BEGIN
      SET SESSION tx_read_only = 0; SET @kept = 5; SET SESSION sql_mode = ''; RETURN GET_LOCK('walls_kept', 1); END`);
    await admin.query('CREATE VIEW opening AS SELECT open_up() AS a');
    const before = await state();
    for (const sql of [
      '/*! SET SESSION TRANSACTION READ WRITE # */ select 1\n*/',
      '/*M! SET SESSION TRANSACTION READ WRITE # */ select 1\n*/',
      'SELECT open_up()',
      'SELECT * FROM opening',
      "SELECT GET_LOCK('walls_kept', 1)",
      "SELECT 1 INTO/**/OUTFILE '/tmp/weft_attack_walls'",
    ]) {
      await codeOf(query(sql));
      const [found] = await query(
        "SELECT @kept AS kept, @@tx_read_only AS ro, @@sql_mode LIKE '%STRICT%' AS strict, @@time_zone AS zone",
      );
      expect([sql, found]).toEqual([sql, { kept: null, ro: 1, strict: 1, zone: '+00:00' }]);
      await codeOf(query('/*! DELETE FROM t WHERE a = 1 # */ select 1\n*/'));
      await codeOf(query('WITH x AS (SELECT 1) DELETE FROM t'));
      await codeOf(query('SELECT write_something()'));
      expect([sql, await state()]).toEqual([sql, before]);
    }
    await expect
      .poll(async () => {
        const [rows] = await admin.query("SELECT IS_USED_LOCK('walls_kept') AS used");
        return rows;
      })
      .toEqual([{ used: null }]);
  }, 60_000);
}

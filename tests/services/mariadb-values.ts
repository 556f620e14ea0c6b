import { describe, expect, test } from 'vitest';
import {
  allOf,
  asker,
  connectionBed,
  limits,
  never,
  settingsOf,
} from '../../server/integrations/connections/testing/connection-bed.ts';
import { sqlValuesContract } from '../../server/integrations/connections/testing/sql-values-contract.ts';
import { addressOf } from '../runner/services.ts';

const ZULU = '2024-07-01T12:00:00.500Z';
const BERLIN = '2024-07-01T14:00:00.5+02:00';

/** What MariaDB gives and takes. */
export function mariadbValues(): void {
  const make = async () => ({ kind: 'mysql' as const, settings: settingsOf(addressOf('mariadb').href) });

  sqlValuesContract('MariaDB', {
    make,
    bytes: 'BLOB',
    stored: [
      { type: 'INT', given: 42 },
      { type: 'BIGINT', given: '9007199254740993' },
      { type: 'BIGINT UNSIGNED', given: '18446744073709551615' },
      { type: 'DECIMAL(20, 16)', given: 0.25 },
      { type: 'DECIMAL(30, 2)', given: '12345678901234567.89' },
      { type: 'FLOAT', given: 0.1 },
      { type: 'FLOAT', given: 16_777_216 },
      { type: 'DOUBLE', given: 0.1 },
      { type: 'BOOLEAN', given: true, read: 1 },
      { type: 'BIT(1)', given: 1 },
      { type: 'BIT(16)', given: 300 },
      { type: 'VARCHAR(50)', given: ZULU },
      { type: 'TEXT', given: BERLIN },
      { type: 'BLOB', given: { $bytes: '3q2+7w==' } },
      { type: 'BLOB', given: { $bytes: '' } },
      { type: 'VARBINARY(10)', given: { $bytes: 'AP8nXA==' } },
      { type: 'DATE', given: '2024-07-01' },
      { type: 'DATE', given: ZULU, read: '2024-07-01' },
      { type: 'DATETIME(3)', given: ZULU, read: '2024-07-01T12:00:00.500' },
      { type: 'DATETIME(3)', given: BERLIN, read: '2024-07-01T12:00:00.500' },
      { type: 'DATETIME(6)', given: '2024-07-01T12:00:00.123456789Z', read: '2024-07-01T12:00:00.123456' },
      { type: 'DATETIME', given: '2024-07-01T12:00Z', read: '2024-07-01T12:00:00' },
      { type: 'DATETIME(3)', given: '2024-07-01T12:00:00.500' },
      { type: 'TIMESTAMP(3) NULL', given: ZULU },
      { type: 'TIMESTAMP(3) NULL', given: BERLIN, read: ZULU },
      { type: 'TIMESTAMP NULL', given: '2024-07-01T23:30:00-01:00', read: '2024-07-02T00:30:00Z' },
      { type: 'TIME', given: '12:30:00' },
      { type: 'JSON', given: { a: [1, 'two', null] } },
      { type: 'JSON', given: [1, 'x'] },
      { type: "ENUM('a', 'b')", given: 'a' },
    ],
    computed: [
      ['avg(x) AS v FROM (SELECT 1 AS x UNION SELECT 2 UNION SELECT 4) AS t', 2.3333],
      ['10 / 4 AS v', 2.5],
      ['CAST(0.25 AS DECIMAL(20, 16)) AS v', 0.25],
      ['sum(x) AS v FROM (SELECT 12345678901234567.89 AS x) AS t', '12345678901234567.89'],
      ["x'00ff' AS v", 'AP8='],
    ],
  });

  describe('times in statements of MariaDB', () => {
    async function table() {
      const bed = connectionBed();
      await bed.connections.put('db', { ...(await make()), grants: { flows: ['f'] } });
      const { sql } = bed.connections;
      const call = { connection: 'db', ...limits };
      const execute = (...statements: (readonly [string, Record<string, unknown>?])[]) =>
        sql.execute(
          { ...call, statements: statements.map(([text, params = {}]) => ({ sql: text, params })) },
          asker,
          never,
        );
      await execute(['DROP TABLE IF EXISTS moments']);
      await execute(['CREATE TABLE moments (n INT, said VARCHAR(50), a DATETIME(3), b TIMESTAMP(3) NULL)']);
      const query = (text: string, params = {}) => sql.query({ ...call, sql: text, params }, asker, never);
      const stream = (text: string, params = {}) =>
        allOf(sql.stream({ ...call, sql: text, params }, asker, never));
      return { execute, query, stream };
    }

    const put = 'INSERT INTO moments VALUES (:n, :said, :a, :b)';

    test('a text stays as it is where the same time goes into other columns', async () => {
      const db = await table();
      const same = { said: BERLIN, a: BERLIN, b: BERLIN };
      await db.execute(
        [put, { n: 1, ...same }],
        [put, { n: 2, ...same, a: null }],
        [put, { n: 3, ...same, b: null }],
      );
      const row = { said: BERLIN, a: '2024-07-01T12:00:00.500', b: ZULU };
      expect(await db.query('SELECT * FROM moments ORDER BY n')).toEqual([
        { n: 1, ...row },
        { n: 2, ...row, a: null },
        { n: 3, ...row, b: null },
      ]);
    });

    test('a comparison means the moment, whatever the offset', async () => {
      const db = await table();
      await db.execute([put, { n: 1, said: BERLIN, a: ZULU, b: ZULU }]);
      const ask = (where: string, at: string) => db.query(`SELECT n FROM moments WHERE ${where}`, { at });
      for (const at of [ZULU, BERLIN]) {
        expect([at, await ask('a = :at', at)]).toEqual([at, [{ n: 1 }]]);
        expect([at, await ask('a <= :at AND b >= :at', at)]).toEqual([at, [{ n: 1 }]]);
      }
      expect(await ask('said = :at', BERLIN)).toEqual([{ n: 1 }]);
      expect(await ask('said = :at', ZULU)).toEqual([]);
      expect(
        await db.execute(['UPDATE moments SET n = 2 WHERE a = :at AND b = :at', { at: BERLIN }]),
      ).toEqual([{ count: 1, rows: [] }]);
    });

    test('a stream that would compare without the offset is an error that says what to do', async () => {
      const db = await table();
      await db.execute([put, { n: 1, said: null, a: ZULU, b: null }]);
      const sql = 'SELECT n FROM moments WHERE a <= :at';
      expect(await db.stream(sql, { at: ZULU })).toEqual([{ n: 1 }]);
      await expect(db.stream(sql, { at: BERLIN })).rejects.toMatchObject({
        code: 'sql_failed',
        message: expect.stringContaining('2024-07-01T12:00:00.5Z'),
      });
    });

    test('what is no time is refused as before', async () => {
      const db = await table();
      for (const a of ['2024-13-01T00:00:00Z', 'soon', '2024-07-01T12:00:00 Europe/Berlin'])
        await expect(db.execute([put, { n: 1, said: null, a, b: null }])).rejects.toMatchObject({
          code: 'sql_failed',
          message: expect.stringContaining(a),
        });
    });
  });

  describe('errors and procedures of MariaDB', () => {
    async function run(text: string, params = {}) {
      const bed = connectionBed();
      await bed.connections.put('db', { ...(await make()), grants: { flows: ['f'] } });
      const statements = [{ sql: text, params }];
      return bed.connections.sql.execute({ connection: 'db', ...limits, statements }, asker, never);
    }

    test('an error of syntax has its line', async () => {
      await expect(run('SELECT 1\n  AS a,\n  :v FORM t', { v: 1 })).rejects.toMatchObject({
        code: 'sql_failed',
        data: { errno: 1064, line: 3 },
      });
    });

    test('a text that is no JSON says what to write', async () => {
      await run('CREATE OR REPLACE TABLE jsons (j JSON)');
      await expect(run('INSERT INTO jsons VALUES (:j)', { j: 'plain' })).rejects.toMatchObject({
        code: 'sql_failed',
        message: expect.stringContaining('json('),
      });
    });

    test('a procedure gives the rows of its statements', async () => {
      await run('CREATE OR REPLACE PROCEDURE both_of_them() BEGIN SELECT 1 AS a; SELECT 2 AS b; END');
      expect(await run('CALL both_of_them()')).toEqual([{ count: 2, rows: [{ a: 1 }, { b: 2 }] }]);
    });
  });
}

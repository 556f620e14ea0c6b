import { beforeAll, describe, expect, test } from 'vitest';
import type { SqlStatement } from '#engine';
import { allOf, asker, connectionBed, limits, type Made, never } from './connection-bed.ts';

/** A value that is written to a column and read from it. */
export interface StoredValue {
  /** The type of the column. */
  readonly type: string;
  readonly given: unknown;
  /** The value in the row; the given value if it is left out. */
  readonly read?: unknown;
}

/** The differences between databases. */
export interface ValuesDialect {
  make(): Promise<Made>;
  readonly stored: readonly StoredValue[];
  /** Statements that define types. */
  readonly types?: readonly string[];
  /** Expressions named `v` for SELECT, with their values. */
  readonly computed: readonly (readonly [sql: string, value: unknown])[];
  /** The type of a column of bytes. */
  readonly bytes: string;
}

const BYTES = Buffer.from([0xde, 0xad, 0xbe, 0xef, 0, 0x27, 0x5c]);

/** The guarantees of every kind of connection to a database for the values of its rows and statements. */
export function sqlValuesContract(
  name: string,
  { make, types = [], stored, computed, bytes }: ValuesDialect,
): void {
  describe(`values of ${name}`, () => {
    let made: Made;
    const left = [...types];
    beforeAll(async () => void (made = await make()));

    async function open() {
      const bed = connectionBed();
      await bed.connections.put('db', { ...made, grants: { flows: ['f'] } });
      const { sql } = bed.connections;
      const call = { connection: 'db', ...limits };
      for (const text of left.splice(0))
        await sql.execute({ ...call, statements: [{ sql: text, params: {} }] }, asker, never);
      return {
        connections: bed.connections,
        query: (text: string, params: SqlStatement['params'] = {}, more: Partial<SqlStatement> = {}) =>
          sql.query({ ...call, ...more, sql: text, params }, asker, never),
        execute: (text: string, params: SqlStatement['params'] = {}) =>
          sql.execute({ ...call, statements: [{ sql: text, params }] }, asker, never),
        stream: (text: string, params: SqlStatement['params'] = {}, more: Partial<SqlStatement> = {}) =>
          allOf(sql.stream({ ...call, sql: text, params, ...more }, asker, never)),
      };
    }

    /** A table with one column `v`, and a table with an additional number `n`. */
    async function table(type: string) {
      const db = await open();
      await db.execute('DROP TABLE IF EXISTS vals');
      await db.execute(`CREATE TABLE vals (n INTEGER, v ${type})`);
      return db;
    }

    const put = 'INSERT INTO vals (n, v) VALUES (:n, :v)';

    test.each(stored)('$type: $given is stored, read, and stored again', async (one) => {
      const { type, given, read = given } = one;
      const db = await table(type);
      await db.execute(put, { n: 1, v: given });
      const [row] = await db.query('SELECT v FROM vals', {}, { bytes: 'object' });
      expect(row).toEqual({ v: read });
      expect(await db.stream('SELECT v FROM vals', {}, { bytes: 'object' })).toEqual([{ v: read }]);
      await db.execute(put, { n: 2, v: row?.['v'] });
      expect(await db.query('SELECT v FROM vals WHERE n = 2', {}, { bytes: 'object' })).toEqual([row]);
    });

    test.each(computed)('%s gives %j', async (sql, value) => {
      const db = await open();
      expect(await db.query(`SELECT ${sql}`)).toEqual([{ v: value }]);
      expect(await db.stream(`SELECT ${sql}`)).toEqual([{ v: value }]);
    });

    test('bytes are base64 in rows unless objects are requested', async () => {
      const db = await table(bytes);
      const given = { $bytes: BYTES.toString('base64') };
      await db.execute(put, { n: 1, v: given });
      expect(await db.query('SELECT v FROM vals')).toEqual([{ v: given.$bytes }]);
      expect(await db.query('SELECT v FROM vals', {}, { bytes: 'object' })).toEqual([{ v: given }]);
      expect(await db.query('SELECT n FROM vals WHERE v = :v', { v: given })).toEqual([{ n: 1 }]);
    });

    test.each(['not base64', 'abc', 5, null])('bytes of %j are refused', async (given) => {
      const db = await table(bytes);
      await expect(db.execute(put, { n: 1, v: { $bytes: given } })).rejects.toMatchObject({
        code: 'sql_invalid',
        message: expect.stringContaining(':v'),
      });
    });

    test.each([
      ['SELECT 1 AS a, 2 AS a', '"a"'],
      ['SELECT x.n, y.n FROM vals AS x JOIN vals AS y ON x.n = y.n', '"n"'],
      ['SELECT * FROM vals AS x CROSS JOIN vals AS y', '"n"'],
    ])('two columns with the same name are refused: %s', async (sql, column) => {
      const db = await table('INTEGER');
      const refusal = {
        code: 'sql_invalid',
        transient: false,
        message: expect.stringContaining('AS other_id'),
      };
      for (const rows of [0, 1]) {
        if (rows === 1) await db.execute(put, { n: 1, v: 1 });
        await expect(db.query(sql)).rejects.toMatchObject(refusal);
        await expect(db.query(sql)).rejects.toMatchObject({ message: expect.stringContaining(column) });
        await expect(db.stream(sql)).rejects.toMatchObject(refusal);
      }
      const drawn = await db.connections.describe('db', {
        flow: 'f',
        operator: 'sql.query',
        sql,
        mayPublish: true,
      });
      expect(drawn).toMatchObject({ is: 'refused', message: expect.stringContaining(column) });
      expect(await db.query('SELECT n FROM vals')).toEqual([{ n: 1 }]);
    });

    test('a change that would return two columns with the same name is not made', async () => {
      const db = await table('INTEGER');
      await expect(db.execute(`${put} RETURNING n, v AS n`, { n: 1, v: 2 })).rejects.toMatchObject({
        code: 'sql_invalid',
      });
      expect(await db.query('SELECT n FROM vals')).toEqual([]);
      expect(await db.execute(`${put} RETURNING n, v`, { n: 1, v: 2 })).toEqual([
        { count: 1, rows: [{ n: 1, v: 2 }] },
      ]);
    });

    test('a list in IN stands for its items', async () => {
      const db = await table('VARCHAR(20)');
      for (const [n, v] of ['a', "b'", 'c', null].entries()) await db.execute(put, { n, v });
      const found = async (where: string, params: SqlStatement['params']) =>
        (await db.query(`SELECT n FROM vals WHERE ${where} ORDER BY n`, params)).map(({ n }) => n);
      expect(await found('v IN (:vs)', { vs: ['a', "b'", 'z'] })).toEqual([0, 1]);
      expect(await found('n IN ( :ns )', { ns: [2, 3] })).toEqual([2, 3]);
      expect(await found('n IN (:ns)', { ns: ['2', '3'] })).toEqual([2, 3]);
      expect(await found('v IN (:vs)', { vs: [] })).toEqual([]);
      expect(await found('n NOT IN (:ns)', { ns: [2, 3] })).toEqual([0, 1]);
      expect(await found('n NOT IN (:ns)', { ns: [] })).toEqual([0, 1, 2, 3]);
      expect(
        await found('n IN (:ns) AND v IN (:vs) AND n < :most', { ns: [0, 1], vs: ['a', "b'"], most: 1 }),
      ).toEqual([0]);
      expect(await found('n IN (:n)', { n: 2 })).toEqual([2]);
      expect(await found('n IN (:a, :b)', { a: 2, b: 3 })).toEqual([2, 3]);
      expect(
        await found("n IN (:ns) AND ':ns' <> ''", { ns: Array.from({ length: 500 }, (_, i) => i) }),
      ).toEqual([0, 1, 2, 3]);
      await expect(found('n IN (:ns)', { ns: [[1, 2]] })).rejects.toMatchObject({ code: 'sql_invalid' });
      await expect(found('n = :ns', { ns: [1, 2] })).rejects.toMatchObject({
        code: expect.stringMatching(/^sql_(?:invalid|failed)$/),
      });
      const rows = await db.stream('SELECT n FROM vals WHERE n IN (:ns) ORDER BY n', { ns: [1, 3] });
      expect(rows).toEqual([{ n: 1 }, { n: 3 }]);
      expect(await db.execute('DELETE FROM vals WHERE n IN (:ns)', { ns: [1, 3] })).toEqual([
        { count: 2, rows: [] },
      ]);
    });
  });
}

import { newDatabase } from '../../../../storage/database/testing/postgres-server.ts';
import { describe, expect, test } from 'vitest';
import { asker, connectionBed, limits, never, settingsOf } from '../../testing/connection-bed.ts';
import { startProxy } from '../../testing/proxy.ts';
import { certificate } from '../../testing/self-signed.ts';
import { sqlContract } from '../../testing/sql-contract.ts';
import { sqlValuesContract } from '../../testing/sql-values-contract.ts';

sqlContract('PostgreSQL', {
  make: async () => ({ kind: 'postgres', settings: settingsOf(await newDatabase()) }),
  slow: 'SELECT pg_sleep(60) AS slept',
  slowCount:
    "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE 'SELECT pg_sleep%'",
  types: { big: 'BIGINT', decimal: 'NUMERIC(10, 2)', json: 'JSONB', bytes: 'BYTEA' },
  many: "SELECT i, repeat('x', 100) AS x FROM generate_series(1, 50000) AS i",
});

const object = (bytes: string) => ({ $bytes: Buffer.from(bytes, 'latin1').toString('base64') });

sqlValuesContract('PostgreSQL', {
  make: async () => ({ kind: 'postgres', settings: settingsOf(await newDatabase()) }),
  types: ["CREATE TYPE mood AS ENUM ('happy', 'so so')", 'CREATE DOMAIN small AS int'],
  bytes: 'BYTEA',
  stored: [
    { type: 'INT', given: 42 },
    { type: 'BIGINT', given: '9007199254740993' },
    { type: 'BIGINT', given: '9007199254740991', read: 9007199254740991 },
    { type: 'NUMERIC(20, 16)', given: 0.25 },
    { type: 'NUMERIC', given: '1.10', read: 1.1 },
    { type: 'NUMERIC', given: '12345678901234567.89' },
    { type: 'NUMERIC', given: '0.1234567890123456789' },
    { type: 'NUMERIC', given: '0.30000000000000004', read: 0.30000000000000004 },
    { type: 'NUMERIC', given: '10000000000000000' },
    { type: 'NUMERIC', given: 'NaN' },
    { type: 'REAL', given: 0.1 },
    { type: 'DOUBLE PRECISION', given: 0.1 },
    { type: 'BOOLEAN', given: true },
    { type: 'TEXT', given: '2024-07-01T12:00:00.500Z' },
    { type: 'BYTEA', given: object('\xde\xad\0') },
    { type: 'BYTEA', given: object('') },
    { type: 'BYTEA[]', given: [object('a'), null, object('\\"')] },
    { type: 'DATE', given: '2024-07-01' },
    { type: 'TIMESTAMP', given: '2024-07-01T12:00:00.5' },
    { type: 'TIMESTAMPTZ', given: '2024-07-01T14:00:00.500+02:00', read: '2024-07-01T12:00:00.5Z' },
    { type: 'TIME', given: '12:30:00.5' },
    { type: 'INTERVAL', given: 'PT1H30M' },
    { type: 'JSONB', given: { a: [1, 'two', null] } },
    { type: 'JSONB', given: [1, 'x'] },
    { type: 'JSONB', given: 7 },
    { type: 'JSONB', given: false },
    { type: 'JSONB', given: 'plain text' },
    { type: 'JSON', given: '{"looks":"like JSON"}' },
    { type: 'JSONB', given: '007' },
    { type: 'JSONB[]', given: ['text', { a: 1 }, 5, null] },
    { type: 'INT[]', given: [1, null, 3] },
    { type: 'TEXT[]', given: ['a', 'b "c"', '\\'] },
    { type: 'mood', given: 'happy' },
    { type: 'mood[]', given: ['happy', 'so so', null] },
    { type: 'small[]', given: [1, 2] },
    { type: 'INET[]', given: ['192.168.1.5/24'] },
    { type: 'INTERVAL[]', given: ['PT1H30M'] },
    { type: 'TIME[]', given: ['12:30:00'] },
    { type: 'INT4RANGE', given: '[1,5)' },
    { type: 'BIT(8)', given: '00000101' },
    { type: 'UUID', given: 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11' },
  ],
  computed: [
    ['avg(x) AS v FROM (VALUES (1), (2), (4)) AS t (x)', 7 / 3],
    ['avg(x) AS v FROM (VALUES (1), (2)) AS t (x)', 1.5],
    ['avg(x) AS v FROM (VALUES (10000001), (10000002), (10000004)) AS t (x)', 10000002 + 1 / 3],
    ['stddev(x) AS v FROM (VALUES (1), (2), (4)) AS t (x)', 1.5275252316519468],
    ['10 / 4.0 AS v', 2.5],
    ['1 / 3.0 AS v', 1 / 3],
    ['0.25::numeric(20, 16) AS v', 0.25],
    ["extract(epoch FROM timestamptz '2026-01-01T00:00:00Z') AS v", 1767225600],
    ["extract(epoch FROM timestamptz '2026-01-01T00:00:00.123456Z') AS v", 1767225600.123456],
    ['sum(x) AS v FROM (VALUES (1234567890123.4567), (1)) AS t (x)', '1234567890124.4567'],
    ['sum(x) / 1 + 0.00 AS v FROM (VALUES (123456789012345678.91)) AS t (x)', '123456789012345678.91'],
    ['sum(x) AS v FROM (VALUES (0.123456789012345678)) AS t (x) HAVING avg(x) > 0', '0.123456789012345678'],
    ["array_agg(x) AS v FROM unnest('{happy,NULL}'::mood[]) AS t (x)", ['happy', null]],
  ],
});

describe('a statement of PostgreSQL', () => {
  async function database() {
    const bed = connectionBed();
    const settings = settingsOf(await newDatabase());
    await bed.connections.put('db', { kind: 'postgres', settings, grants: { flows: ['f'] } });
    const { sql } = bed.connections;
    const call = { connection: 'db', ...limits };
    return {
      query: (text: string, params = {}) => sql.query({ ...call, sql: text, params }, asker, never),
      execute: (text: string) =>
        sql.execute({ ...call, statements: [{ sql: text, params: {} }] }, asker, never),
    };
  }

  test.each(['COPY (SELECT 1) TO STDOUT', 'copy t /* x */ TO stdout', 'COPY t FROM STDIN'])(
    'that copies over the connection is refused: %s',
    async (text) => {
      const db = await database();
      await db.execute('CREATE TABLE t (a INT)');
      const failed = await db.execute(text).catch((error: unknown) => error);
      expect(failed).toMatchObject({
        code: 'sql_failed',
        transient: false,
        message: expect.stringContaining('sql.stream'),
      });
      expect(await db.query('SELECT a FROM t')).toEqual([]);
    },
  );

  test('reads a text as JSON where it casts it, and as a JSON string elsewhere', async () => {
    const db = await database();
    const j = '{"a": 1}';
    expect(await db.query('SELECT :j::jsonb AS j', { j })).toEqual([{ j: { a: 1 } }]);
    expect(await db.query('SELECT CAST(:j AS json) AS j', { j })).toEqual([{ j: { a: 1 } }]);
    expect(await db.query('SELECT \'{"k": "x"}\'::jsonb -> \'k\' = :j AS is', { j: 'x' })).toEqual([
      { is: true },
    ]);
  });

  test('finds items of a list with ANY, and requires names for unnamed columns', async () => {
    const db = await database();
    expect(await db.query('SELECT 2 = ANY(:ids) AS is', { ids: [1, 2] })).toEqual([{ is: true }]);
    expect(await db.query('SELECT 2 = ANY(:ids) AS is', { ids: [] })).toEqual([{ is: false }]);
    await expect(db.query('SELECT 1, 2')).rejects.toMatchObject({
      code: 'sql_invalid',
      message: expect.stringContaining('?column?'),
    });
  });

  test('with a list in IN says where it is wrong as it was written', async () => {
    const db = await database();
    await expect(db.query('SELECT 1 AS a WHERE 1 IN (:ids)\n  AND nope', { ids: [1] })).rejects.toMatchObject(
      {
        data: { line: 2, column: 7 },
      },
    );
  });
});

describe('encryption', () => {
  async function answerOf(change: Record<string, unknown>, encrypts = true): Promise<unknown> {
    const made = settingsOf(await newDatabase()) as { host: string; port: number };
    const proxy = await startProxy(made, { encrypts });
    const bed = connectionBed();
    const settings = { ...made, host: '127.0.0.1', port: proxy.port, ...change };
    await bed.connections.put('db', { kind: 'postgres', settings, grants: { flows: ['f'] } });
    const call = { connection: 'db', ...limits, sql: 'SELECT 1 AS one', params: {} };
    return bed.connections.sql.query(call, asker, never).catch((error: unknown) => error);
  }

  test('with a certificate that nobody known has signed is refused, and the error says what to do', async () => {
    expect(await answerOf({ tls: 'verified' })).toMatchObject({
      code: 'connection_refused',
      transient: false,
      message: expect.stringContaining('`ca`'),
    });
  });

  test('with the certificate of its authority is made', async () => {
    expect(await answerOf({ tls: 'verified', ca: certificate })).toEqual([{ one: 1 }]);
  });

  test('with anybody is made if that is what was asked for', async () => {
    expect(await answerOf({ tls: 'unverified' })).toEqual([{ one: 1 }]);
  });

  test('for another host is refused', async () => {
    expect(await answerOf({ tls: 'verified', ca: certificate, host: '127.0.0.2' })).toMatchObject({
      code: expect.stringMatching(/^connection_/),
    });
  });

  test('that the server does not offer is refused', async () => {
    expect(await answerOf({ tls: 'verified' }, false)).toMatchObject({
      code: 'connection_refused',
      message: expect.stringContaining('offers no encryption'),
    });
  });
});

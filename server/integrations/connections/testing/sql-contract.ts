import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { SqlStatement } from '#engine';
import { asker, connectionBed, limits, type Made, never } from './connection-bed.ts';

/** The differences between databases. */
export interface SqlDialect {
  /** A new, empty database. */
  make(): Promise<Made>;
  /** A statement that takes at least a minute. */
  readonly slow: string;
  /** The number of such statements in progress, besides this one; absent where the server does not report it. */
  readonly slowCount?: string;
  /** The columns of the table `t`. */
  readonly types: {
    readonly big: string;
    readonly decimal: string;
    readonly json: string;
    readonly bytes: string;
  };
  /** Rows `i` from 1 to 50,000, with a text of 100 characters. */
  readonly many: string;
}

const hostile = [
  "'; DROP TABLE t; --",
  "' OR '1'='1",
  '" OR ""="',
  "\\'; DROP TABLE t; --",
  '\\',
  '`; DROP TABLE t; #',
  ':name',
  '$1',
  '?',
  '{{ input }}',
  '/* */ -- #',
  "'||(SELECT name FROM t)||'",
  '$$; DROP TABLE t; $$',
  '\u00bf\u0027 OR 1=1',
  'ʼ OR 1=1',
  '%_',
  'line\nbreak\r\n\ttab',
  '𝄞 ☃ é',
  '0; SELECT 1',
  '1e309',
  'NULL',
];

/** The guarantees of every kind of connection to a database; each kind runs it against real servers. */
export function sqlContract(name: string, { make, slow, slowCount, types, many }: SqlDialect): void {
  describe(`a connection to ${name}`, () => {
    let made: Made;
    beforeAll(async () => void (made = await make()));

    async function open(more: Record<string, unknown> = {}) {
      const bed = connectionBed();
      const settings = { ...made.settings, ...more };
      await bed.connections.put('db', { kind: made.kind, settings, grants: { flows: ['f'] } });
      const { sql } = bed.connections;
      const call = { connection: 'db', ...limits };
      return {
        ...bed,
        sql,
        query: (text: string, params: SqlStatement['params'] = {}, some: Partial<typeof limits> = {}) =>
          sql.query({ ...call, ...some, sql: text, params }, asker, never),
        execute: (...statements: (readonly [string, SqlStatement['params']?])[]) =>
          sql.execute(
            { ...call, statements: statements.map(([text, params = {}]) => ({ sql: text, params })) },
            asker,
            never,
          ),
        stream: (text: string, params: SqlStatement['params'] = {}, signal = never) =>
          sql.stream({ connection: 'db', timeoutMs: limits.timeoutMs, sql: text, params }, asker, signal),
      };
    }

    async function table() {
      const db = await open();
      const columns = `id INTEGER PRIMARY KEY, name VARCHAR(200), big ${types.big}, price ${types.decimal}, more ${types.json}, bytes ${types.bytes}`;
      await db.execute(['DROP TABLE IF EXISTS t']);
      await db.execute([`CREATE TABLE t (${columns})`]);
      return db;
    }

    test('opens no socket that has not passed the guard', async () => {
      const connect = Socket.prototype.connect;
      const places: string[] = [];
      vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...to: unknown[]) {
        places.push(new Error('here').stack ?? '');
        return (connect as (...given: unknown[]) => Socket).apply(this, to);
      });
      onTestFinished(() => void vi.restoreAllMocks());
      const db = await open({ most: 1 });
      await db.query('SELECT 1 AS one');
      await expect(db.query(slow, {}, { timeoutMs: 200 })).rejects.toMatchObject({ code: 'sql_timeout' });
      await db.query('SELECT 1 AS one');
      expect(places.filter((place) => !place.includes('/server/base/outbound/sockets.ts'))).toEqual([]);
      // With a server: for a session, for cancelling its statement, and for the session after it.
      expect(places).toHaveLength(slowCount === undefined ? 0 : 3);
    });

    test('returns whole numbers of JSON as texts where a number would round them', async () => {
      const db = await table();
      await db.execute([`INSERT INTO t (id, more) VALUES (1, '{"id": 1212092628029698048, "n": 2}')`]);
      const [row] = await db.query('SELECT more FROM t');
      expect(row?.['more']).toEqual({ id: '1212092628029698048', n: 2 });
    });

    test('reports the product and version of its server', async () => {
      const { connections } = await open();
      expect(await connections.test('db')).toEqual({
        ok: true,
        about: expect.stringMatching(/\d+\.\d+/),
        ms: expect.any(Number),
        // The walls of questions test the rights of each kind.
        writes: expect.arrayContaining([expect.any(String)]),
      });
    });

    test('returns values as JSON', async () => {
      const db = await table();
      const insert = 'INSERT INTO t VALUES (:id, :name, :big, :price, :more, :bytes)';
      const values = {
        name: 'Ada',
        big: '9007199254740993',
        price: 12.5,
        more: { list: [1, 'two', null], text: '"' },
        bytes: new TextEncoder().encode('hi\0'),
      };
      expect(await db.execute([insert, { id: 1, ...values }])).toEqual([{ count: 1, rows: [] }]);
      const nothing = { name: null, big: null, price: null, more: null, bytes: null };
      await db.execute([insert, { id: 2, ...nothing }]);
      expect(await db.query('SELECT * FROM t ORDER BY id')).toEqual([
        { id: 1, ...values, bytes: 'aGkA' },
        { id: 2, ...nothing },
      ]);
    });

    test('returns small whole numbers as numbers, and decimals that would lose digits as texts', async () => {
      const db = await table();
      await db.execute(['INSERT INTO t (id, big) VALUES (1, 9007199254740991), (2, -42)']);
      const rows = await db.query('SELECT big FROM t ORDER BY id');
      expect(rows).toEqual([{ big: 9007199254740991 }, { big: -42 }]);
    });

    test('never treats a value as part of the statement', async () => {
      const db = await table();
      for (const [id, name] of hostile.entries()) {
        await db.execute(['INSERT INTO t (id, name) VALUES (:id, :name)', { id, name }]);
        expect(await db.query('SELECT id, name FROM t WHERE name = :name', { name })).toEqual([{ id, name }]);
      }
      const rows = await db.query("SELECT name FROM t WHERE name <> ':x' AND name <> '' ORDER BY id");
      expect(rows).toEqual(hostile.map((name) => ({ name })));
    });

    test('refuses values without a placeholder, and placeholders without a value', async () => {
      const db = await open();
      await expect(db.query('SELECT :a AS a', {})).rejects.toMatchObject({ code: 'sql_invalid' });
      await expect(db.query('SELECT 1', { a: 1 })).rejects.toMatchObject({ code: 'sql_invalid' });
      await expect(db.query('SELECT 1; SELECT 2')).rejects.toMatchObject({ code: 'sql_failed' });
    });

    test('reads cannot write, and leave nothing behind', async () => {
      const db = await table();
      await expect(db.query("INSERT INTO t (id, name) VALUES (1, 'x')")).rejects.toMatchObject({
        code: 'sql_failed',
        message: expect.stringContaining('sql.execute'),
      });
      await expect(db.query('DROP TABLE t')).rejects.toMatchObject({ code: 'sql_failed' });
      expect(await db.query('SELECT count(*) AS n FROM t')).toEqual([{ n: 0 }]);
    });

    test('statements of a transaction take effect all together or not at all', async () => {
      const db = await table();
      const insert = 'INSERT INTO t (id, name) VALUES (:id, :name)';
      await db.execute([insert, { id: 1, name: 'one' }], ["UPDATE t SET name = 'uno' WHERE id = 1"]);
      const broken = db.execute([insert, { id: 2, name: 'two' }], [insert, { id: 1, name: 'again' }]);
      await expect(broken).rejects.toMatchObject({ code: 'sql_failed' });
      expect(await db.query('SELECT id, name FROM t')).toEqual([{ id: 1, name: 'uno' }]);
    });

    test('a transaction that is left open does not affect the next use', async () => {
      const db = await table();
      const { sql } = await open({ most: 1 });
      const run = (text: string) =>
        sql.execute({ connection: 'db', ...limits, statements: [{ sql: text, params: {} }] }, asker, never);
      await run('BEGIN').catch(() => {});
      await run("INSERT INTO t (id, name) VALUES (7, 'kept')");
      expect(await db.query('SELECT id FROM t')).toEqual([{ id: 7 }]);
    });

    test('reports the place of an error in a statement', async () => {
      const db = await table();
      const error = await db.query('SELECT\n  nothing_like_it FROM t').catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'sql_failed', transient: false });
      expect((error as Error).message).toContain('nothing_like_it');
    });

    test('more rows or bytes than the limits are an error', async () => {
      const db = await open();
      await expect(db.query(many)).rejects.toMatchObject({ code: 'value_too_large' });
      await expect(db.query(many, {}, { maxRows: 100_000, maxBytes: 100_000 })).rejects.toMatchObject({
        code: 'value_too_large',
      });
      expect(await db.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    });

    test('streams any number of rows, in order', async () => {
      const db = await open();
      let sum = 0;
      let last = 0;
      for await (const row of db.stream(many)) {
        expect(row['i']).toBe(last + 1);
        last = row['i'] as number;
        sum += String(row['x']).length;
      }
      expect([last, sum]).toEqual([50_000, 5_000_000]);
    });

    test('an abandoned stream returns its session', async () => {
      const db = await open({ most: 1 });
      for await (const row of db.stream(many)) if (row['i'] === 5) break;
      expect(await db.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
      const over = new AbortController();
      const stopped = (async () => {
        for await (const row of db.stream(many, {}, over.signal))
          if (row['i'] === 5) over.abort(new Error('over'));
      })();
      await expect(stopped).rejects.toThrow('over');
      expect(await db.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    });

    test('an endless statement is cancelled at the server, and its session is free again', async () => {
      const db = await open({ most: 1 });
      await expect(db.query(slow, {}, { timeoutMs: 500 })).rejects.toMatchObject({ code: 'sql_timeout' });
      if (slowCount !== undefined)
        await expect.poll(() => db.query(slowCount), { timeout: 10_000 }).toEqual([{ n: 0 }]);
      expect(await db.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    });

    test('a stopped run stops its statement', async () => {
      const db = await open({ most: 1 });
      const over = new AbortController();
      const call = { connection: 'db', ...limits, sql: slow, params: {} };
      const asked = db.sql.query(call, asker, over.signal);
      asked.catch(() => {});
      await expect.poll(() => db.connections.counts()[0]?.open).toBe(1);
      await sleep(50);
      over.abort(new Error('stopped'));
      await expect(asked).rejects.toThrow('stopped');
      expect(await db.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    });

    test('the number of sessions is limited, and a call that waits for one uses its time', async () => {
      const db = await open({ most: 1 });
      const over = new AbortController();
      const call = { connection: 'db', ...limits, sql: slow, params: {} };
      const holding = db.sql.query(call, asker, over.signal).catch(() => {});
      await expect.poll(() => db.connections.counts()[0]?.open).toBe(1);
      await expect(db.query('SELECT 1 AS one', {}, { timeoutMs: 50 })).rejects.toMatchObject({
        code: 'sql_timeout',
      });
      over.abort(new Error('over'));
      await holding;
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => db.query('SELECT :i AS i', { i: String(i) })),
      );
      expect(answers.map(([row]) => String(row?.['i']))).toEqual(
        Array.from({ length: 20 }, (_, i) => String(i)),
      );
      const rest = [{ name: 'db', open: 1, idle: 1, queued: 0 }];
      await expect.poll(() => db.connections.counts()).toEqual(rest);
    });

    test('a changed connection lends no earlier session', async () => {
      const db = await open();
      await db.query('SELECT 1 AS one');
      await db.connections.put('db', made);
      expect(db.connections.counts()).toEqual([]);
      await db.connections.remove('db');
      await expect(db.query('SELECT 1 AS one')).rejects.toMatchObject({ code: 'connection_missing' });
    });

    const ask = { flow: 'f', operator: 'sql.query', mayPublish: true };

    test('describes the rows of a statement without executing it', async () => {
      const db = await table();
      const describe = (sql: string) => db.connections.describe('db', { ...ask, sql });
      const found = await describe('SELECT id, name, big, price, more, bytes FROM t WHERE id = :id');
      if (found.is !== 'rows') throw new Error(JSON.stringify(found));
      expect(found.columns.map(({ name, nullable }) => [name, nullable])).toEqual([
        ['id', false],
        ['name', true],
        ['big', true],
        ['price', true],
        ['more', true],
        ['bytes', true],
      ]);
      expect(found.columns.every(({ type }) => type !== 'unknown')).toBe(true);
      const joined = await describe('SELECT b.id FROM t AS a LEFT JOIN t AS b ON b.id = a.id + 1');
      expect(joined).toMatchObject({ columns: [{ name: 'id', nullable: true }] });
      // Executing it would take longer than a description may.
      expect(await describe(slow)).toMatchObject({ is: 'rows' });
    });

    test('describes rows in the form in which they arrive', async () => {
      const db = await table();
      const insert = 'INSERT INTO t VALUES (:id, :name, :big, :price, :more, :bytes)';
      const bytes = new TextEncoder().encode('hi\0');
      const given = { name: 'Ada', big: '9007199254740993', price: 12.5, more: { a: [1] }, bytes };
      await db.execute([insert, { id: 1, ...given }]);
      await db.execute([insert, { id: 2, name: '', big: 7, price: 3, more: '"text"', bytes }]);
      const nothing = { name: null, big: null, price: null, more: null, bytes: null };
      await db.execute([insert, { id: 3, ...nothing }]);
      for (const sql of [
        'SELECT * FROM t ORDER BY id',
        'SELECT count(*) AS n, sum(big) AS s, avg(price) AS a, max(name) AS m FROM t',
        "SELECT id, name FROM t UNION SELECT 10 AS id, 'x' AS name",
        'SELECT a.id, b.name, b.id AS other FROM t AS a LEFT JOIN t AS b ON b.id = a.id + 1',
        "SELECT 1 AS one, 1.5 AS half, 'a' AS text, NULL AS gap, price * 2 AS twice, CASE WHEN id = 1 THEN id END AS c FROM t",
      ]) {
        const found = await db.connections.describe('db', { ...ask, sql });
        if (found.is !== 'rows') throw new Error(`${sql}: ${JSON.stringify(found)}`);
        const shape = Object.fromEntries(
          found.columns.map(({ name, nullable, schema }) => [
            name,
            nullable ? { anyOf: [schema, { type: 'null' }] } : schema,
          ]),
        );
        const row = z.fromJSONSchema({
          ...{ type: 'object', additionalProperties: false, properties: shape, required: Object.keys(shape) },
        } as never);
        const rows = await db.query(sql);
        expect(rows.length).toBeGreaterThan(0);
        for (const one of rows)
          expect([sql, one, row.safeParse(one).error?.issues]).toEqual([sql, one, undefined]);
      }
    });

    test('describes no statement that changes data, and reports the refusal', async () => {
      const db = await table();
      await db.execute(['INSERT INTO t (id) VALUES (1)']);
      for (const sql of [
        'DELETE FROM t',
        'DROP TABLE t',
        'UPDATE t SET id = 2',
        'INSERT INTO t (id) VALUES (2)',
      ])
        expect(['refused', 'unknown']).toContain((await db.connections.describe('db', { ...ask, sql })).is);
      expect(await db.query('SELECT id FROM t')).toEqual([{ id: 1 }]);
      for (const sql of ['SELECT nmae FROM t', 'SELEC 1', 'SELECT 1 FROM no_such_table'])
        expect(await db.connections.describe('db', { ...ask, sql })).toMatchObject({ is: 'refused' });
    });

    test('says whether it would make a change, without making it', async () => {
      const db = await table();
      await db.execute(['INSERT INTO t (id) VALUES (1)']);
      const asked = { ...ask, operator: 'sql.execute', change: true };
      for (const sql of [
        'DELETE FROM t',
        'UPDATE t SET id = :id',
        'INSERT INTO t (id, name) VALUES (:id, :name)',
        'INSERT INTO t (id) SELECT id + 1 FROM t',
      ])
        expect([sql, await db.connections.describe('db', { ...asked, sql })]).toMatchObject([
          sql,
          { is: 'rows' },
        ]);
      for (const sql of [
        'INSERT INTO no_such_table (id) VALUES (:id)',
        'INSERT INTO t (idd) VALUES (:id)',
        'UPDATE t SET nmae = :name',
        'DELETE FROM t WHERE',
      ])
        expect(await db.connections.describe('db', { ...asked, sql })).toMatchObject({ is: 'refused' });
      expect(await db.query('SELECT id FROM t')).toEqual([{ id: 1 }]);
    });

    test('describes nothing without a grant', async () => {
      const db = await table();
      const sql = 'SELECT id FROM t';
      expect(await db.connections.describe('db', { ...ask, sql })).toMatchObject({ is: 'rows' });
      for (const [asked, code] of [
        [{ ...ask, sql, flow: 'other' }, 'connection_not_granted'],
        [{ ...ask, sql, mayPublish: false }, 'secret_draft'],
      ] as const)
        expect(await db.connections.describe('db', asked)).toMatchObject({ is: 'unknown', code });
      expect(db.connections.described('db', { ...ask, sql })).toMatchObject({ is: 'rows' });
      expect(db.connections.described('db', { ...ask, sql, flow: 'other' })).toBeUndefined();
      expect(await db.connections.describe('none', { ...ask, sql })).toMatchObject({
        code: 'connection_missing',
      });
    });

    test('a description leaves its session unchanged', async () => {
      const db = await open({ most: 1 });
      for (const sql of ['SELECT 1 AS one', 'SELECT', 'SELECT :a AS a', slow]) {
        await db.connections.describe('db', { ...ask, sql });
        expect(await db.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
      }
      expect(db.connections.counts()).toMatchObject([{ open: 1 }]);
    });

    test('lists tables with their columns', async () => {
      const db = await table();
      const { tables, more } = await db.connections.tables('db');
      expect(more).toBe(false);
      const found = tables.find((one) => one.name === 't');
      expect(found?.view).toBe(false);
      expect(found?.columns.map(({ name, key }) => [name, key])).toEqual([
        ['id', true],
        ['name', false],
        ['big', false],
        ['price', false],
        ['more', false],
        ['bytes', false],
      ]);
    });
  });
}

import { beforeAll, describe, expect, test } from 'vitest';
import { asker, connectionBed, limits, type Made, never } from './connection-bed.ts';
import { type ProxyOptions, startProxy } from './proxy.ts';

/** The differences between kinds of servers. */
export interface BadServerDialect {
  /** A new, empty database behind a host and port. */
  make(): Promise<Made>;
  /** Rows `i` from 1 to 50,000. */
  readonly many: string;
  /** Settings with a user or password that the server refuses. */
  readonly stranger: Readonly<Record<string, string>>;
}

/** The guarantees of a connection when its server or the network fails. */
export function badServerContract(name: string, { make, many, stranger }: BadServerDialect): void {
  describe(`a connection to ${name} that fails`, () => {
    let made: Made;
    beforeAll(async () => void (made = await make()));

    async function open(change: Record<string, unknown> = {}, options: ProxyOptions = {}) {
      const { host, port } = made.settings as { host: string; port: number };
      const proxy = await startProxy({ host, port }, options);
      const bed = connectionBed();
      const settings = { ...made.settings, host: '127.0.0.1', port: proxy.port, ...change };
      await bed.connections.put('db', { kind: made.kind, settings, grants: { flows: ['f'] } });
      const { sql } = bed.connections;
      const call = { connection: 'db', ...limits, params: {} };
      return {
        proxy,
        connections: bed.connections,
        query: (text: string, timeoutMs = limits.timeoutMs) =>
          sql.query({ ...call, sql: text, timeoutMs }, asker, never),
        execute: (...texts: string[]) =>
          sql.execute(
            { ...call, statements: texts.map((text) => ({ sql: text, params: {} })) },
            asker,
            never,
          ),
        // A driver may wait for the rest of garbage.
        stream: (text: string) => sql.stream({ ...call, sql: text, timeoutMs: 1500 }, asker, never),
        describe: (text: string) =>
          bed.connections.describe('db', { flow: 'f', operator: 'sql.query', sql: text, mayPublish: true }),
      };
    }

    const one = [{ one: 1 }];

    test.each([
      ['break', 'connection_failed'],
      ['garbage', 'connection_failed|sql_timeout'],
      ['hang', 'sql_timeout'],
    ] as const)(
      'in the middle of a statement (%s) fails with %s, and the next call works',
      async (mode, code) => {
        const db = await open({ most: 1 });
        expect(await db.query('SELECT 1 AS one')).toEqual(one);
        await expect.poll(() => db.connections.counts()[0]?.idle).toBe(1);
        db.proxy.mode = mode;
        await expect(db.query('SELECT 2 AS two', 700)).rejects.toMatchObject({
          code: expect.stringMatching(code),
          transient: true,
        });
        db.proxy.mode = 'pass';
        expect(await db.query('SELECT 1 AS one')).toEqual(one);
      },
    );

    test.each(['break', 'garbage', 'hang'] as const)(
      'during the reset of a session (%s) costs at most the session',
      async (mode) => {
        const db = await open({ most: 1 });
        expect(await db.query('SELECT 1 AS one')).toEqual(one);
        // Its answer has arrived, but perhaps not the answer of the reset.
        db.proxy.mode = mode;
        const isBusy = (): boolean => db.connections.counts().some((count) => count.open > count.idle);
        await expect.poll(isBusy, { timeout: 15_000 }).toBe(false);
        db.proxy.mode = 'pass';
        expect(await db.query('SELECT 1 AS one')).toEqual(one);
      },
    );

    test.each(['break', 'garbage'] as const)(
      'in the middle of a stream (%s) ends the stream',
      async (mode) => {
        const db = await open({ most: 1 });
        let count = 0;
        const read = async (): Promise<void> => {
          for await (const _ of db.stream(many)) if (++count === 10) db.proxy.mode = mode;
        };
        await expect(read()).rejects.toMatchObject({
          code: expect.stringMatching('connection_failed|sql_timeout'),
        });
        expect(count).toBeLessThan(50_000);
        db.proxy.mode = 'pass';
        expect(await db.query('SELECT 1 AS one')).toEqual(one);
      },
    );

    test('in the middle of a transaction rolls back all of it', async () => {
      const db = await open({ most: 2 });
      await db.execute('DROP TABLE IF EXISTS kept');
      await db.execute('CREATE TABLE kept (id INT)');
      await db.query('SELECT 1 AS one');
      await expect.poll(() => db.connections.counts()[0]?.idle).toBeGreaterThan(0);
      const work = db.execute('INSERT INTO kept VALUES (1)', slowInsert(many), 'INSERT INTO kept VALUES (2)');
      db.proxy.cut();
      await expect(work).rejects.toMatchObject({ code: 'connection_failed' });
      expect(await db.query('SELECT count(*) AS n FROM kept')).toEqual([{ n: 0 }]);
    });

    test('while it is idle does not affect the next calls', async () => {
      const db = await open({ most: 3 });
      await Promise.all([1, 2, 3].map(() => db.query('SELECT 1 AS one')));
      await expect.poll(() => db.connections.counts()[0]?.idle).toBe(3);
      db.proxy.cut();
      await expect.poll(() => db.connections.counts()[0]?.idle).toBe(0);
      for (let i = 0; i < 5; i++) expect(await db.query('SELECT 1 AS one')).toEqual(one);
      expect(db.connections.counts()[0]?.open).toBeLessThanOrEqual(3);
    });

    test('just before a read does not affect it', async () => {
      const db = await open({ most: 3 });
      for (let i = 0; i < 20; i++) {
        await Promise.all([1, 2, 3].map(() => db.query('SELECT 1 AS one')));
        db.proxy.cut();
        expect(await db.query('SELECT 1 AS one')).toEqual(one);
      }
    });

    test('before the end of its greeting is an error within the time limit', async () => {
      const db = await open({}, { mode: 'hang' });
      await expect(db.query('SELECT 1 AS one', 300)).rejects.toMatchObject({ code: 'sql_timeout' });
      db.proxy.mode = 'pass';
      expect(await db.query('SELECT 1 AS one')).toEqual(one);
    });

    test('delays no other connection', async () => {
      const bad = await open({ most: 1 }, { mode: 'hang' });
      const good = await open({ most: 1 });
      const waiting = Array.from({ length: 20 }, () =>
        bad.query('SELECT 1 AS one', 2000).catch((error: { code: string }) => error.code),
      );
      let isOver = false;
      void Promise.all(waiting).then(() => (isOver = true));
      for (let i = 0; i < 50; i++) expect(await good.query('SELECT 1 AS one')).toEqual(one);
      expect(isOver).toBe(false);
      expect(new Set(await Promise.all(waiting))).toEqual(new Set(['sql_timeout']));
    });

    test('leaves its statements undescribed until it is back', async () => {
      const db = await open({}, { mode: 'break' });
      expect(await db.describe('SELECT 1 AS one')).toMatchObject({
        is: 'unknown',
        code: 'connection_failed',
      });
      db.proxy.mode = 'pass';
      await db.connections.put('db', {
        kind: made.kind,
        settings: { ...made.settings, host: '127.0.0.1', port: db.proxy.port },
      });
      expect(await db.describe('SELECT 1 AS one')).toMatchObject({ is: 'rows' });
      db.proxy.cut();
      db.proxy.mode = 'break';
      // Descriptions are kept for a while.
      expect(await db.describe('SELECT 1 AS one')).toMatchObject({ is: 'rows' });
    });

    test.each([
      ['user', stranger],
      ['database', { database: 'nothing_of_this_name' }],
    ])('because of a wrong %s reports it, without a retry', async (_, change) => {
      const db = await open(change);
      await expect(db.query('SELECT 1 AS one')).rejects.toMatchObject({
        code: 'connection_refused',
        transient: false,
      });
    });
  });
}

/** Long enough to be cut off in the middle. */
function slowInsert(many: string): string {
  return `INSERT INTO kept SELECT i FROM (${many}) AS x`;
}

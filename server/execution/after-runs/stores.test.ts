import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type HttpRequest, type HttpService, WeftError } from '#engine';
import { createDeadLetters, type DeadLetters } from './dead-letters.ts';
import { createDeliveries } from './deliveries.ts';
import { createDeliveryStore, type DeliveryStore } from './delivery-store.ts';
import { seal, Sealed, unseal } from '../../base/secrets/seal.ts';
import type { Sql } from '../../storage/database/sql.ts';
import { onBothDatabases } from '../../storage/database/testing/databases.ts';
import { weftMigrations } from '../../storage/database/weft-tables.ts';

const HOUR = 3_600_000;

function sealerOf(password: string) {
  const key = createHash('sha256').update(password).digest();
  return {
    seal: (text: string, about: string) => JSON.stringify(seal(key, text, about)),
    unseal: (sealed: string, about: string) => unseal(key, Sealed.parse(JSON.parse(sealed)), about),
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** Deliveries with a test clock, to a receiver that answers with the given status, or cannot be reached. */
function sender(sql: Sql, clock: { now: number }, sealer = sealerOf('a key')) {
  const sent: HttpRequest[] = [];
  const receiver: { status: number | undefined } = { status: undefined };
  let due: { at: number; act: () => void } | undefined;
  const http: HttpService = {
    async send(request) {
      sent.push(request);
      if (receiver.status === undefined) throw new WeftError('outbound_failed', 'Nobody is there.');
      return {
        status: receiver.status,
        headers: {},
        url: request.url,
        body: nothing(),
      };
    },
  };
  const host = {
    now: () => clock.now,
    timer(ms: number, act: () => void) {
      due = { at: clock.now + ms, act };
      return () => (due = undefined);
    },
  };
  const log = { warn: () => {}, error: () => {} };
  const secrets = {
    use(): string {
      throw new WeftError('secret_unknown', 'There is no secret hook.');
    },
  };
  const rows = createDeliveryStore(sql, sealer);
  let looked: () => void = () => {};
  const store: DeliveryStore = {
    ...rows,
    /** The last question of each look. */
    async nextAt() {
      const at = await rows.nextAt();
      setImmediate(looked);
      return at;
    },
  };
  const deliveries = createDeliveries({ store, http, secrets, host, log });
  return {
    deliveries,
    sent,
    receiver,
    /** Lets time pass until the next look. */
    async pass(): Promise<boolean> {
      if (due === undefined) return false;
      const { at, act } = due;
      due = undefined;
      clock.now = Math.max(clock.now, at);
      const done = new Promise<void>((resolve) => (looked = resolve));
      act();
      await done;
      return true;
    },
  };
}

const notice = { run: 'r1', flow: 'f', version: 'v', node: 'start', url: 'http://there/', body: '{}' };
const unsigned = { ...notice, secret: undefined };

onBothDatabases(weftMigrations, (make) => {
  const newRows = async (): Promise<Sql> => (await make()).sql;

  describe('notices', () => {
    test('are sent with longer and longer waits, and given up after a day', async () => {
      const clock = { now: 0 };
      const { deliveries, sent, pass } = sender(await newRows(), clock);
      await deliveries.add(unsigned);
      const times: number[] = [];
      while (await pass()) times.push(clock.now);
      expect(times.slice(0, 4)).toEqual([0, 1000, 3000, 7000]);
      const waits = times.slice(1).map((time, i) => time - (times[i] ?? 0));
      expect(waits).toEqual(waits.toSorted((a, b) => a - b));
      expect(Math.max(...waits)).toBe(HOUR / 4);
      expect(clock.now).toBeLessThanOrEqual(24 * HOUR);
      expect(clock.now).toBeGreaterThan(23 * HOUR);
      expect(sent.length).toBe(times.length);
      expect(await deliveries.list()).toEqual([
        expect.objectContaining({
          run: 'r1',
          status: 'given-up',
          problem: 'outbound_failed: Nobody is there.',
        }),
      ]);
    });

    test('that were left are sent by the next process, and once they have arrived never again', async () => {
      const [clock, sql] = [{ now: 0 }, await newRows()];
      const before = sender(sql, clock);
      await before.deliveries.add(unsigned);
      await before.pass();
      before.deliveries.close();
      const after = sender(sql, clock);
      after.receiver.status = 204;
      after.deliveries.begin();
      while (await after.pass()) expect(after.sent.length).toBeLessThan(5);
      expect(after.sent.map(({ body }) => body)).toEqual(['{}']);
      expect(await after.deliveries.list()).toEqual([]);
      // The end of a run may be reported twice.
      await after.deliveries.add({ ...unsigned, body: '{"again":1}' });
      while (await after.pass()) expect(after.sent.length).toBeLessThan(5);
      expect(after.sent).toHaveLength(1);
    });

    test('are on the disk sealed; those that 0.1.0 left in clear are sent, those of another key given up', async () => {
      const [clock, sql] = [{ now: 0 }, await newRows()];
      const before = sender(sql, clock);
      const clear = (run: string) => JSON.stringify({ run, answer: 'between us' });
      for (const run of ['r1', 'r2']) await before.deliveries.add({ ...unsigned, run, body: clear(run) });
      before.deliveries.close();
      expect(JSON.stringify(await sql.all('SELECT * FROM deliveries'))).not.toContain('between us');
      await sql.run("UPDATE deliveries SET body = ? WHERE run = 'r1'", clear('r1'));
      const after = sender(sql, clock, sealerOf('another key'));
      after.receiver.status = 204;
      after.deliveries.begin();
      while (await after.pass()) expect(after.sent.length).toBeLessThan(5);
      expect(after.sent.map(({ body }) => body)).toEqual([clear('r1')]);
      expect(await after.deliveries.list()).toMatchObject([{ run: 'r2', status: 'given-up' }]);
    });

    test('are sent by one of the servers that share them, and by another if that one reports no outcome', async () => {
      const sql = await newRows();
      const sealer = sealerOf('a key');
      const stores = [1, 2, 3].map(() => createDeliveryStore(sql, sealer, { isShared: true }));
      const one = { ...unsigned, status: 'due', attempts: 0, since: 0, nextAt: 0 } as const;
      await stores[0]?.add(one);
      const due = async (now: number): Promise<string[]> =>
        (await Promise.all(stores.map((store) => store.due(now, 10)))).flat().map(({ run }) => run);
      expect(await due(1)).toEqual(['r1']);
      expect(await due(2)).toEqual([]);
      expect(await due(60_001)).toEqual(['r1']);
      await stores[1]?.arrived('r1');
      expect(await due(1_000_000)).toEqual([]);
    });

    test('that cannot be signed are not sent unsigned', async () => {
      const { deliveries, sent, pass } = sender(await newRows(), { now: 0 });
      await deliveries.add({ ...notice, secret: 'hook' });
      await pass();
      expect(sent).toEqual([]);
      expect(await deliveries.list()).toMatchObject([
        { status: 'due', problem: expect.stringContaining('secret_unknown') },
      ]);
    });
  });

  describe('dead letters', () => {
    const letter = (n: number, flow = 'f') => ({
      run: `r${n}`,
      flow,
      version: 'v',
      trigger: 'start',
      error: { code: 'node_failed', message: 'No.', node: 'a' },
      startedAt: 0,
      failedAt: n,
    });

    test('are listed newest first, by flow and in pages, each run once', async () => {
      const letters = createDeadLetters(await newRows());
      for (const n of [1, 2, 3, 2]) await letters.add(letter(n));
      await letters.add(letter(4, 'other'));
      const runs = async (query: object) =>
        (await letters.list({ limit: 2, ...query })).map(({ run }) => run);
      expect(await runs({})).toEqual(['r4', 'r3']);
      expect(await runs({ before: 'r3' })).toEqual(['r2', 'r1']);
      expect(await runs({ flow: 'f' })).toEqual(['r3', 'r2']);
      // How a single run is requested: nothing in an id sorts after the sign.
      expect(await runs({ before: 'r2~', limit: 1 })).toEqual(['r2']);
      expect(await letters.oldest('f', 2)).toEqual(['r1', 'r2']);
      expect([await letters.drop('r2'), await letters.drop('r2')]).toEqual([true, false]);
      expect(await runs({ flow: 'f' })).toEqual(['r3', 'r1']);
      expect(await letters.count()).toBe(3);
    });

    test('beyond the limit the oldest are dropped, but not those of another project', async () => {
      const sql = await newRows();
      const [letters, others] = [
        createDeadLetters(sql, { most: 3 }),
        createDeadLetters(sql, { project: 'other' }),
      ];
      await others.add(letter(0));
      for (const n of [1, 2, 3, 4, 5]) await letters.add(letter(n));
      const runs = async (of: DeadLetters) => (await of.list({ limit: 9 })).map(({ run }) => run);
      expect([await runs(letters), await runs(others)]).toEqual([['r5', 'r4', 'r3'], ['r0']]);
    });
  });
});

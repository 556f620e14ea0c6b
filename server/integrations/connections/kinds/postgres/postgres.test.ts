import { newDatabase } from '../../../../storage/database/testing/postgres-server.ts';
import { describe, expect, test } from 'vitest';
import { asker, connectionBed, limits, never, settingsOf } from '../../testing/connection-bed.ts';
import { startProxy } from '../../testing/proxy.ts';
import { certificate } from '../../testing/self-signed.ts';
import { sqlContract } from '../../testing/sql-contract.ts';

sqlContract('PostgreSQL', {
  make: async () => ({ kind: 'postgres', settings: settingsOf(await newDatabase()) }),
  slow: 'SELECT pg_sleep(60) AS slept',
  slowCount:
    "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE 'SELECT pg_sleep%'",
  types: { big: 'BIGINT', decimal: 'NUMERIC(10, 2)', json: 'JSONB', bytes: 'BYTEA' },
  many: "SELECT i, repeat('x', 100) AS x FROM generate_series(1, 50000) AS i",
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

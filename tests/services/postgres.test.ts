import { expect, test } from 'vitest';
import { addressOf } from '../runner/services.ts';
import { settingsOf } from '../../server/integrations/connections/testing/connection-bed.ts';
import { sqlContract } from '../../server/integrations/connections/testing/sql-contract.ts';
import { firstAnswer } from './handshake.ts';

/** A StartupMessage of protocol 3.0 (PostgreSQL documentation, "Message Formats"). */
function startupMessage({ username, pathname }: URL): Buffer {
  // Each text ends with a zero byte, and so does their list.
  const fields = ['user', username, 'database', pathname.slice(1), '', ''].join('\0');
  const message = Buffer.alloc(8 + Buffer.byteLength(fields));
  message.writeInt32BE(message.length, 0);
  message.writeInt32BE(196_608, 4);
  message.write(fields, 8);
  return message;
}

test('PostgreSQL lets the tests in', async () => {
  const answer = await firstAnswer('postgres', startupMessage(addressOf('postgres')));
  // R: how to authenticate. E would be an error.
  expect(answer.toString('latin1', 0, 1), answer.toString('latin1')).toBe('R');
});

sqlContract('PostgreSQL', {
  make: async () => ({ kind: 'postgres', settings: settingsOf(addressOf('postgres').href) }),
  slow: 'SELECT pg_sleep(60) AS slept',
  slowCount:
    "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND state = 'active' AND query LIKE 'SELECT pg_sleep%'",
  types: { big: 'BIGINT', decimal: 'NUMERIC(10, 2)', json: 'JSONB', bytes: 'BYTEA' },
  many: "SELECT i, repeat('x', 100) AS x FROM generate_series(1, 50000) AS i",
});

import { expect, test } from 'vitest';
import { sqlContract } from '../../server/integrations/connections/testing/sql-contract.ts';
import { badServerContract } from '../../server/integrations/connections/testing/bad-server-contract.ts';
import { settingsOf } from '../../server/integrations/connections/testing/connection-bed.ts';
import { addressOf } from '../runner/services.ts';
import { firstAnswer } from './handshake.ts';
import { mariadbValues } from './mariadb-values.ts';
import { mariadbWalls } from './mariadb-walls.ts';

test('MariaDB greets with protocol version 10', async () => {
  const answer = await firstAnswer('mariadb');
  expect(answer[4], answer.toString('latin1')).toBe(10);
});

sqlContract('MariaDB', {
  make: async () => ({ kind: 'mysql', settings: settingsOf(addressOf('mariadb').href) }),
  slow: 'SELECT sleep(60) AS slept',
  slowCount: "SELECT count(*) AS n FROM information_schema.processlist WHERE info LIKE 'SELECT sleep%'",
  types: { big: 'BIGINT', decimal: 'DECIMAL(10, 2)', json: 'JSON', bytes: 'BLOB' },
  many: "SELECT seq AS i, repeat('x', 100) AS x FROM seq_1_to_50000",
});

mariadbValues();

badServerContract('MariaDB', {
  make: async () => ({ kind: 'mysql', settings: settingsOf(addressOf('mariadb').href) }),
  many: 'SELECT seq AS i FROM seq_1_to_50000',
  stranger: { password: 'a wrong one' },
});

mariadbWalls();

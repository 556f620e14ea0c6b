import { newDatabase } from '../../../../storage/database/testing/postgres-server.ts';
import { badServerContract } from '../../testing/bad-server-contract.ts';
import { settingsOf } from '../../testing/connection-bed.ts';

badServerContract('PostgreSQL', {
  make: async () => ({ kind: 'postgres', settings: settingsOf(await newDatabase()) }),
  many: 'SELECT i FROM generate_series(1, 50000) AS i',
  stranger: { user: 'nobody_of_this_name' },
});

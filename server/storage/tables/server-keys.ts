import type { StoreTables } from './store-tables.ts';

export const serverKeyTables: StoreTables = {
  tables: [
    `CREATE TABLE server_keys (
      project TEXT NOT NULL, name TEXT NOT NULL, key BLOB NOT NULL, PRIMARY KEY (project, name)
    ) STRICT`,
  ],
  older: {
    before: [
      'CREATE TABLE IF NOT EXISTS server_keys (name TEXT PRIMARY KEY, key BLOB NOT NULL) STRICT',
      'ALTER TABLE server_keys RENAME TO server_keys_0',
    ],
    after: [
      "INSERT INTO server_keys SELECT 'default', name, key FROM server_keys_0",
      'DROP TABLE server_keys_0',
    ],
  },
};

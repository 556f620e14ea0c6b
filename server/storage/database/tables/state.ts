import type { StoreTables } from './store-tables.ts';

export const stateTables: StoreTables = {
  tables: [
    `CREATE TABLE state (
      project TEXT NOT NULL, scope TEXT NOT NULL, key TEXT NOT NULL, json TEXT NOT NULL, ends_at REAL,
      PRIMARY KEY (project, scope, key)
    ) STRICT`,
    'CREATE INDEX state_end ON state (project, ends_at) WHERE ends_at IS NOT NULL',
    `CREATE TABLE state_added (
      project TEXT NOT NULL, scope TEXT NOT NULL, key TEXT NOT NULL, once TEXT NOT NULL, sum REAL NOT NULL,
      ends_at REAL NOT NULL, PRIMARY KEY (project, scope, key, once)
    ) STRICT`,
    'CREATE INDEX state_added_end ON state_added (project, ends_at)',
  ],
  older: {
    before: [
      `CREATE TABLE IF NOT EXISTS state (
        scope TEXT NOT NULL, key TEXT NOT NULL, json TEXT NOT NULL, ends_at REAL, PRIMARY KEY (scope, key)
      ) STRICT`,
      `CREATE TABLE IF NOT EXISTS state_added (
        scope TEXT NOT NULL, key TEXT NOT NULL, once TEXT NOT NULL, sum REAL NOT NULL, ends_at REAL NOT NULL,
        PRIMARY KEY (scope, key, once)
      ) STRICT`,
      'DROP INDEX IF EXISTS state_end',
      'DROP INDEX IF EXISTS state_added_end',
      'ALTER TABLE state RENAME TO state_0',
      'ALTER TABLE state_added RENAME TO state_added_0',
    ],
    after: [
      "INSERT INTO state SELECT 'default', scope, key, json, ends_at FROM state_0",
      "INSERT INTO state_added SELECT 'default', scope, key, once, sum, ends_at FROM state_added_0",
      'DROP TABLE state_0',
      'DROP TABLE state_added_0',
    ],
  },
};

/** Files as values: facts about each, and its holders. Their bytes are in a store of their own. */
export const fileTables: readonly string[] = [
  `CREATE TABLE files (
    project TEXT NOT NULL, handle TEXT NOT NULL, blob TEXT NOT NULL, name TEXT NOT NULL, type TEXT NOT NULL,
    bytes INTEGER NOT NULL, sha256 TEXT NOT NULL, held_at REAL NOT NULL, PRIMARY KEY (project, handle)
  ) STRICT`,
  'CREATE INDEX files_blob ON files (project, blob)',
  'CREATE INDEX files_held ON files (project, held_at)',
  `CREATE TABLE file_holders (
    project TEXT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, handle TEXT NOT NULL,
    PRIMARY KEY (project, kind, id, handle)
  ) STRICT, WITHOUT ROWID`,
  'CREATE INDEX file_holders_handle ON file_holders (project, handle)',
];

/** Used where servers share a database and no folder. A blob without `bytes` is not complete. */
export const blobTables: readonly string[] = [
  `CREATE TABLE blobs (
    project TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL, bytes INTEGER, removed_at INTEGER,
    PRIMARY KEY (project, id)
  ) STRICT`,
  `CREATE TABLE blob_pieces (
    project TEXT NOT NULL, id TEXT NOT NULL, n INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (project, id, n)
  ) STRICT`,
];

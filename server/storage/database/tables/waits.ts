import type { StoreTables } from './store-tables.ts';

/** Waits of runs, and the keys of the links to runs and waits. */
export const waitTables: StoreTables = {
  tables: [
    `CREATE TABLE waits (
      project TEXT NOT NULL, id TEXT NOT NULL, run TEXT NOT NULL, flow TEXT NOT NULL, node TEXT NOT NULL,
      status TEXT NOT NULL, opened_at REAL NOT NULL, until REAL, notify TEXT, over_at REAL, told TEXT NOT NULL,
      PRIMARY KEY (project, id)
    ) STRICT`,
    'CREATE INDEX waits_status ON waits (project, status, opened_at, id)',
    'CREATE INDEX waits_run ON waits (project, run)',
    "CREATE INDEX waits_due ON waits (project, opened_at, id) WHERE notify = 'due'",
    'CREATE INDEX waits_over ON waits (project, over_at) WHERE over_at IS NOT NULL',
    "CREATE INDEX waits_until ON waits (project, until) WHERE status = 'open' AND until IS NOT NULL",
    `CREATE TABLE server_keys (
      project TEXT NOT NULL, name TEXT NOT NULL, key BLOB NOT NULL, PRIMARY KEY (project, name)
    ) STRICT`,
  ],
  older: {
    before: [
      `CREATE TABLE IF NOT EXISTS waits (
        id TEXT NOT NULL PRIMARY KEY, run TEXT NOT NULL, flow TEXT NOT NULL, node TEXT NOT NULL, status TEXT NOT NULL,
        opened_at REAL NOT NULL, until REAL, notify TEXT, over_at REAL, told TEXT NOT NULL
      ) STRICT`,
      'DROP INDEX IF EXISTS waits_status',
      'DROP INDEX IF EXISTS waits_run',
      'DROP INDEX IF EXISTS waits_due',
      'DROP INDEX IF EXISTS waits_over',
      'DROP INDEX IF EXISTS waits_until',
      'ALTER TABLE waits RENAME TO waits_0',
      'CREATE TABLE IF NOT EXISTS server_keys (name TEXT PRIMARY KEY, key BLOB NOT NULL) STRICT',
      'ALTER TABLE server_keys RENAME TO server_keys_0',
    ],
    after: [
      `INSERT INTO waits
        SELECT 'default', id, run, flow, node, status, opened_at, until, notify, over_at, told FROM waits_0`,
      'DROP TABLE waits_0',
      "INSERT INTO server_keys SELECT 'default', name, key FROM server_keys_0",
      'DROP TABLE server_keys_0',
    ],
  },
};

/** What ends a wait for programs: a call, or the hash of an event. */
export const signalTables: readonly string[] = [
  'ALTER TABLE waits ADD COLUMN signal TEXT',
  "CREATE INDEX waits_signal ON waits (project, signal, id) WHERE status = 'open' AND signal IS NOT NULL",
];

import type { StoreTables } from './store-tables.ts';

export const idempotencyTables: StoreTables = {
  tables: [
    `CREATE TABLE idempotency (
      project TEXT NOT NULL, trigger TEXT NOT NULL, caller TEXT NOT NULL, key TEXT NOT NULL,
      fingerprint TEXT NOT NULL, state TEXT NOT NULL, run TEXT, status INTEGER, headers TEXT, body BLOB,
      at REAL NOT NULL, PRIMARY KEY (project, trigger, caller, key)
    ) STRICT`,
    'CREATE INDEX idempotency_at ON idempotency (project, at)',
  ],
  older: {
    before: [
      `CREATE TABLE IF NOT EXISTS idempotency (
        trigger TEXT NOT NULL, caller TEXT NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL, state TEXT NOT NULL,
        run TEXT, status INTEGER, headers TEXT, body BLOB, at REAL NOT NULL, PRIMARY KEY (trigger, caller, key)
      ) STRICT`,
      'DROP INDEX IF EXISTS idempotency_at',
      'ALTER TABLE idempotency RENAME TO idempotency_0',
    ],
    after: [
      `INSERT INTO idempotency
        SELECT 'default', trigger, caller, key, fingerprint, state, run, status, headers, body, at FROM idempotency_0`,
      'DROP TABLE idempotency_0',
    ],
  },
};

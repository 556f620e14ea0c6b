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

export const conversationTables: StoreTables = {
  tables: [
    `CREATE TABLE conversations (
      project TEXT NOT NULL, owner TEXT NOT NULL, id TEXT NOT NULL, title TEXT NOT NULL, "user" TEXT,
      target TEXT NOT NULL, started TEXT NOT NULL, updated TEXT NOT NULL, used INTEGER NOT NULL,
      PRIMARY KEY (project, owner, id)
    ) STRICT, WITHOUT ROWID`,
    'CREATE INDEX conversations_used ON conversations (project, owner, used)',
    `CREATE TABLE conversation_messages (
      project TEXT NOT NULL, owner TEXT NOT NULL, id TEXT NOT NULL, seq INTEGER NOT NULL, role TEXT NOT NULL,
      content TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (project, owner, id, seq)
    ) STRICT, WITHOUT ROWID`,
  ],
  older: {
    before: [
      `CREATE TABLE IF NOT EXISTS conversations (
        owner TEXT NOT NULL, id TEXT NOT NULL, title TEXT NOT NULL, user TEXT, target TEXT NOT NULL,
        started TEXT NOT NULL, updated TEXT NOT NULL, used INTEGER NOT NULL, PRIMARY KEY (owner, id)
      ) STRICT, WITHOUT ROWID`,
      `CREATE TABLE IF NOT EXISTS conversation_messages (
        owner TEXT NOT NULL, id TEXT NOT NULL, seq INTEGER NOT NULL, role TEXT NOT NULL, content TEXT NOT NULL, at TEXT NOT NULL,
        PRIMARY KEY (owner, id, seq)
      ) STRICT, WITHOUT ROWID`,
      'DROP INDEX IF EXISTS conversations_used',
      'ALTER TABLE conversations RENAME TO conversations_0',
      'ALTER TABLE conversation_messages RENAME TO conversation_messages_0',
    ],
    after: [
      `INSERT INTO conversations
        SELECT 'default', owner, id, title, user, target, started, updated, used FROM conversations_0`,
      `INSERT INTO conversation_messages
        SELECT 'default', owner, id, seq, role, content, at FROM conversation_messages_0`,
      'DROP TABLE conversations_0',
      'DROP TABLE conversation_messages_0',
    ],
  },
};

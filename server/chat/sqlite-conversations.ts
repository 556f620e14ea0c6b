import type { DatabaseSync } from 'node:sqlite';
import type { ConversationInfo, ConversationMessage } from '#shared/conversation.ts';
import { inTransaction } from '../adapters/transaction.ts';
import { storing } from '../adapters/weft-db.ts';
import {
  type Conversations,
  keptContent,
  MAX_CONVERSATIONS,
  MAX_MESSAGES,
  titleOf,
} from './conversations.ts';

/** `used` counts all uses, so that two within one millisecond are ordered too. */
const TABLES = `
  CREATE TABLE IF NOT EXISTS conversations (
    owner TEXT NOT NULL, id TEXT NOT NULL, title TEXT NOT NULL, user TEXT, target TEXT NOT NULL,
    started TEXT NOT NULL, updated TEXT NOT NULL, used INTEGER NOT NULL, PRIMARY KEY (owner, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS conversations_used ON conversations (owner, used);
  CREATE TABLE IF NOT EXISTS conversation_messages (
    owner TEXT NOT NULL, id TEXT NOT NULL, seq INTEGER NOT NULL, role TEXT NOT NULL, content TEXT NOT NULL, at TEXT NOT NULL,
    PRIMARY KEY (owner, id, seq)
  ) STRICT, WITHOUT ROWID;
`;

const INFO = 'id, title, user, target, started AS startedAt, updated AS updatedAt';
const MESSAGES = 'FROM conversation_messages WHERE owner = ? AND id = ?';

/** Conversations in `weft.db`. The caller closes the database; its tables are created on first use. */
export function createSqliteConversations(db: DatabaseSync, now: () => number): Conversations {
  let opened: Statements | undefined;
  const use = <T>(work: (statements: Statements) => T): T => storing(() => work((opened ??= prepare(db))));

  function removeNow(statements: Statements, owner: string, id: string): boolean {
    statements.dropMessages.run(owner, id);
    return statements.drop.run(owner, id).changes > 0;
  }

  function addNow(statements: Statements, owner: string, [begin, said]: Added): void {
    const at = new Date(now()).toISOString();
    const { id, user = null, target } = begin;
    statements.touch.run(owner, id, titleOf(said), user, target, at, at);
    for (const { role, content } of said)
      statements.say.run(owner, id, owner, id, role, keptContent(content), at);
    statements.trim.run(owner, id, owner, id, MAX_MESSAGES);
    for (const old of statements.beyond.all(owner, MAX_CONVERSATIONS) as { id: string }[])
      removeNow(statements, owner, old.id);
  }

  return {
    recent: async (owner, id, count) =>
      use(({ recent }) => recent.all(owner, id, count) as unknown as ConversationMessage[]).reverse(),
    async add(owner, ...added) {
      use((statements) => inTransaction(db, () => addNow(statements, owner, added)));
    },
    list: async (owner, { limit, before }) =>
      use(({ first, next }) => {
        const rows = before === undefined ? first.all(owner, limit) : next.all(owner, owner, before, limit);
        return rows as unknown as ConversationInfo[];
      }),
    get: async (owner, id) =>
      use(({ find, all }) => {
        const info = find.get(owner, id) as unknown as ConversationInfo | undefined;
        return info && { info, messages: all.all(owner, id) as unknown as ConversationMessage[] };
      }),
    remove: async (owner, id) =>
      use((statements) => inTransaction(db, () => removeNow(statements, owner, id))),
  };
}

type Added = [Parameters<Conversations['add']>[1], Parameters<Conversations['add']>[2]];
type Statements = ReturnType<typeof prepare>;

function prepare(db: DatabaseSync) {
  db.exec(TABLES);
  const newest = 'ORDER BY used DESC LIMIT ?';
  return {
    touch: db.prepare(
      `INSERT INTO conversations VALUES (?, ?, ?, ?, ?, ?, ?, (SELECT coalesce(max(used), 0) + 1 FROM conversations))
       ON CONFLICT DO UPDATE SET updated = excluded.updated, used = excluded.used`,
    ),
    say: db.prepare(
      `INSERT INTO conversation_messages VALUES (?, ?, (SELECT coalesce(max(seq), 0) + 1 ${MESSAGES}), ?, ?, ?)`,
    ),
    trim: db.prepare(`DELETE ${MESSAGES} AND seq <= (SELECT max(seq) ${MESSAGES}) - ?`),
    beyond: db.prepare(`SELECT id FROM conversations WHERE owner = ? ORDER BY used DESC LIMIT -1 OFFSET ?`),
    drop: db.prepare('DELETE FROM conversations WHERE owner = ? AND id = ?'),
    dropMessages: db.prepare(`DELETE ${MESSAGES}`),
    recent: db.prepare(`SELECT role, content, at ${MESSAGES} ORDER BY seq DESC LIMIT ?`),
    all: db.prepare(`SELECT role, content, at ${MESSAGES} ORDER BY seq`),
    find: db.prepare(`SELECT ${INFO} FROM conversations WHERE owner = ? AND id = ?`),
    first: db.prepare(`SELECT ${INFO} FROM conversations WHERE owner = ? ${newest}`),
    next: db.prepare(
      `SELECT ${INFO} FROM conversations WHERE owner = ?
       AND used < (SELECT used FROM conversations WHERE owner = ? AND id = ?) ${newest}`,
    ),
  };
}

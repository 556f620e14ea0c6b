import type { ConversationInfo, ConversationMessage } from '#shared/conversation.ts';
import { DEFAULT_PROJECT, type Sql, type SqlStatement } from '../../storage/database/sql.ts';
import {
  type Conversations,
  keptContent,
  MAX_CONVERSATIONS,
  MAX_MESSAGES,
  type NewMessage,
  titleOf,
} from './conversations.ts';

const OWN = 'project = ? AND owner = ?';
const INFO =
  'SELECT id, title, "user", target, started AS "startedAt", updated AS "updatedAt" FROM conversations';
const LIST = `${INFO} WHERE ${OWN} ORDER BY used DESC LIMIT ?`;
const LIST_BEFORE = `${INFO} WHERE ${OWN} AND used < (SELECT used FROM conversations WHERE ${OWN} AND id = ?)
  ORDER BY used DESC LIMIT ?`;
const FIND = `${INFO} WHERE ${OWN} AND id = ?`;
const DROP = `DELETE FROM conversations WHERE ${OWN} AND id = ?`;

const OF_ONE = `FROM conversation_messages WHERE ${OWN} AND id = ?`;
const SAID = 'SELECT role, content, files, at, run';
const ALL_SAID = `${SAID} ${OF_ONE} ORDER BY seq`;
const RECENT = `${SAID} ${OF_ONE} ORDER BY seq DESC LIMIT ?`;
/** Where the exchange of a run begins; null if it is not stored. */
const BEGIN = `(SELECT min(seq) ${OF_ONE} AND run = ?)`;
const RECENT_BEFORE = `${SAID} ${OF_ONE} AND seq < coalesce(${BEGIN}, 9007199254740991) ORDER BY seq DESC LIMIT ?`;
const DROP_SAID = `DELETE ${OF_ONE}`;

/** `used` counts all uses by the owner, so that two within one millisecond are ordered too. */
const TOUCH = `INSERT INTO conversations (project, owner, id, title, "user", target, started, updated, used)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, (SELECT coalesce(max(used), 0) + 1 FROM conversations WHERE ${OWN}))
  ON CONFLICT (project, owner, id) DO UPDATE SET updated = excluded.updated, used = excluded.used`;
const CUT = `DELETE ${OF_ONE} AND seq >= ${BEGIN}`;
/** A conversation that begins anew has the title of its new beginning. */
const RENAME = `UPDATE conversations SET title = ? WHERE ${OWN} AND id = ? AND NOT EXISTS (SELECT 1 ${OF_ONE})`;
const SAY = `INSERT INTO conversation_messages (project, owner, id, seq, role, content, files, at, run)
  VALUES (?, ?, ?, (SELECT coalesce(max(seq), 0) + 1 ${OF_ONE}), ?, ?, ?, ?, ?)`;
const TRIM = `DELETE ${OF_ONE} AND seq <= (SELECT max(seq) ${OF_ONE}) - ?`;
const BEYOND = `SELECT id, used FROM conversations WHERE ${OWN} ORDER BY used DESC LIMIT ? OFFSET ?`;
/** Drops it only if it was not used since it was found to be beyond the limit. */
const DROP_UNUSED = `${DROP} AND used = ?`;
const DROP_LOST = `${DROP_SAID} AND NOT EXISTS (SELECT 1 FROM conversations WHERE ${OWN} AND id = ?)`;
/** The most old conversations that one new one removes. */
const REMOVED_AT_ONCE = 100;

/** Stored in the rows of a database, which the caller closes. */
export function createSqlConversations(
  sql: Sql,
  now: () => number,
  project: string = DEFAULT_PROJECT,
): Conversations {
  async function trim(owner: string): Promise<void> {
    const old = await sql.all<{ readonly id: string; readonly used: number }>(
      BEYOND,
      project,
      owner,
      REMOVED_AT_ONCE,
      MAX_CONVERSATIONS,
    );
    if (old.length === 0) return;
    const drops = old.flatMap(({ id, used }): SqlStatement[] => {
      const one = [project, owner, id] as const;
      return [
        [DROP_UNUSED, ...one, used],
        [DROP_LOST, ...one, ...one],
      ];
    });
    await sql.batch(drops);
  }

  return {
    recent: (owner, id, count, before) => recentOf(sql, [project, owner, id], count, before),
    async add(owner, { id, user = null, target, replaces }, messages) {
      const at = new Date(now()).toISOString();
      const own = [project, owner] as const;
      const one = [...own, id] as const;
      const inserts = messages.map((message) => insertOf(one, message, at));
      const title = titleOf(messages);
      await sql.batch([
        [TOUCH, ...one, title, user, target, at, at, ...own],
        ...(replaces === undefined ? [] : cutsOf(one, replaces, title)),
        ...inserts,
        [TRIM, ...one, ...one, MAX_MESSAGES],
      ]);
      await trim(owner);
    },
    list: (owner, { limit, before }) =>
      before === undefined
        ? sql.all<ConversationInfo>(LIST, project, owner, limit)
        : sql.all<ConversationInfo>(LIST_BEFORE, project, owner, project, owner, before, limit),
    async get(owner, id) {
      const info = await sql.first<ConversationInfo>(FIND, project, owner, id);
      if (info === undefined) return undefined;
      const rows = await sql.all<MessageRow>(ALL_SAID, project, owner, id);
      return { info, messages: rows.map(messageOf) };
    },
    async remove(owner, id) {
      const [, removed] = await sql.batch([
        [DROP_SAID, project, owner, id],
        [DROP, project, owner, id],
      ]);
      return removed === 1;
    },
  };
}

type Key = readonly [project: string, owner: string, id: string];

async function recentOf(sql: Sql, one: Key, count: number, before: string | undefined) {
  const rows =
    before === undefined
      ? await sql.all<MessageRow>(RECENT, ...one, count)
      : await sql.all<MessageRow>(RECENT_BEFORE, ...one, ...one, before, count);
  return rows.reverse().map(messageOf);
}

/** Removes the exchange of a run and what followed it. */
function cutsOf(one: Key, run: string, title: string): SqlStatement[] {
  return [
    [CUT, ...one, ...one, run],
    [RENAME, title, ...one, ...one],
  ];
}

interface MessageRow extends Pick<ConversationMessage, 'role' | 'content' | 'at'> {
  /** JSON; null if there are none. */
  readonly files: string | null;
  readonly run: string | null;
}

function messageOf({ files, run, ...message }: MessageRow): ConversationMessage {
  return {
    ...message,
    ...(files !== null && { files: JSON.parse(files) as ConversationMessage['files'] }),
    ...(run !== null && { run }),
  };
}

function insertOf(one: Key, { role, content, files = [], run }: NewMessage, at: string): SqlStatement {
  const named = files.length === 0 ? null : JSON.stringify(files);
  return [SAY, ...one, ...one, role, keptContent(content), named, at, run ?? null];
}

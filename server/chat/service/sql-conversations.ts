import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ConversationInfo, ConversationMessage } from '#shared/conversation.ts';
import { DEFAULT_PROJECT, type Sql, type SqlStatement } from '../../storage/database/sql.ts';
import {
  type ConversationQuery,
  type Conversations,
  keptContent,
  MAX_CONVERSATIONS,
  MAX_MESSAGES,
  type NewMessage,
  titleOf,
} from './conversations.ts';

const OWN = 'project = ? AND owner = ?';
const INFO =
  'SELECT id, title, "user", target, started AS "startedAt", updated AS "updatedAt", used FROM conversations';
const LIST = `${INFO} WHERE ${OWN} AND used < ? ORDER BY used DESC LIMIT ?`;
const USED = `SELECT used FROM conversations WHERE ${OWN} AND id = ?`;
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
const RENAME = `UPDATE conversations SET title = ? WHERE ${OWN} AND id = ?`;
/** A conversation that begins anew has the title of its new beginning, unless a person has named it. */
const BEGIN_ANEW = `${RENAME} AND title = ? AND NOT EXISTS (SELECT 1 ${OF_ONE})`;
const FIRST_SAID = `${SAID} ${OF_ONE} ORDER BY seq LIMIT 1`;
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
      const cuts = replaces === undefined ? [] : await cutsOf(sql, one, replaces, title);
      await sql.batch([
        [TOUCH, ...one, title, user, target, at, at, ...own],
        ...cuts,
        ...inserts,
        [TRIM, ...one, ...one, MAX_MESSAGES],
      ]);
      await trim(owner);
    },
    list: (owner, query) => listOf(sql, [project, owner], query),
    get: (owner, id) => wholeOf(sql, [project, owner, id]),
    async rename(owner, id, title) {
      const [renamed] = await sql.batch([[RENAME, title, project, owner, id]]);
      return renamed === 1;
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

type Own = readonly [project: string, owner: string];
type Key = readonly [...own: Own, id: string];

/** `used` counts up within an owner. */
interface InfoRow extends ConversationInfo {
  readonly used: number;
}

const infoOf = ({ used: _, ...info }: InfoRow): ConversationInfo => info;

async function listOf(sql: Sql, own: Own, { limit, before, words = '' }: ConversationQuery) {
  const from = before === undefined ? LATEST : (await sql.first<InfoRow>(USED, ...own, before))?.used;
  if (from === undefined) return [];
  if (words !== '') return searched(sql, own, { limit, from, words });
  return (await sql.all<InfoRow>(LIST, ...own, from, limit)).map(infoOf);
}

/** Later than any use. */
const LATEST = Number.MAX_SAFE_INTEGER;
/** So many conversations are searched at once: reads happen on this thread, and what else runs has its turn in between. */
const AT_ONCE = 5;

interface Search {
  readonly limit: number;
  /** Those that were used before. */
  readonly from: number;
  readonly words: string;
}

async function searched(sql: Sql, own: Own, { limit, from, words }: Search): Promise<ConversationInfo[]> {
  const said = saidWith(words);
  const folded = words.toLowerCase();
  const found: InfoRow[] = [];
  for (let at: number | undefined = from; at !== undefined && found.length < limit; await nextTurn()) {
    const rows: InfoRow[] = await sql.all<InfoRow>(LIST, ...own, at, AT_ONCE);
    for (const row of rows) {
      const isFound =
        row.title.toLowerCase().includes(folded) ||
        (await sql.first(said.text, ...own, row.id, ...said.values)) !== undefined;
      if (isFound) found.push(row);
    }
    at = rows.at(-1)?.used;
  }
  return found.slice(0, limit).map(infoOf);
}

async function wholeOf(sql: Sql, one: Key) {
  const info = await sql.first<InfoRow>(FIND, ...one);
  if (info === undefined) return undefined;
  const rows = await sql.all<MessageRow>(ALL_SAID, ...one);
  return { info: infoOf(info), messages: rows.map(messageOf) };
}

async function recentOf(sql: Sql, one: Key, count: number, before: string | undefined) {
  const rows =
    before === undefined
      ? await sql.all<MessageRow>(RECENT, ...one, count)
      : await sql.all<MessageRow>(RECENT_BEFORE, ...one, ...one, before, count);
  return rows.reverse().map(messageOf);
}

/** Removes the exchange of a run and what followed it. */
async function cutsOf(sql: Sql, one: Key, run: string, title: string): Promise<SqlStatement[]> {
  const first = await sql.first<MessageRow>(FIRST_SAID, ...one);
  const was = first ? titleOf([messageOf(first)]) : title;
  return [
    [CUT, ...one, ...one, run],
    [BEGIN_ANEW, title, ...one, was, ...one],
  ];
}

/** Finds a message of a conversation with these words; its values come after the key. */
function saidWith(words: string): { readonly text: string; readonly values: readonly string[] } {
  const values = casesOf(words).map((one) => `%${one.replaceAll(/[\\%_]/g, '\\$&')}%`);
  const isIn = values.map(() => "lower(content) LIKE ? ESCAPE '\\'").join(' OR ');
  return { text: `SELECT seq ${OF_ONE} AND (${isIn}) LIMIT 1`, values };
}

/** As SQLite's `lower` gives them, which knows the letters of ASCII alone: `Über` and `ÜBER` both become `Über`. */
function casesOf(words: string): string[] {
  const [first = ''] = words;
  const capitalised = first.toUpperCase() + words.slice(first.length).toLowerCase();
  const cases = [words, words.toLowerCase(), words.toUpperCase(), capitalised];
  return [...new Set(cases.map((one) => one.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())))];
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

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { onBothDatabases } from '../../storage/database/testing/databases.ts';
import { wholeScans } from '../../storage/database/testing/whole-scans.ts';
import { openWeftSql, weftMigrations } from '../../storage/database/weft-tables.ts';
import { tempFolder } from '../../testing/platform-bed.ts';
import { conversationsContract } from './conversations.contract.ts';
import { createMemoryConversations } from './memory-conversations.ts';
import { createSqlConversations } from './sql-conversations.ts';

const begin = { id: 'c1', user: undefined, target: 'm' };
const say = (content: string) => [{ role: 'user', content } as const];

conversationsContract('in memory', createMemoryConversations);
onBothDatabases(weftMigrations, (make) => {
  conversationsContract('in rows', async (now) => createSqlConversations((await make()).sql, now));

  test('two processes add at once to one conversation and to others: nothing is lost, and all are in order', async () => {
    const { sql, again } = await make();
    const ours = createSqlConversations(sql, () => 0);
    const second = createSqlConversations(await again(), () => 0);
    const adds = Array.from({ length: 24 }, (_, at) =>
      (at % 2 === 0 ? ours : second).add('me', { ...begin, id: at % 3 === 0 ? 'shared' : `c${at}` }, [
        { role: 'user', content: `${at}` },
        { role: 'assistant', content: `${at}!` },
      ]),
    );
    await Promise.all(adds);
    const shared = (await ours.recent('me', 'shared', 99)).map(({ content }) => content);
    expect(shared).toHaveLength(16);
    // The messages of one addition stay together.
    for (let at = 0; at < 16; at += 2) expect(shared[at + 1]).toBe(`${shared[at]}!`);
    await second.add('me', { ...begin, id: 'c1' }, say('last'));
    const list = (await ours.list('me', { limit: 99 })).map(({ id }) => id);
    expect(list[0]).toBe('c1');
    expect(list).toHaveLength(17);
    const paged = list.slice(0, 1);
    for (let before = paged.at(-1); before !== undefined; ) {
      const [next] = await ours.list('me', { limit: 1, before });
      if (next !== undefined) paged.push(next.id);
      before = next?.id;
    }
    expect(paged).toEqual(list);
  });

  test('projects are kept apart', async () => {
    const { sql } = await make();
    const [one, two] = ['one', 'two'].map((project) => createSqlConversations(sql, () => 0, project));
    await one?.add('me', begin, say('first'));
    await two?.add('me', begin, say('second'));
    expect((await one?.get('me', 'c1'))?.messages.map(({ content }) => content)).toEqual(['first']);
    expect(await two?.remove('me', 'c1')).toBe(true);
    expect(await one?.list('me', { limit: 9 })).toHaveLength(1);
    expect(await two?.list('me', { limit: 9 })).toEqual([]);
  });
});

test('conversations survive closing and opening the file', async () => {
  const data = await tempFolder();
  const first = openWeftSql(data);
  const greeting = { id: 'c1', user: 'ada', target: 'flow:greet' };
  await createSqlConversations(first, Date.now).add('me', greeting, say('Hi'));
  await first.close();
  const second = openWeftSql(data);
  onTestFinished(() => second.close());
  expect(await createSqlConversations(second, Date.now).get('me', 'c1')).toMatchObject({
    info: { user: 'ada', target: 'flow:greet', title: 'Hi' },
    messages: [{ role: 'user', content: 'Hi' }],
  });
});

test('conversations of 0.1.0 can be continued', async () => {
  const data = await tempFolder();
  const old = new DatabaseSync(join(data, 'weft.db'));
  old.exec(`
    CREATE TABLE conversations (
      owner TEXT NOT NULL, id TEXT NOT NULL, title TEXT NOT NULL, user TEXT, target TEXT NOT NULL,
      started TEXT NOT NULL, updated TEXT NOT NULL, used INTEGER NOT NULL, PRIMARY KEY (owner, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX conversations_used ON conversations (owner, used);
    CREATE TABLE conversation_messages (
      owner TEXT NOT NULL, id TEXT NOT NULL, seq INTEGER NOT NULL, role TEXT NOT NULL, content TEXT NOT NULL, at TEXT NOT NULL,
      PRIMARY KEY (owner, id, seq)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO conversations VALUES ('me', 'c1', 'Hi', 'ada', 'm', 'then', 'later', 7), ('me', 'c2', 'Ho', NULL, 'm', 't', 'u', 9);
    INSERT INTO conversation_messages VALUES ('me', 'c1', 4, 'user', 'Hi', 'then'), ('me', 'c1', 5, 'assistant', 'Yes?', 'then');
  `);
  old.close();
  const sql = openWeftSql(data);
  onTestFinished(() => sql.close());
  const store = createSqlConversations(sql, () => 0);
  expect((await store.list('me', { limit: 9 })).map(({ id }) => id)).toEqual(['c2', 'c1']);
  expect((await store.get('me', 'c1'))?.info).toEqual({
    id: 'c1',
    title: 'Hi',
    user: 'ada',
    target: 'm',
    startedAt: 'then',
    updatedAt: 'later',
  });
  await store.add('me', begin, say('More'));
  expect((await store.recent('me', 'c1', 9)).map(({ content }) => content)).toEqual(['Hi', 'Yes?', 'More']);
  expect((await store.list('me', { limit: 9 })).map(({ id }) => id)).toEqual(['c1', 'c2']);
});

test('a database that cannot be written is the error storage_failed, and nothing of it is stored', async () => {
  const sql = openWeftSql(await tempFolder());
  onTestFinished(() => sql.close());
  const store = createSqlConversations(sql, Date.now);
  await store.add('me', begin, say('a'));
  await sql.run('PRAGMA query_only = ON');
  await expect(store.add('me', begin, say('b'))).rejects.toMatchObject({ code: 'storage_failed' });
  expect(await store.recent('me', 'c1', 9)).toHaveLength(1);
});

test('no statement reads the conversations of other callers', async () => {
  const whole = await wholeScans(weftMigrations, async (sql) => {
    const store = createSqlConversations(sql, Date.now);
    await store.add('me', begin, say('a'));
    await store.get('me', 'c1');
    await store.recent('me', 'c1', 2);
    await store.list('me', { limit: 2 });
    await store.list('me', { limit: 2, before: 'c1' });
    await store.list('me', { limit: 2, words: 'b' });
    await store.rename('me', 'c1', 'b');
    await store.remove('me', 'c1');
  });
  expect(whole).toEqual([]);
});

import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openWeftDb } from '../adapters/weft-db.ts';
import { tempFolder } from '../testing/platform-bed.ts';
import { conversationsContract } from './conversations.contract.ts';
import { createMemoryConversations } from './memory-conversations.ts';
import { createSqliteConversations } from './sqlite-conversations.ts';

conversationsContract('in memory', createMemoryConversations);
conversationsContract('in SQLite', (now) => {
  const db = new DatabaseSync(':memory:');
  onTestFinished(() => db.close());
  return createSqliteConversations(db, now);
});

test('conversations are there again after the file was closed and opened', async () => {
  const data = await tempFolder();
  const first = openWeftDb(data);
  const begin = { id: 'c1', user: 'ada', target: 'flow:greet' };
  await createSqliteConversations(first, Date.now).add('me', begin, [{ role: 'user', content: 'Hi' }]);
  first.close();
  const second = openWeftDb(data);
  onTestFinished(() => second.close());
  expect(await createSqliteConversations(second, Date.now).get('me', 'c1')).toMatchObject({
    info: { user: 'ada', target: 'flow:greet', title: 'Hi' },
    messages: [{ role: 'user', content: 'Hi' }],
  });
});

test('a database that cannot be written is the error storage_failed', async () => {
  const db = new DatabaseSync(':memory:');
  onTestFinished(() => db.close());
  const store = createSqliteConversations(db, Date.now);
  await store.add('me', { id: 'c1', user: undefined, target: 'm' }, [{ role: 'user', content: 'a' }]);
  db.exec('PRAGMA query_only = ON');
  const more = store.add('me', { id: 'c1', user: undefined, target: 'm' }, [{ role: 'user', content: 'b' }]);
  await expect(more).rejects.toMatchObject({ code: 'storage_failed' });
  expect(await store.recent('me', 'c1', 9)).toHaveLength(1);
});

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tempFolder } from '../support/server.ts';
import { type OriginalClient, startOriginalClient } from './support/original-client.ts';
import { startWorld, type World } from './support/world.ts';

/** Data sources by the original's client, none of whose functions but the update works against the original itself. */
let world: World;
let admin: OriginalClient;

beforeAll(async () => {
  const folder = join(tempFolder('data'), 'shop');
  mkdirSync(folder);
  const db = new DatabaseSync(join(folder, 'shop.db'));
  db.exec(
    "CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO customers VALUES (1, 'Ada')",
  );
  db.close();
  world = await startWorld([], { WEFT_FOLDERS: `shop=${folder}` });
  const { key } = await world.owner.data<{ key: string }>('POST', '/keys', {
    name: 'admin',
    scopes: ['admin'],
  });
  admin = startOriginalClient(world.server.url, key);
});
afterAll(async () => {
  admin.close();
  await world.close();
});

interface Source {
  readonly id: number;
  readonly db_name: string;
}
const play = async <T = Source>(call: string, args: object = {}): Promise<T> => {
  const played = await admin.play(call, args);
  expect([call, played.status, played.rejected, played.error]).toEqual([call, 200, undefined, undefined]);
  return played.data as T;
};

test('a data source is made, listed, read, changed and deleted; its password never comes out', async () => {
  const source = {
    db_type: 'mysql',
    db_name: 'Shop-DB',
    db_host: '10.0.0.5',
    db_port: 3307,
    db_user: 'root',
    db_pwd: 's3cret',
    comment: 'Orders',
  };
  const made = await play('create_datasource', { source });
  expect(made).toMatchObject({
    ...source,
    db_name: 'shop_db',
    db_pwd: '',
    type: 'mysql',
    description: 'Orders',
  });
  expect(await play('get_datasource', { source: String(made.id) })).toEqual(made);
  expect(await play('get_datasource', { source: 'Shop-DB' })).toEqual(made);
  expect(await play<Source[]>('list_datasource')).toEqual([made]);
  expect(await admin.play('create_datasource', { source })).toMatchObject({
    status: 409,
    error: { err_code: 'datasource_name_taken' },
  });
  const { data } = await world.owner
    .api('GET', '/connections')
    .then(({ body }) => body as { data: object[] });
  expect(data).toMatchObject([
    { name: 'shop_db', kind: 'mysql', hidden: ['password'], grants: { operators: ['sql.ask', 'agent.run'] } },
  ]);
  const changed = await play('update_datasource', {
    source: { db_type: 'mysql', db_name: 'shop_db', db_host: '10.0.0.5', db_user: 'reader', db_pwd: 'other' },
  });
  expect(changed).toMatchObject({ id: made.id, db_port: 3307, db_user: 'reader', comment: 'Orders' });
  expect(await play('delete_datasource', { source: String(made.id) })).toMatchObject({ id: made.id });
  expect(await play<Source[]>('list_datasource')).toEqual([]);
  expect(await admin.play('get_datasource', { source: String(made.id) })).toMatchObject({
    status: 404,
    error: { err_code: 'connection_not_found' },
  });
});

test.each([
  [
    'a kind that there is not',
    { db_type: 'oracle', db_name: 'x', db_host: 'h' },
    400,
    'datasource_unsupported',
  ],
  ['no name', { db_type: 'mysql', db_name: '', db_host: 'h' }, 400, 'invalid_request'],
  ['no host', { db_type: 'postgresql', db_name: 'x' }, 400, 'invalid_request'],
  [
    'a file outside of the folders',
    { db_type: 'sqlite', db_name: 'x', db_path: '/etc/x.db' },
    400,
    'datasource_unsupported',
  ],
  [
    'a file that leads out',
    { db_type: 'sqlite', db_name: 'x', db_path: 'shop/../../x.db' },
    400,
    'datasource_unsupported',
  ],
])('refuses %s', async (_, source, status, code) => {
  expect(await admin.play('create_datasource', { source })).toMatchObject({
    status,
    error: { err_code: code },
  });
});

test('only an administrator may', async () => {
  expect(await world.original.play('list_datasource')).toMatchObject({ status: 403 });
});

test('a file of SQLite is asked by chat_data', async () => {
  await play('create_datasource', {
    source: { db_type: 'sqlite', db_name: 'shop', db_path: 'shop/shop.db' },
  });
  const answer = await world.original.chat({
    messages: 'Who?',
    chat_mode: 'chat_data',
    chat_param: 'shop',
    model: 'fine',
    stream: false,
  });
  // The scripted model says no statement, so its words are the answer; the tables were read without a failure.
  expect(answer.answer?.choices[0].message.content).toContain('One two');
});

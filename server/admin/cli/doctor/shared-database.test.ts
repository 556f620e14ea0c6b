import postgres from 'postgres';
import { expect, test } from 'vitest';
import { newDatabase } from '../../../storage/database/testing/postgres-server.ts';
import { testConfig } from '../../../testing/fake-context.ts';
import { checkProxy, checkSharedDatabase } from './shared-database.ts';

test('a database to which every role may connect gets the statement that ends it', async () => {
  const databaseUrl = await newDatabase();
  const check = () => checkSharedDatabase(testConfig({ databaseUrl }));
  const [about, open] = await check();
  expect(about).toMatchObject({ state: 'ok', says: expect.stringMatching(/^PostgreSQL \d+.* belongs to /) });
  expect(open).toMatchObject({
    state: 'warning',
    todo: expect.stringMatching(/^REVOKE CONNECT ON DATABASE \S+ FROM PUBLIC; GRANT CONNECT ON /),
  });
  const client = postgres(databaseUrl, { max: 1 });
  await client.unsafe(open?.todo ?? '');
  await client.end();
  expect(await check()).toEqual([about]);
});

test('one that cannot be reached is an error that repeats no password', async () => {
  const databaseUrl = 'postgres://weft:a-secret-word@127.0.0.1:1/weft';
  const found = await checkSharedDatabase(testConfig({ databaseUrl }));
  expect(found).toMatchObject([{ state: 'error', todo: expect.stringContaining('WEFT_DATABASE_URL') }]);
  expect(JSON.stringify(found)).not.toContain('a-secret-word');
  expect(await checkSharedDatabase(testConfig())).toEqual([]);
});

test('a public address before a server on loopback needs a trusted proxy', () => {
  const check = (publicUrl: string | undefined, trustProxy = false) =>
    checkProxy(testConfig({ host: '127.0.0.1', publicUrl, trustProxy })).map(({ state }) => state);
  expect(check('https://weft.example.com')).toEqual(['warning']);
  expect(check('https://weft.example.com', true)).toEqual([]);
  expect(check('http://127.0.0.1:5670')).toEqual([]);
  expect(check(undefined)).toEqual([]);
});

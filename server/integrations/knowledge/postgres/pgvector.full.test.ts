import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgres } from '../../../storage/database/postgres/open-postgres.ts';
import type { Sql } from '../../../storage/database/sql.ts';
import { aSpace, aText, load, storeContract } from '../store.contract.ts';
import { openPostgresStore } from './postgres-store.ts';

/** PostgreSQL in WebAssembly, which has pgvector, unlike the servers from npm. Its one database is emptied for each test. */
let db: PGlite;
let server: PGLiteSocketServer;
const opened: Sql[] = [];

beforeAll(async () => {
  db = await PGlite.create({ extensions: { vector } });
  server = new PGLiteSocketServer({ db, port: 0, maxConnections: 50 });
  await server.start();
}, 60_000);
afterAll(async () => {
  await Promise.all(opened.map((sql) => sql.close()));
  await server.stop();
  await db.close();
});

async function open(): Promise<Sql> {
  await Promise.all(opened.splice(0).map((sql) => sql.close()));
  await db.exec('DROP EXTENSION IF EXISTS vector; DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  const sql = await openPostgres(`postgres://postgres@${server.getServerConn()}/postgres`, []);
  opened.push(sql);
  return sql;
}

storeContract(async () => {
  const sql = await open();
  const store = await openPostgresStore(sql);
  expect(store.vectors).toBe('pgvector');
  return { store, other: await openPostgresStore(sql, 'other') };
});

test('the cosine without pgvector is the same', async () => {
  const sql = await open();
  const store = await openPostgresStore(sql);
  const { id = '' } = (await store.addSpace(aSpace('Tea', { model: 'm' }))) ?? {};
  const document = await load(store, aText(id, 'a', 'text'));
  for (const { hash } of await store.toEmbed(document, 'm', 1))
    await store.addVectors(document, 'm', [[hash, Float32Array.of(3, -2, 0.5)]]);
  const meaning = { model: 'm', vector: Float32Array.of(1, 2, 3) };
  const asked = { query: '?', spaces: [id], limit: 1, filter: {}, documents: [], neighbours: 0, meaning };
  const [by] = await store.search(asked);
  await sql.run('DROP EXTENSION vector');
  const plain = await openPostgresStore({ ...sql, run: refusingExtensions(sql) });
  expect(plain.vectors).toBe('arrays');
  const [without] = await plain.search(asked);
  expect(without?.why.meaning?.score).toBeCloseTo(by?.why.meaning?.score ?? 0, 6);
});

/** A user who may not create extensions. */
function refusingExtensions(sql: Sql): Sql['run'] {
  return (text, ...values) =>
    text.includes('EXTENSION') ? Promise.reject(new Error('permission denied')) : sql.run(text, ...values);
}

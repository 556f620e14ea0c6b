import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { storeFormats } from '../../../storage/database/manifest.ts';
import { dropVectors, dropVectorsOf, hashesOf } from '../knowledge-rows.ts';
import { aSpace, aText, load, storeContract } from '../store.contract.ts';
import { addDistance, addOwnDistance } from './connect.ts';
import { openEmbeddedStore } from './embedded-store.ts';
import { knowledgeMigrations } from './tables.ts';

const folder = mkdtempSync(join(tmpdir(), 'weft-knowledge-'));
const opened: { close(): Promise<void> }[] = [];
let files = 0;
afterAll(async () => {
  await Promise.all(opened.map((store) => store.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function open(file: string, project?: string) {
  const store = await openEmbeddedStore(file, project);
  opened.push(store);
  return store;
}

storeContract(async () => {
  const file = join(folder, `${++files}.db`);
  return { store: await open(file), other: await open(file, 'other') };
});

test('the manifest records its format', async () => {
  const store = await open(join(folder, 'knowledge.db'));
  await store.addSpace(aSpace('Tea'));
  const format = storeFormats(folder).find((one) => one.store === 'knowledge.db');
  expect(format).toMatchObject({ found: format?.known, known: knowledgeMigrations.at(-1)?.n });
});

test('a large write does not delay a search', async () => {
  const store = await open(join(folder, `${++files}.db`));
  const { id = '' } = (await store.addSpace(aSpace('Tea'))) ?? {};
  await load(store, aText(id, 'small', 'a needle'));
  const asked = { query: 'needle', spaces: [id], limit: 1, filter: {}, documents: [], neighbours: 0 };
  // Its thread has started before the write begins.
  await store.search(asked);
  const done: string[] = [];
  const text = Array.from({ length: 20_000 }, (_, n) => `# Heading ${n}\n\nhay ${n}`).join('\n\n');
  const writing = load(store, aText(id, 'large', text)).then(() => done.push('write'));
  expect(await store.search(asked)).toHaveLength(1);
  done.push('search');
  await writing;
  expect(done).toEqual(['search', 'write']);
});

test('a document is replaced without reading the others', async () => {
  const file = join(folder, `${++files}.db`);
  await (await open(file)).spaces();
  const db = new DatabaseSync(file, { readOnly: true });
  const plan = (statement: string) =>
    db
      .prepare(`EXPLAIN QUERY PLAN ${statement}`)
      .all()
      .map(({ detail }) => detail);
  expect(plan(hashesOf(''))).toEqual([expect.stringContaining('(project=? AND document=?)')]);
  const byHash = expect.stringContaining('(project=? AND hash=?)');
  const byOwn = expect.stringContaining('chunks_1 (project=? AND document=?)');
  const vectors = expect.stringContaining('vectors_hash (project=? AND hash=?)');
  const [list, each, scalar] = Array.from({ length: 3 }, () => expect.anything());
  expect(plan(dropVectors(''))).toEqual([vectors, list, each, scalar, byHash]);
  expect(plan(dropVectorsOf('', 'document'))).toEqual([vectors, list, byOwn, scalar, byHash]);
  db.close();
});

test('the distance of a platform without sqlite-vec is the same', () => {
  const blob = (...numbers: number[]) => new Uint8Array(Float32Array.from(numbers).buffer);
  const results = [addDistance, addOwnDistance].map((add) => {
    const db = new DatabaseSync(':memory:', { allowExtension: true });
    add(db);
    const row = db.prepare('SELECT vec_distance_cosine(?, ?) AS d').get(blob(1, 2, 3), blob(3, -2, 0.5));
    db.close();
    return row?.['d'] as number;
  });
  expect(results[1]).toBeCloseTo(results[0] as number, 5);
});

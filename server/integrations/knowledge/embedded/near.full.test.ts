import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { load as loadVec } from 'sqlite-vec';
import { afterAll, expect, test } from 'vitest';
import { openSqlite } from '../../../storage/database/sqlite/open-sqlite.ts';
import { aSpace, aText, load } from '../store.contract.ts';
import type { KnowledgeStore, SearchAsked } from '../store.ts';
import { openEmbeddedStore } from './embedded-store.ts';
import { LARGE_SPACE, tidyNear } from './near.ts';
import { knowledgeMigrations } from './tables.ts';

/** Spaces that are large enough for packed vectors, compared with all rows one by one. */

const folder = mkdtempSync(join(tmpdir(), 'weft-near-'));
const opened: KnowledgeStore[] = [];
let files = 0;
afterAll(async () => {
  await Promise.all(opened.map((store) => store.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function open(file: string): Promise<KnowledgeStore> {
  const store = await openEmbeddedStore(file);
  opened.push(store);
  return store;
}

const DIMENSIONS = 8;
/** A vector that depends only on a text; the vectors of some texts are zero. */
function vectorOf(text: string, dimensions = DIMENSIONS): Float32Array {
  let state =
    Array.from(text).reduce((sum, letter) => Math.imul(sum, 31) + (letter.codePointAt(0) ?? 0), 7) >>> 0;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  return text.includes('word13 ')
    ? new Float32Array(dimensions)
    : Float32Array.from({ length: dimensions }, next);
}

async function embed(store: KnowledgeStore, document: string, model = 'm', dimensions = DIMENSIONS) {
  const texts = await store.toEmbed(document, model, 10_000);
  for (let at = 0; at <= texts.length; at += 300) {
    const some = texts.slice(at, at + 300);
    await store.addVectors(
      document,
      model,
      some.map(({ hash, text }) => [hash, vectorOf(text, dimensions)]),
    );
  }
}

const sections = (from: number, to: number, more = ''): string =>
  Array.from({ length: to - from }, (_, n) => `# Part ${from + n}\n\nword${from + n} is here.${more}`).join(
    '\n\n',
  );

interface Row {
  readonly id: number;
  readonly name: string;
  readonly metadata: string;
  readonly vector: Uint8Array<ArrayBuffer>;
}

/** The nearest chunks of these spaces, from the rows, which are authoritative. */
function exactly(
  file: string,
  asked: Pick<SearchAsked, 'spaces' | 'limit'>,
  model: string,
  keep: (row: Row) => boolean,
): number[] {
  const db = new DatabaseSync(file, { readOnly: true, allowExtension: true });
  loadVec(db);
  const rows = db
    .prepare(
      `SELECT c.id, d.name, d.metadata, v.vector FROM chunks c JOIN documents d ON d.id = c.document
       JOIN vectors v ON v.hash = c.hash AND v.model = ? WHERE c.space IN (${asked.spaces.join(', ')})`,
    )
    .all(model) as unknown as Row[];
  db.close();
  const query = vectorOf('question', rows.length === 0 ? 1 : (rows[0]?.vector.length ?? 0) / 4);
  const cosine = ({ vector }: Row) => {
    const other = new Float32Array(vector.slice().buffer);
    const dot = other.reduce((sum, x, at) => sum + x * (query[at] ?? 0), 0);
    return dot / (Math.hypot(...other) * Math.hypot(...query));
  };
  return rows
    .filter(keep)
    .map((row) => ({ id: row.id, score: cosine(row) }))
    .filter(({ score }) => !Number.isNaN(score))
    .sort((a, b) => b.score - a.score || a.id - b.id)
    .slice(0, asked.limit)
    .map(({ id }) => id);
}

async function expectExact(
  store: KnowledgeStore,
  file: string,
  more: Partial<SearchAsked> & Pick<SearchAsked, 'spaces'>,
  {
    model = 'm',
    dimensions = DIMENSIONS,
    keep = () => true,
  }: {
    readonly model?: string;
    readonly dimensions?: number;
    readonly keep?: (row: Row) => boolean;
  } = {},
): Promise<void> {
  const meaning = { model, vector: vectorOf('question', dimensions) };
  const asked = { query: '?', limit: 50, filter: {}, documents: [], neighbours: 0, meaning, ...more };
  const hits = await store.search(asked);
  expect(hits.map(({ id }) => Number(id))).toEqual(exactly(file, asked, model, keep));
}

const listedIn = (file: string): unknown[] => {
  const db = new DatabaseSync(file, { readOnly: true });
  const rows = db.prepare('SELECT space, model, dimensions FROM near ORDER BY space').all();
  db.close();
  return rows.map((row) => ({ ...row }));
};

async function largeSpace(file: string) {
  const store = await open(file);
  const { id = '' } = (await store.addSpace(aSpace('Large', { model: 'm' }))) ?? {};
  const documents: string[] = [];
  for (let n = 0; n < 3; n++) {
    const text = sections(n * 500, n * 500 + 500);
    documents.push(await load(store, aText(id, `document ${n}`, text, { metadata: { n } })));
  }
  for (const document of documents) await embed(store, document);
  return { store, id, documents };
}

test('a search in a large space is as exact as over its rows, after every change of its documents', async () => {
  const file = join(folder, `${++files}.db`);
  const { store, id, documents } = await largeSpace(file);
  expect(listedIn(file)).toEqual([{ space: Number(id), model: 'm', dimensions: DIMENSIONS }]);
  await expectExact(store, file, { spaces: [id] });
  await expectExact(store, file, { spaces: [id], limit: 100 });

  // A document is replaced: texts that it shares with the previous version have vectors at once, the others later.
  const changed = aText(id, 'document 1', `${sections(500, 700)}\n\n${sections(2000, 2100, ' Changed.')}`);
  await load(store, changed);
  await expectExact(store, file, { spaces: [id] });
  await embed(store, documents[1] as string);
  await expectExact(store, file, { spaces: [id] });

  // Another document has the texts of the first, which are not embedded again.
  const copy = await load(store, aText(id, 'copy', sections(0, 60)));
  await expectExact(store, file, { spaces: [id] });
  await store.removeDocument(copy);
  await store.removeDocument(documents[2] as string);
  await expectExact(store, file, { spaces: [id] });

  await store.removeSpace(id);
  await expectExact(store, file, { spaces: [id] });
  expect(listedIn(file)).toEqual([]);
});

test('the slots of deleted chunks are filled again', async () => {
  const file = join(folder, `${++files}.db`);
  const { store, id, documents } = await largeSpace(file);
  const places = (): number => {
    const db = new DatabaseSync(file, { readOnly: true });
    const row = db.prepare(`SELECT sum(size) AS n FROM near_${DIMENSIONS}_chunks`).get();
    db.close();
    return row?.['n'] as number;
  };
  const before = places();
  for (let round = 1; round <= 5; round++) {
    await load(store, aText(id, 'document 1', sections(500, 1000, ` Round ${round}.`)));
    await embed(store, documents[1] as string);
    await expectExact(store, file, { spaces: [id] });
  }
  expect(places()).toBeLessThanOrEqual(before * 2);
  await store.removeDocument(documents[1] as string);
  await expectExact(store, file, { spaces: [id] });
  await store.removeDocument(documents[0] as string);
  await expectExact(store, file, { spaces: [id] });
  // The remaining space is no longer large.
  expect(listedIn(file)).toEqual([]);
});

test('limits of a search and spaces of another size keep it exact', async () => {
  const file = join(folder, `${++files}.db`);
  const { store, id } = await largeSpace(file);
  const few = await load(store, aText(id, 'few', sections(3000, 3020), { metadata: { n: 9 } }));
  await embed(store, few);
  const { id: small = '' } = (await store.addSpace(aSpace('Small', { model: 'm' }))) ?? {};
  await embed(store, await load(store, aText(small, 'little', sections(0, 90))));
  expect(listedIn(file)).toHaveLength(1);
  await expectExact(store, file, { spaces: [small] });
  await expectExact(store, file, { spaces: [id, small] });
  const named = (...names: string[]) => ({ keep: ({ name }: Row) => names.includes(name) });
  await expectExact(store, file, { spaces: [id], documents: ['document 1'] }, named('document 1'));
  await expectExact(store, file, { spaces: [id], documents: ['few'] }, named('few'));
  const ofYear = { keep: ({ metadata }: Row) => (JSON.parse(metadata) as { n?: number }).n === 2 };
  await expectExact(store, file, { spaces: [id, small], filter: { n: 2 } }, ofYear);
  const other = { model: 'm', vector: vectorOf('question', 5) };
  const asked = { query: '?', limit: 5, filter: {}, documents: [], neighbours: 0, spaces: [id] };
  expect(await store.search({ ...asked, meaning: other })).toEqual([]);
  const nowhere = { model: 'm', vector: new Float32Array(DIMENSIONS) };
  expect(await store.search({ ...asked, meaning: nowhere })).toEqual([]);
});

test('another model of the space is used from its first vectors on', async () => {
  const file = join(folder, `${++files}.db`);
  const { store, id, documents } = await largeSpace(file);
  await store.changeSpace(id, { model: 'other' });
  expect(listedIn(file)).toEqual([]);
  // Late vectors of the previous model are ignored.
  await store.addVectors(documents[0] as string, 'm', []);
  expect(listedIn(file)).toEqual([]);
  await embed(store, documents[0] as string, 'other', 12);
  await expectExact(store, file, { spaces: [id] }, { model: 'other', dimensions: 12 });
  for (const document of documents) await embed(store, document, 'other', 12);
  await expectExact(store, file, { spaces: [id] }, { model: 'other', dimensions: 12 });
  expect(listedIn(file)).toEqual([{ space: Number(id), model: 'other', dimensions: 12 }]);
});

test('after a model changes the length of its vectors, none of the old ones stay packed', async () => {
  const file = join(folder, `${++files}.db`);
  const { store, id, documents } = await largeSpace(file);
  await store.forgetOtherVectors('m', 12);
  expect(listedIn(file)).toEqual([]);
  for (const document of documents) await embed(store, document, 'm', 12);
  await expectExact(store, file, { spaces: [id] }, { dimensions: 12 });
  expect(listedIn(file)).toEqual([{ space: Number(id), model: 'm', dimensions: 12 }]);
});

test('without sqlite-vec nothing is listed, because nothing would keep the lists current', async () => {
  const file = join(folder, `${++files}.db`);
  const { store } = await largeSpace(file);
  await store.close();
  const sql = openSqlite(file, knowledgeMigrations);
  await tidyNear(sql, 'default', false);
  await sql.close();
  expect(listedIn(file)).toEqual([]);
});

test.each([
  ['an older Weft', 'DELETE FROM near'],
  ['another version of sqlite-vec', "UPDATE near SET made_by = 'v0.0.1'"],
])('the tables of %s are rebuilt at the next start', async (_, left) => {
  const file = join(folder, `${++files}.db`);
  const { store, id } = await largeSpace(file);
  await store.close();
  const db = new DatabaseSync(file);
  db.exec(left);
  db.close();
  const next = await open(file);
  await next.unfinished();
  const listed = [{ space: Number(id), model: 'm', dimensions: DIMENSIONS }];
  expect(listedIn(file)).toEqual(listed);
  await expectExact(next, file, { spaces: [id] });
  expect(LARGE_SPACE).toBeLessThan(1500);
});

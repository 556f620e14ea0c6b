import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { SplitSettings } from '../../shared/split-document.ts';
import { openEmbeddedStore } from '../../server/integrations/knowledge/embedded/embedded-store.ts';
import type { KnowledgeStore } from '../../server/integrations/knowledge/store.ts';

/**
 * How often a search by words alone has the right page of the project's docs among its first chunks, and a plain table of FTS5 over
 * the same chunks. The questions were written before the search; nothing in it may be fitted to them.
 */

export interface RecallQuestion {
  readonly kind: 'literal' | 'paraphrase';
  /** The page of `docs/` that answers it. */
  readonly page: string;
  readonly question: string;
}

export const questions = JSON.parse(
  readFileSync(new URL('questions.json', import.meta.url), 'utf8'),
) as readonly RecallQuestion[];

const docs = fileURLToPath(new URL('../../docs', import.meta.url));
const PLACES = [1, 5, 10] as const;

/** How many questions have their page among the first 1, 5 and 10 chunks. */
export type Recall = Readonly<Record<RecallQuestion['kind'], readonly number[]>>;
type Ask = (question: string) => Promise<readonly string[]> | readonly string[];

export async function measureRecall(): Promise<Readonly<Record<'weft' | 'plain FTS5', Recall>>> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-recall-'));
  const store = await openEmbeddedStore(join(folder, 'knowledge.db'));
  try {
    const space = await loadDocs(store);
    const weft = await recallOf(async (query) => {
      const asked = { query, spaces: [space], limit: 10, filter: {}, documents: [], neighbours: 0 };
      return (await store.search(asked)).map(({ document }) => document.name);
    });
    return { weft, 'plain FTS5': await recallOf(await plainSearch(store, space)) };
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
}

async function loadDocs(store: KnowledgeStore): Promise<string> {
  const split = SplitSettings.parse({});
  const made = await store.addSpace({
    ...{ name: 'docs', description: '', owner: '', model: null, split, extra: {} },
  });
  const space = made?.id ?? '';
  // A list of changes has a line on everything, and is the page of no question.
  const pages = globSync(join(docs, '*.md')).filter((file) => !basename(file).startsWith('changes-'));
  for (const file of pages.sort()) {
    const text = readFileSync(file, 'utf8');
    const given = { kind: 'text', type: 'text/markdown', url: null, metadata: {}, split } as const;
    const content = new TextEncoder().encode(text);
    const { id } = await store.putDocument({ ...given, space, name: basename(file), content });
    await store.replaceChunks(id, 1, { parts: [{ text }], pages: null, unread: [] });
  }
  return space;
}

/** What the manual of FTS5 shows: one column, the default weights, any word of the question. */
async function plainSearch(store: KnowledgeStore, space: string): Promise<Ask> {
  const db = new DatabaseSync(':memory:');
  db.exec('CREATE VIRTUAL TABLE plain USING fts5(text, page UNINDEXED)');
  const insert = db.prepare('INSERT INTO plain VALUES (?, ?)');
  for (const { id, name } of (await store.documents(space, { offset: 0, limit: 1000 })).items)
    for (const { text } of (await store.chunks(id, { offset: 0, limit: 10_000 })).items)
      insert.run(text, name);
  const find = db.prepare('SELECT page FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT 10');
  return (question) => {
    const words = question.match(/[\p{L}\p{N}_]+/gu) ?? [];
    return find.all(words.map((word) => `"${word}"`).join(' OR ')).map(({ page }) => page as string);
  };
}

async function recallOf(ask: Ask): Promise<Recall> {
  const found = { literal: [0, 0, 0], paraphrase: [0, 0, 0] };
  for (const { kind, page, question } of questions) {
    const at = (await ask(question)).indexOf(page);
    for (const [n, places] of PLACES.entries()) if (at !== -1 && at < places) found[kind][n]! += 1;
  }
  return found;
}

if (import.meta.main) {
  for (const [name, recall] of Object.entries(await measureRecall()))
    for (const [kind, counts] of Object.entries(recall)) {
      const of = questions.filter((one) => one.kind === kind).length;
      const each = counts.map((n: number, at: number) => `@${PLACES[at]} ${n}`).join(', ');
      console.log(`${name.padEnd(11)} ${kind.padEnd(11)} ${each} of ${of}`);
    }
}

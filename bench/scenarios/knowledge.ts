import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { load } from 'sqlite-vec';
import { SplitSettings } from '../../shared/split-document.ts';
import { openEmbeddedStore } from '../../server/integrations/knowledge/embedded/embedded-store.ts';
import { measureRecall, questions, type Recall, type RecallQuestion } from '../recall/recall.ts';
import { matchOf } from '../../server/integrations/knowledge/words.ts';
import type { KnowledgeStore } from '../../server/integrations/knowledge/store.ts';
import { type BenchContext, type Line, median, type Scenario } from '../harness.ts';

/** Other sizes are asked for in the environment; a million chunks take a quarter of an hour to store. */
const DIMENSIONS = Number(process.env['WEFT_BENCH_DIMENSIONS'] ?? 384);
const CHUNKS = Number(process.env['WEFT_BENCH_CHUNKS'] ?? 100_000);
/** Words of a chunk. */
const WORDS = Number(process.env['WEFT_BENCH_WORDS'] ?? 100);
/** Chunks of a document: at most 100 documents, so that most of the time goes into chunks. */
const SECTIONS = Math.max(100, CHUNKS / 100);
const HITS = 10;
/** Calls a round. */
const CALLS = 3;
/** Real vectors lie in clusters. */
const CLUSTERS = 200;

/** A search by meaning, and the same number of vectors in a table of sqlite-vec alone; how fast documents are stored. */
export const knowledge: Scenario = {
  name: 'knowledge',
  title: 'Knowledge: retrieval, and sqlite-vec alone',
  async run({ quick, say }: BenchContext): Promise<Line[]> {
    const folder = mkdtempSync(join(tmpdir(), 'weft-bench-knowledge-'));
    const documents = (quick ? 5000 : CHUNKS) / SECTIONS;
    const file = join(folder, 'knowledge.db');
    const store = await openEmbeddedStore(file);
    const bare = bareTable(join(folder, 'bare.db'));
    try {
      const random = randomNumbers(1);
      const centres = Array.from({ length: CLUSTERS }, () => vectorNear(undefined, random));
      const near = () => vectorNear(centres[Math.floor(random() * CLUSTERS)], random);
      const made = await store.addSpace({
        ...{ name: 'bench', description: '', owner: '', model: 'made up' },
        ...{ split: SplitSettings.parse({}), extra: {} },
      });
      const space = made?.id ?? '';
      const began = process.cpuUsage();
      let chunks = 0;
      const ids: string[] = [];
      for (let n = 0; n < documents; n++) {
        const { id, count } = await loadDocument(store, space, { n, random });
        ids.push(id);
        chunks += count;
      }
      const { user, system } = process.cpuUsage(began);
      const seconds = (user + system) / 1e6;
      say(`${chunks} chunks are stored`);
      for (const id of ids) await embed(store, id, { near, bare });
      say('and have a vector each');
      bare.openWords(file);
      const search = (vector: Float32Array, query: string) =>
        store.search({
          ...{ query, spaces: [space], limit: HITS, filter: {}, documents: [], neighbours: 0 },
          meaning: { model: 'made up', vector },
        });
      const times: Times = { bare: [], words: [], meaning: [], both: [] };
      for (let round = 0; round < (quick ? 5 : 21); round++) {
        const vector = near();
        const question = `What about item ${round} and word${round}?`;
        times.bare.push(await msOf(() => bare.nearest(vector)));
        times.words.push(await msOf(() => bare.matching(question)));
        times.meaning.push(await msOf(() => search(vector, '?')));
        times.both.push(await msOf(() => search(vector, question)));
      }
      return [...linesOf(times, { chunks, perSecond: chunks / seconds }), ...(await hitLines())];
    } finally {
      await store.close();
      bare.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** Processor time of each call, in milliseconds. */
type Times = Record<'bare' | 'words' | 'meaning' | 'both', number[]>;

function linesOf(
  times: Times,
  { chunks, perSecond }: { readonly chunks: number; readonly perSecond: number },
): Line[] {
  // The first of each has read the file.
  const ms = (name: keyof Times): number => median(times[name].slice(1));
  const told = (...names: (keyof Times)[]): string =>
    names.map((name) => `${name} ${ms(name).toFixed(1)} ms`).join(', ');
  const size = `${chunks.toLocaleString('en-US')} chunks of ${WORDS} words, made-up vectors of ${DIMENSIONS} numbers in ${CLUSTERS} clusters`;
  return [
    {
      name: 'retrieval by meaning: processor time, of a bare query of sqlite-vec',
      figure: ms('meaning') / ms('bare'),
      unit: 'x',
      bar: { kind: 'at most', value: 1.3 },
      note: `${told('meaning', 'bare')}; ${size}`,
    },
    {
      name: 'retrieval by words and meaning: of bare queries of sqlite-vec and of FTS5',
      figure: ms('both') / (ms('bare') + ms('words')),
      unit: 'x',
      bar: { kind: 'at most', value: 1.3 },
      note: told('both', 'bare', 'words'),
    },
    {
      name: 'the same, of a bare query of sqlite-vec alone',
      figure: ms('both') / ms('bare'),
      unit: 'x',
      note: 'it does not search by words',
    },
    {
      name: 'documents are stored, without their vectors',
      figure: perSecond,
      unit: '/s',
      bar: { kind: 'at least', value: 2000 },
      note: `a second of processor time; chunks of ${WORDS} words`,
    },
  ];
}

/** How often a search by words alone has the right page of the project's docs among its first ten chunks. */
async function hitLines(): Promise<Line[]> {
  const { weft, 'plain FTS5': plain } = await measureRecall();
  const lineOf = (kind: RecallQuestion['kind'], name: string): Line => {
    const count = questions.filter((one) => one.kind === kind).length;
    const counts = (recall: Recall) => recall[kind].join(', ');
    const note = `${count} questions about the project's docs, which page has the answer; among the first 1, 5, 10: ${counts(weft)}, plain FTS5 ${counts(plain)}`;
    return { name, unit: 'x', figure: (weft[kind].at(-1) ?? 0) / count, note };
  };
  const exact = lineOf('literal', 'by words alone, hit@10 of questions with an exact answer');
  return [
    { ...exact, bar: { kind: 'at least', value: 0.95 } },
    lineOf('paraphrase', 'the same of paraphrases'),
  ];
}

async function loadDocument(
  store: KnowledgeStore,
  space: string,
  { n, random }: { readonly n: number; readonly random: () => number },
): Promise<{ id: string; count: number }> {
  const words = () =>
    Array.from({ length: WORDS }, () => `word${Math.floor(random() ** 3 * 5000)}`).join(' ');
  const text = Array.from({ length: SECTIONS }, (_, at) => `# Item ${n * SECTIONS + at}\n\n${words()}`).join(
    '\n\n',
  );
  const split = SplitSettings.parse({});
  const { id } = await store.putDocument({
    ...{ space, name: `document ${n}`, kind: 'text', type: 'text/markdown', url: null, metadata: {}, split },
    content: new TextEncoder().encode(text),
  });
  await store.replaceChunks(id, 1, { parts: [{ text }], pages: null, unread: [] });
  return { id, count: (await store.document(id))?.chunks ?? 0 };
}

async function embed(
  store: KnowledgeStore,
  id: string,
  { near, bare }: { readonly near: () => Float32Array; readonly bare: ReturnType<typeof bareTable> },
): Promise<void> {
  const texts = await store.toEmbed(id, 'made up', 10_000);
  const vectors = texts.map(({ hash }) => [hash, near()] as const);
  await store.addVectors(id, 'made up', vectors);
  await store.finish(id, 1, null);
  bare.add(vectors.map(([, vector]) => vector));
}

/** What the manuals show: a virtual table of vectors, and its nearest ones; the best rows of an index of words by BM25. */
function bareTable(file: string) {
  const db = new DatabaseSync(file, { allowExtension: true });
  load(db);
  // Mapped into memory, as the store's file is: a third faster than by default.
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA mmap_size = 4294967296;');
  db.exec(`CREATE VIRTUAL TABLE bare USING vec0(vector float[${DIMENSIONS}] distance_metric=cosine)`);
  const insert = db.prepare('INSERT INTO bare (vector) VALUES (?)');
  const nearest = db.prepare('SELECT rowid, distance FROM bare WHERE vector MATCH ? AND k = ?');
  const bytes = (vector: Float32Array) => new Uint8Array(vector.buffer);
  let words: DatabaseSync | undefined;
  return {
    /** The words are asked of the same table. */
    openWords(knowledge: string): void {
      words = new DatabaseSync(knowledge, { readOnly: true });
      words.exec('PRAGMA mmap_size = 4294967296');
    },
    matching: (question: string) =>
      words
        ?.prepare('SELECT rowid FROM chunk_words WHERE chunk_words MATCH ? ORDER BY rank LIMIT ?')
        .all(matchOf(question) ?? '', HITS),
    add(vectors: readonly Float32Array[]): void {
      db.exec('BEGIN');
      for (const vector of vectors) insert.run(bytes(vector));
      db.exec('COMMIT');
    },
    nearest: (vector: Float32Array) => nearest.all(bytes(vector), HITS),
    close(): void {
      words?.close();
      db.close();
    },
  };
}

/** Processor time of this process with its threads: what other programs do meanwhile is not in it. */
async function msOf(call: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  for (let n = 0; n < CALLS; n++) await call();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / CALLS;
}

function vectorNear(centre: Float32Array | undefined, random: () => number): Float32Array {
  return Float32Array.from({ length: DIMENSIONS }, (_, at) => (centre?.[at] ?? 0) * 3 + random() - 0.5);
}

function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

import { describe, expect, test } from 'vitest';
import { SplitSettings } from '#shared/split-document.ts';
import type { KnowledgeStore, NewDocument, NewSpace, SearchAsked } from './store.ts';

const all = { offset: 0, limit: 100 };

export const aSpace = (name: string, more: Partial<NewSpace> = {}): NewSpace => ({
  name,
  description: '',
  owner: '',
  model: null,
  split: SplitSettings.parse({}),
  extra: {},
  ...more,
});

export const aText = (
  space: string,
  name: string,
  text: string,
  more: Partial<NewDocument> = {},
): NewDocument => ({
  space,
  name,
  kind: 'text',
  type: 'text/markdown',
  url: null,
  metadata: {},
  split: SplitSettings.parse({}),
  content: new TextEncoder().encode(text),
  ...more,
});

/** Puts a document and stores its chunks, without embedding them. */
export async function load(store: KnowledgeStore, given: NewDocument): Promise<string> {
  const { id } = await store.putDocument(given);
  const source = await store.source(id);
  if (source === undefined || source.document.status === 'ready') return id;
  const parts = [{ text: new TextDecoder().decode(source.content) }];
  await store.replaceChunks(id, source.version, { parts, pages: null, unread: [] });
  await store.finish(id, source.version, null);
  return id;
}

const asking = (query: string, space: string, more: Partial<SearchAsked> = {}): SearchAsked => ({
  query,
  spaces: [space],
  limit: 10,
  filter: {},
  documents: [],
  neighbours: 0,
  ...more,
});

/** Returns two stores that share their rows: the second is of another project. */
export type MakeStores = () => Promise<{ store: KnowledgeStore; other: KnowledgeStore }>;

/** The guarantees of every knowledge store. */
export function storeContract(make: MakeStores): void {
  describe('spaces', () => spaces(make));
  describe('documents', () => documents(make));
  describe('vectors', () => vectors(make));
  describe('a search by words', () => searchByWords(make));
  describe('a search', () => search(make));
  describe('hits', () => reasons(make));
}

async function library(make: MakeStores) {
  const { store } = await make();
  const { id = '' } = (await store.addSpace(aSpace('Tea', { model: 'm' }))) ?? {};
  const green = aText(
    id,
    'green',
    '# Green\n\nSteep two minutes. Grüße aus Kyoto, error ERR-42. 绿茶很好喝。',
    {
      metadata: { year: 2020, kind: 'tea' },
    },
  );
  const black = aText(id, 'black', '# Black\n\nSteep four minutes. Milk is allowed.', {
    metadata: { year: 2021 },
  });
  const documents = [await load(store, green), await load(store, black)];
  return { store, id, documents };
}

const namesOf = async (store: KnowledgeStore, asked: SearchAsked) =>
  (await store.search(asked)).map(({ document }) => document.name);

function spaces(make: MakeStores): void {
  test('have a name each, and keep their id when they are renamed', async () => {
    const { store, other } = await make();
    const made = await store.addSpace(aSpace('Tea', { description: 'All of it' }));
    expect(made).toMatchObject({ id: '1', name: 'Tea', description: 'All of it', documents: 0, chunks: 0 });
    expect(await store.addSpace(aSpace('Tea'))).toBeUndefined();
    await store.addSpace(aSpace('Coffee'));
    expect(await store.changeSpace('1', { name: 'Coffee' })).toBe('taken');
    expect(await store.changeSpace('1', { name: 'Green tea' })).toMatchObject({
      id: '1',
      description: 'All of it',
    });
    expect(await store.changeSpace('9', { name: 'x' })).toBeUndefined();
    expect((await store.spaces()).map(({ name }) => name)).toEqual(['Green tea', 'Coffee']);
    expect(await other.spaces()).toEqual([]);
    expect(await other.space('1')).toBeUndefined();
  });

  test('are deleted with everything in them', async () => {
    const { store } = await make();
    const { id = '' } = (await store.addSpace(aSpace('Tea', { model: 'm' }))) ?? {};
    const document = await load(store, aText(id, 'a', 'Steep two minutes.'));
    const [text] = await store.toEmbed(document, 'm', 10);
    await store.addVectors(document, 'm', [[text?.hash ?? '', Float32Array.of(1, 0)]]);
    expect(await store.removeSpace(id)).toBe(true);
    expect(await store.removeSpace(id)).toBe(false);
    expect([await store.document(document), await store.search(asking('steep', id))]).toEqual([
      undefined,
      [],
    ]);
  });
}

function documents(make: MakeStores): void {
  test('are replaced by name as a whole, and stay unchanged if their content is the same', async () => {
    const { store } = await make();
    const { id = '' } = (await store.addSpace(aSpace('Tea'))) ?? {};
    const first = await load(store, aText(id, 'a', '# One\n\nold words\n\n# Two\n\nkept words'));
    const before = await store.chunks(first, all);
    expect(before.items.map(({ heading, n }) => [heading, n])).toEqual([
      ['One', 0],
      ['Two', 1],
    ]);
    const same = await store.putDocument(
      aText(id, 'a', '# One\n\nold words\n\n# Two\n\nkept words', { metadata: { year: 1 } }),
    );
    expect(same).toMatchObject({ id: first, status: 'ready', metadata: { year: 1 } });
    expect((await store.chunks(first, all)).items).toEqual(before.items);

    await load(store, aText(id, 'a', '# Two\n\nkept words'));
    expect(await store.search(asking('old', id))).toEqual([]);
    expect((await store.search(asking('kept', id))).map(({ text }) => text)).toEqual(['# Two\n\nkept words']);
    expect((await store.documents(id, all)).total).toBe(1);
  });

  test('keep their chunks until the new content is read, and a replaced version writes nothing', async () => {
    const { store } = await make();
    const { id = '' } = (await store.addSpace(aSpace('Tea'))) ?? {};
    const document = await load(store, aText(id, 'a', 'first'));
    await store.putDocument(aText(id, 'a', 'second'));
    const second = await store.source(document);
    await store.putDocument(aText(id, 'a', 'third'));
    expect(await store.unfinished()).toEqual([document]);
    const read = { parts: [{ text: 'second' }], pages: null, unread: [] };
    expect(await store.replaceChunks(document, second?.version ?? 0, read)).toBe(false);
    expect(await store.begin(document, second?.version ?? 0)).toBe(false);
    await store.finish(document, second?.version ?? 0, null);
    expect(await store.document(document)).toMatchObject({ status: 'waiting', chunks: 1 });
    expect(await store.search(asking('first', id))).toHaveLength(1);
  });

  test('that fail have a problem, and leave the list of unfinished documents', async () => {
    const { store } = await make();
    const { id = '' } = (await store.addSpace(aSpace('Tea'))) ?? {};
    const { id: document } = await store.putDocument(aText(id, 'a', 'x'));
    const problem = { code: 'document_unreadable', message: 'It is broken.' };
    await store.finish(document, 1, problem);
    expect(await store.document(document)).toMatchObject({ status: 'failed', problem });
    expect(await store.unfinished()).toEqual([]);
    expect(await store.restart(document)).toMatchObject({ status: 'waiting', problem: null });
  });

  test('may have hundreds of chunks and any characters', async () => {
    const { store } = await make();
    const { id = '' } = (await store.addSpace(aSpace('Tea'))) ?? {};
    const texts = Array.from({ length: 234 }, (_, n) => `# Part ${n}\n\nword${n} \0 茶 "it's" {1,2}`);
    const document = await load(store, aText(id, 'a', texts.join('\n\n')));
    const { items, total } = await store.chunks(document, { offset: 0, limit: 1000 });
    expect([total, items.map(({ n }) => n)]).toEqual([234, texts.map((_, n) => n)]);
    expect(items.map(({ text }) => text)).toEqual(texts);
    expect((await store.search(asking('word233', id))).map(({ n }) => n)).toEqual([233]);
  });

  test('are listed by page', async () => {
    const { store } = await make();
    const { id = '' } = (await store.addSpace(aSpace('Tea'))) ?? {};
    for (const name of ['a', 'b', 'c']) await store.putDocument(aText(id, name, name));
    const page = await store.documents(undefined, { offset: 1, limit: 1 });
    expect([page.total, page.items.map(({ name }) => name)]).toEqual([3, ['b']]);
  });
}

function vectors(make: MakeStores): void {
  test('are made once for each text, and for a changed document only for its changed texts', async () => {
    const { store } = await make();
    const { id = '' } = (await store.addSpace(aSpace('Tea', { model: 'm' }))) ?? {};
    const document = await load(store, aText(id, 'a', '# One\n\nfirst\n\n# Two\n\nsecond'));
    const texts = await store.toEmbed(document, 'm', 10);
    expect(texts.map(({ text }) => text).sort()).toEqual(['One\n# One\n\nfirst', 'Two\n# Two\n\nsecond']);
    await store.addVectors(
      document,
      'm',
      texts.map(({ hash }) => [hash, Float32Array.of(1, 0)]),
    );
    expect(await store.document(document)).toMatchObject({ chunks: 2, embedded: 2 });

    await load(store, aText(id, 'a', '# One\n\nfirst\n\n# Two\n\nchanged'));
    expect((await store.toEmbed(document, 'm', 10)).map(({ text }) => text)).toEqual([
      'Two\n# Two\n\nchanged',
    ]);
    const copy = await load(store, aText(id, 'copy', '# One\n\nfirst'));
    expect(await store.toEmbed(copy, 'm', 10)).toEqual([]);
    expect(await store.toEmbed(copy, 'other', 10)).toHaveLength(1);
  });

  test('are deleted with the last chunk that needs them', async () => {
    const { store } = await make();
    const { id = '' } = (await store.addSpace(aSpace('Tea', { model: 'm' }))) ?? {};
    const { id: other = '' } = (await store.addSpace(aSpace('Coffee', { model: 'm' }))) ?? {};
    const text = aText(id, 'a', '# One\n\nfirst\n\n# Two\n\nsecond');
    const document = await load(store, text);
    const texts = await store.toEmbed(document, 'm', 10);
    const vectors = texts.map(({ hash }) => [hash, Float32Array.of(1, 0)] as const);
    await store.addVectors(document, 'm', vectors);
    const missing = async (of: string) => (await store.toEmbed(of, 'm', 10)).length;

    // The same texts are in another document, and in another space.
    const copy = await load(store, { ...text, name: 'copy' });
    const elsewhere = await load(store, { ...text, space: other });
    await store.removeDocument(document);
    expect([await missing(copy), await missing(elsewhere)]).toEqual([0, 0]);
    await store.removeSpace(id);
    expect(await missing(elsewhere)).toBe(0);
    await load(store, aText(other, 'a', '# Two\n\nsecond'));
    const again = await load(store, { ...text, space: other, name: 'again' });
    expect((await store.toEmbed(again, 'm', 10)).map((one) => one.text)).toEqual(['One\n# One\n\nfirst']);
    await store.removeSpace(other);
    const { id: third = '' } = (await store.addSpace(aSpace('Cocoa', { model: 'm' }))) ?? {};
    expect(await missing(await load(store, { ...text, space: third }))).toBe(2);
  });

  test('of another length than the current one of their model are deleted, and their documents are unfinished', async () => {
    const { store, id, documents } = await library(make);
    const [green = '', black = ''] = documents;
    const embed = async (document: string, length: number): Promise<void> => {
      for (const { hash } of await store.toEmbed(document, 'm', 10))
        await store.addVectors(document, 'm', [[hash, new Float32Array(length).fill(1)]]);
    };
    expect(await store.vectorLengths('m')).toBeUndefined();
    await embed(green, 2);
    await embed(black, 3);
    expect(await store.vectorLengths('m')).toEqual({ min: 2, max: 3 });
    expect(await store.space(id)).toMatchObject({ chunks: 2, embedded: 2 });
    await store.forgetOtherVectors('m', 3);
    expect(await store.vectorLengths('m')).toEqual({ min: 3, max: 3 });
    expect(await store.unfinished()).toEqual([green]);
    expect([await store.document(green), await store.document(black)]).toMatchObject([
      { status: 'embedding', embedded: 0 },
      { status: 'ready', embedded: 1 },
    ]);
    expect(await store.space(id)).toMatchObject({ chunks: 2, embedded: 1 });
    // Work on an earlier version does not finish it; work on the named document does.
    const under = await store.source(green);
    await store.forgetOtherVectors('m', 2);
    await store.finish(green, under?.version ?? 0, null);
    expect(await store.document(green)).toMatchObject({ status: 'embedding' });
    const again = await store.source(green);
    await store.forgetOtherVectors('m', 2, green);
    await store.finish(green, again?.version ?? 0, null);
    expect(await store.document(green)).toMatchObject({ status: 'ready' });
  });

  test('of another model are made again', async () => {
    const { store } = await make();
    const { id = '' } = (await store.addSpace(aSpace('Tea'))) ?? {};
    const document = await load(store, aText(id, 'a', 'text'));
    await store.changeSpace(id, { model: 'm' });
    expect(await store.unfinished()).toEqual([document]);
    await store.changeSpace(id, { model: null });
    expect(await store.unfinished()).toEqual([]);
  });
}

function searchByWords(make: MakeStores): void {
  test.each([
    ['a word', 'milk', ['black']],
    ['a question', 'How many minutes does black tea need?', ['black', 'green']],
    ['without its accents', 'gruße', ['green']],
    ['a number with a sign', 'err-42', ['green']],
    ['Chinese', '绿茶', ['green']],
    ['signs of the language of the index', '"milk" AND (NEAR *', ['black']],
    ['no word at all', '?!', []],
  ])('finds by words: %s', async (_, query, names) => {
    const { store, id } = await library(make);
    expect(await namesOf(store, asking(query, id))).toEqual(names);
  });
}

function search(make: MakeStores): void {
  test('cites the document, the heading, the position and the sentence', async () => {
    const { store, id } = await library(make);
    const [hit] = await store.search(asking('is milk allowed', id));
    expect(hit).toMatchObject({
      document: { name: 'black', metadata: { year: 2021 } },
      space: 'Tea',
      heading: 'Black',
      quote: 'Milk is allowed.',
      score: 1,
      why: { words: { rank: 1 }, meaning: null },
    });
  });

  test('is limited by metadata, with the right types, and by documents', async () => {
    const { store, id } = await library(make);
    const by = (more: Partial<SearchAsked>) => namesOf(store, asking('steep', id, more));
    expect(await by({ filter: { year: 2020 } })).toEqual(['green']);
    expect(await by({ filter: { year: '2020' } })).toEqual([]);
    expect(await by({ filter: { year: [2020, 2021], kind: 'tea' } })).toEqual(['green']);
    expect(await by({ documents: ['black'] })).toEqual(['black']);
    expect(await by({ spaces: ['99'] })).toEqual([]);
  });

  test('by meaning finds texts with other words, and fuses both rankings', async () => {
    const { store, id, documents } = await library(make);
    for (const [at, document] of documents.entries())
      for (const { hash } of await store.toEmbed(document, 'm', 10))
        await store.addVectors(document, 'm', [[hash, Float32Array.of(at, 1 - at)]]);
    const meaning = { model: 'm', vector: Float32Array.of(0.9, 0.1) };
    const hits = await store.search(asking('boiling', id, { meaning }));
    expect(hits.map(({ document }) => document.name)).toEqual(['black', 'green']);
    expect(hits[0]?.why.meaning?.score).toBeCloseTo(0.9939, 3);
    const both = await store.search(asking('err-42', id, { meaning }));
    expect(both[0]).toMatchObject({
      document: { name: 'green' },
      why: { words: { rank: 1 }, meaning: { rank: 2 } },
    });
    const other = { model: 'm', vector: Float32Array.of(1, 0, 0) };
    expect(await namesOf(store, asking('boiling', id, { meaning: other }))).toEqual([]);
  });

  test('adds neighbours only to the best hit, and none that are hits themselves', async () => {
    const { store } = await make();
    const { id = '' } = (await store.addSpace(aSpace('Tea'))) ?? {};
    const text = ['zero', 'leaf leaf leaf', 'two', 'a leaf', 'four', 'five'].map(
      (one, n) => `# P${n}\n\n${one}`,
    );
    await load(store, aText(id, 'a', text.join('\n\n')));
    const hits = await store.search(asking('leaf', id, { neighbours: 2 }));
    expect(hits.map(({ n }) => n)).toEqual([1, 3]);
    expect(hits.map(({ context }) => context.match(/(?<=# P)\d/g))).toEqual([
      ['0', '1', '2'],
      ['3', '4', '5'],
    ]);
  });

  test('adds neighbours without repeating shared text', async () => {
    const { store } = await make();
    const { id = '' } = (await store.addSpace(aSpace('Tea'))) ?? {};
    const split = SplitSettings.parse({ by: 'sentences', size: 40, overlap: 18 });
    const text = 'One is here. Two is here. Three is here. Four is here. Five is here. Six is here.';
    await load(store, aText(id, 'a', text, { split }));
    const [hit] = await store.search(asking('four', id, { neighbours: 5, limit: 1 }));
    expect(hit?.context).toBe(text);
  });

  test('returns no chunk twice: adjacent hits share their neighbours', async () => {
    const { store } = await make();
    const { id = '' } = (await store.addSpace(aSpace('Tea'))) ?? {};
    const split = SplitSettings.parse({ by: 'sentences', size: 30, overlap: 0 });
    const text = 'Ada drinks much tea. Bob drinks tea. Cat drinks milk here. Dog eats bread here.';
    await load(store, aText(id, 'a', text, { split }));
    const hits = await store.search(asking('tea', id, { neighbours: 3, limit: 5 }));
    expect(hits).toHaveLength(2);
    const read = hits.toSorted((a, b) => a.n - b.n).map(({ context }) => context);
    expect(read.join(' ').replaceAll(/\s+/g, ' ')).toBe(text);
    expect(hits.every((hit) => hit.context.includes(hit.text))).toBe(true);
  });
}

function reasons(make: MakeStores): void {
  test('reports which whole words matched, ignoring case and accents', async () => {
    const { store } = await make();
    const { id = '' } = (await store.addSpace(aSpace('Tea'))) ?? {};
    await load(store, aText(id, 'Crème', '# Oolong\n\nThe particular ERR-42 of 知识库.'));
    const [hit] = await store.search(asking('art err-42 OOLONG creme 知识库 42 coffee', id));
    expect(hit?.why.words?.matched).toEqual(['err-42', 'oolong', 'creme', '知识', '识库', '42']);
  });

  test('uses changed metadata', async () => {
    const { store, id, documents } = await library(make);
    const changed = await store.changeDocument(documents[0] as string, { year: 1999 });
    expect(changed).toMatchObject({ metadata: { year: 1999 }, status: 'ready' });
    expect(await namesOf(store, asking('steep', id, { filter: { year: 1999 } }))).toEqual([changed?.name]);
    expect(await store.changeDocument('99', {})).toBeUndefined();
  });
}

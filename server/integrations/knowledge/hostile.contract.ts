import { expect, test } from 'vitest';
import type { KnowledgeDocument } from '#shared/knowledge.ts';
import { paper } from '../documents/testing/made.ts';
import { type Bed, startBed } from '../../testing/platform-bed.ts';
import { HOSTILE } from './testing/hostile-documents.ts';

/** Malicious documents: each ends with a result of its own and does not affect its neighbours. */

/** The error codes of a document; `internal` would be a bug of the reader. */
const REFUSALS = ['document_unreadable', 'document_too_large', 'value_too_large', 'too_deep', 'bad_input'];

const bytesOf = (content: Uint8Array | string): Uint8Array =>
  typeof content === 'string' ? new TextEncoder().encode(content) : content;

/** A space of a server. */
export async function spaceIn({ ctx }: Bed) {
  const knowledge = await ctx.knowledge.opened();
  const { id } = await knowledge.addSpace({ name: 'tea', model: null });
  const put = (name: string, content: Uint8Array | string) =>
    knowledge.put(id, { name, kind: 'file', content: bytesOf(content) });
  const all = async (): Promise<KnowledgeDocument[]> => {
    const { items } = await knowledge.documents(id, { offset: 0, limit: 1000 });
    return items;
  };
  const settled = async (): Promise<KnowledgeDocument[]> => {
    for (;;) {
      const documents = await all();
      if (documents.every(({ status }) => status === 'ready' || status === 'failed')) return documents;
      await new Promise((done) => setTimeout(done, 100));
    }
  };
  return { knowledge, put, settled };
}

export const by = { flow: 't', version: '', run: 't', node: 't', operator: 'knowledge.retrieve' };

/** The results of documents whose result does not depend on timing. */
const ENDS: Readonly<Record<string, string>> = {
  'lying.docx': 'document_too_large',
  'half.docx': 'document_unreadable',
  'parts.docx': 'document_too_large',
  // At once: it does not wait for the time limit of a document.
  'deep.html': 'document_too_large',
  'script.pdf': 'ready',
  'script.html': 'ready',
  'bytes.txt': 'document_unreadable',
};

/** Tests that these hostile documents do no harm, each with neighbours beside it. */
export function documentsContract(names: readonly string[]): void {
  test('each ends with a result and a code, in bounded memory; all others are read and found', {
    timeout: 240_000,
  }, async () => {
    const { knowledge, put, settled } = await spaceIn(await startBed());
    const before = process.memoryUsage.rss();
    let most = before;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 50);
    for (const [at, name] of names.entries()) {
      await put(name, HOSTILE[name]?.() ?? '');
      await put(`neighbour-${at}.md`, `# Neighbour ${at}\n\nNeighbour word${at} is well.`);
    }
    await put('neighbour.pdf', paper(['Neighbour paper is well']));
    const documents = await settled();
    clearInterval(watch);

    expect(documents).toHaveLength(2 * names.length + 1);
    const neighbours = documents.filter(({ name }) => name.startsWith('neighbour'));
    expect(neighbours.filter(({ status }) => status !== 'ready')).toEqual([]);
    for (const at of names.keys()) {
      const asked = {
        spaces: ['tea'],
        query: `word${at}`,
        limit: 1,
        filter: {},
        documents: [],
        neighbours: 0,
      };
      const { hits } = await knowledge.search(asked, by, new AbortController().signal);
      expect(hits.map(({ document }) => document.name)).toEqual([`neighbour-${at}.md`]);
    }
    const ended = Object.fromEntries(documents.map(({ name, problem }) => [name, problem?.code ?? 'ready']));
    const unknown = names.filter((name) => ended[name] !== 'ready' && !REFUSALS.includes(ended[name] ?? ''));
    expect(unknown.map((name) => [name, ended[name]])).toEqual([]);
    expect(ended).toMatchObject(
      Object.fromEntries(Object.entries(ENDS).filter(([name]) => names.includes(name))),
    );
    for (const { problem } of documents) if (problem) expect(problem.message).toMatch(/^[A-Z].{10,}/);
    // Documents are read in other processes.
    expect((most - before) / 1e6).toBeLessThan(500);

    const has = (...some: string[]): string[] => some.filter((name) => names.includes(name));
    const textOf = async (name: string): Promise<string> => {
      const found = documents.find((one) => one.name === name);
      const { items } = await knowledge.chunks(found?.id ?? '', { offset: 0, limit: 1000 });
      return items.map(({ text }) => text).join('\n');
    };
    const pages = documents.find(({ name }) => name === 'pages.pdf');
    // On a busy machine they take longer than a document may.
    if (pages?.status === 'ready')
      expect([pages.pages, pages.chunks, pages.unread]).toEqual([10_000, 10_000, []]);
    else if (pages) expect(pages.problem?.code).toBe('document_too_large');
    for (const name of has('script.pdf', 'script.html')) {
      expect(await textOf(name)).toContain('Visible text');
      expect(await textOf(name)).not.toMatch(/PWNED|evil/);
    }
    for (const name of has('outside.docx', 'laughs.docx', 'laughs.xlsx'))
      expect((await textOf(name)).length).toBeLessThan(1000);
  });
}

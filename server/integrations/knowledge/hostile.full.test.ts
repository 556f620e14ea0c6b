import { expect, test } from 'vitest';
import { startBed } from '../../testing/platform-bed.ts';
import { paper } from '../documents/testing/made.ts';
import { HOSTILE } from './testing/hostile-documents.ts';
import { by, spaceIn } from './testing/space-in.ts';

/** Malicious documents: each ends with a result of its own and does not affect its neighbours. */

/** The error codes of a document; `internal` would be a bug of the reader. */
const REFUSALS = ['document_unreadable', 'document_too_large', 'value_too_large', 'too_deep', 'bad_input'];

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

const names = Object.keys(HOSTILE);

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
  expect(ended).toMatchObject(ENDS);
  for (const { problem } of documents) if (problem) expect(problem.message).toMatch(/^[A-Z].{10,}/);
  // Documents are read in other processes.
  expect((most - before) / 1e6).toBeLessThan(500);

  const textOf = async (name: string): Promise<string> => {
    const found = documents.find((one) => one.name === name);
    const { items } = await knowledge.chunks(found?.id ?? '', { offset: 0, limit: 1000 });
    return items.map(({ text }) => text).join('\n');
  };
  const pages = documents.find(({ name }) => name === 'pages.pdf');
  // On a busy machine they take longer than a document may.
  if (pages?.status === 'ready')
    expect([pages.pages, pages.chunks, pages.unread]).toEqual([10_000, 10_000, []]);
  else expect(pages?.problem?.code).toBe('document_too_large');
  for (const name of ['script.pdf', 'script.html']) {
    expect(await textOf(name)).toContain('Visible text');
    expect(await textOf(name)).not.toMatch(/PWNED|evil/);
  }
  for (const name of ['outside.docx', 'laughs.docx', 'laughs.xlsx'])
    expect((await textOf(name)).length).toBeLessThan(1000);
});

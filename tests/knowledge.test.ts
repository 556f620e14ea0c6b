import { globSync, readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import type { KnowledgeHit } from '#shared/knowledge.ts';
import { questions } from '../server/integrations/knowledge/testing/questions.ts';
import { type Bed, startBed, tempFolder } from '../server/testing/platform-bed.ts';
import { root } from './support/server.ts';

/** The shipped example over the project's own docs: without a model, it retrieves and quotes. */
async function startWithDocs(): Promise<Bed> {
  const flows = await tempFolder();
  await cp(join(root, 'flows/examples'), flows, { recursive: true });
  const bed = await startBed({ flows: [flows] });
  const knowledge = await bed.ctx.knowledge.opened();
  const { id } = await knowledge.addSpace({ name: 'weft_docs' });
  const by = { flow: 'test', version: '', run: 'test', node: 'load', operator: 'knowledge.load' };
  for (const file of globSync(join(root, 'docs/*.md')).sort()) {
    const given = {
      space: 'weft_docs',
      name: basename(file),
      content: readFileSync(file, 'utf8'),
      metadata: {},
    };
    await knowledge.load(given, by, new AbortController().signal);
  }
  expect((await knowledge.space(id)).chunks).toBeGreaterThan(100);
  return bed;
}

test('the example answers with quotes from the docs, and says so when there is nothing', async () => {
  const bed = await startWithDocs();
  const ask = async (question: string) => {
    const url = `${bed.url}/api/v1/awel/trigger/examples/ask?question=${encodeURIComponent(question)}`;
    const answer = await fetch(url);
    expect(answer.status).toBe(200);
    return (await answer.json()) as {
      found: boolean;
      answer: string;
      sources: { document: string; quote: string }[];
    };
  };
  const first = await ask('Are addresses inside your network fetched by the guarded client?');
  expect(first).toMatchObject({ found: true, sources: [{ document: 'knowledge.md' }, {}, {}] });
  for (const { document, quote } of first.sources)
    expect(readFileSync(join(root, 'docs', document), 'utf8')).toContain(quote);
  const none = await ask('xyzzy');
  await expect(`${JSON.stringify(none, null, 2)}\n`).toMatchFileSnapshot(
    'golden/ask_docs_example.nothing.json',
  );

  const { knowledge } = bed.ctx;
  const space = await (await knowledge.opened()).named('weft_docs');
  const places: string[] = [];
  for (const { exact: query, document } of questions) {
    const asked = { query, spaces: [space.id], limit: 10, filter: {}, documents: [], neighbours: 0 };
    const hits: KnowledgeHit[] = await (await knowledge.opened()).store.search(asked);
    const at = hits.findIndex((hit) => hit.document.name === document);
    if (at === -1) places.push(`${query} → ${hits.map((hit) => hit.document.name).join(', ')}`);
  }
  expect(places.length / questions.length, places.join('\n')).toBeLessThanOrEqual(0.05);
});

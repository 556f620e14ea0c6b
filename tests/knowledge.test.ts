import { globSync, readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { measureRecall, questions } from '../bench/recall/recall.ts';
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
});

test('the docs’ own example finds when a session ends', async () => {
  const bed = await startWithDocs();
  const url = `${bed.url}/api/v1/awel/trigger/examples/ask?question=How+long+are+sessions+kept`;
  const { answer, sources } = (await (await fetch(url)).json()) as {
    answer: string;
    sources: { document: string }[];
  };
  expect(sources[0]?.document).toBe('keys.md');
  expect(answer).toContain('a week after its last use');
});

test('questions about the docs find their page as often as in plain FTS5, and exact ones nearly always', async () => {
  const { weft, 'plain FTS5': plain } = await measureRecall();
  // Two of 70 may move whenever the docs are edited.
  for (const kind of ['literal', 'paraphrase'] as const)
    for (const [at, found] of weft[kind].entries())
      expect(found, `${kind} ${at}`).toBeGreaterThanOrEqual((plain[kind][at] ?? 0) - 2);
  const literal = questions.filter(({ kind }) => kind === 'literal').length;
  expect(weft.literal[2]! / literal).toBeGreaterThanOrEqual(0.95);
});

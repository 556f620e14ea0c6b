import { expect, onTestFinished, test } from 'vitest';
import type { RunSummary } from '#shared/run-event.ts';
import type { KnowledgeDocument } from '#shared/knowledge.ts';
import { type Reply, startOpenAi } from '../../server/integrations/models/testing/openai-server.ts';
import { newDatabase } from '../../server/storage/database/testing/postgres-server.ts';
import { type Owner, signIn } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';

/** Documents that real servers load: their runs in the list of runs, over kill -9 and over two servers on one database. */

type Node = TestServer & { readonly owner: Owner };

async function start(env: Record<string, string>, data?: string): Promise<Node> {
  const server = await startServer({
    env: { WEFT_OUTBOUND_ALLOW: '127.0.0.1', ...env },
    ...(data !== undefined && { data }),
  });
  onTestFinished(() => discard(server));
  return { ...server, owner: await signIn(server) };
}

/** A provider that answers embeddings when it is told to; the texts that it was asked for. */
async function startModel(isSilent: () => boolean) {
  const texts: string[] = [];
  const reply: Reply = (response, { body }) => {
    if (isSilent()) return;
    const { input } = body as unknown as { input: readonly string[] };
    texts.push(...input);
    const data = input.map(({ length }, index) => ({ object: 'embedding', index, embedding: [length, 1] }));
    const usage = { prompt_tokens: 1, total_tokens: 1 };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ object: 'list', model: 'e', data, usage }));
  };
  const { url, asked } = await startOpenAi(reply);
  const models = [{ name: 'e', use: 'embedding' }];
  const real = { type: 'openai-compatible', baseUrl: url, models, timeoutMs: 20_000 };
  return { env: { WEFT_PROVIDERS: JSON.stringify({ real }) }, texts, asked };
}

const SECTIONS = 100;
const text = Array.from({ length: SECTIONS }, (_, n) => `# Part ${n}\n\nword${n} is here.`).join('\n\n');

async function put({ owner }: Node): Promise<KnowledgeDocument> {
  const { id } = await owner.data<{ id: string }>('POST', '/knowledge/spaces', { name: 'tea' });
  return owner.data('POST', `/knowledge/spaces/${id}/documents`, { name: 'green', text });
}

const documentOf = ({ owner }: Node, id: string): Promise<KnowledgeDocument> =>
  owner.data('GET', `/knowledge/documents/${id}`);

async function loads({ owner }: Node): Promise<[flow: string, status: string][]> {
  const { runs } = await owner.data<{ runs: RunSummary[] }>('GET', '/runs?source=knowledge');
  return runs.map(({ flow, status }) => [flow, status]);
}

test('a load is a run; after kill -9 it goes on in another one', { timeout: 120_000 }, async () => {
  let isSilent = true;
  const model = await startModel(() => isSilent);
  const first = await start(model.env);
  const { id } = await put(first);
  await eventually(() => expect(model.asked).toHaveLength(1));
  await eventually(async () => expect(await loads(first)).toEqual([['load:tea', 'running']]));
  await first.stop('SIGKILL');
  isSilent = false;
  const next = await start(model.env, first.data);
  await eventually(async () => {
    expect(await documentOf(next, id)).toMatchObject({
      status: 'ready',
      chunks: SECTIONS,
      embedded: SECTIONS,
    });
    expect(await loads(next)).toEqual([['load:tea', 'ok']]);
  });
  expect(new Set(model.texts).size).toBe(model.texts.length);
});

test('of two servers on one PostgreSQL one loads it, and both show the run', {
  timeout: 120_000,
}, async () => {
  const model = await startModel(() => false);
  const env = { ...model.env, WEFT_DATABASE_URL: await newDatabase(), WEFT_SECRETS_KEY: '11'.repeat(32) };
  const [a, b] = await Promise.all([start(env), start(env)]);
  const { id } = await put(a);
  // The other one is asked for the same at the same time.
  await b.owner.api('POST', `/knowledge/documents/${id}/sync`, {});
  for (const server of [a, b])
    await eventually(async () => {
      expect(await documentOf(server, id)).toMatchObject({ status: 'ready', embedded: SECTIONS });
      expect((await loads(server)).some(([flow, status]) => flow === 'load:tea' && status === 'ok')).toBe(
        true,
      );
    });
  expect([model.texts.length, new Set(model.texts).size]).toEqual([SECTIONS, SECTIONS]);
});

import { expect, test } from 'vitest';
import {
  type OpenAiServer,
  type Reply,
  startOpenAi,
} from '../../integrations/models/testing/openai-server.ts';
import { startBed } from '../../testing/platform-bed.ts';
import { eventually } from '../../../tests/support/eventually.ts';

/** Documents that are loaded over HTTP, and their runs in the list of runs. */
const SCOPES = ['knowledge:read', 'knowledge:write', 'runs:read', 'runs:write'];

const embedded: Reply = (response, { body }) => {
  const { input } = body as unknown as { input: readonly string[] };
  const data = input.map(({ length }, index) => ({ object: 'embedding', index, embedding: [length, 1] }));
  const usage = { prompt_tokens: 1, total_tokens: 1 };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ object: 'list', model: 'e', data, usage }));
};

async function start(reply: Reply = embedded) {
  const provider: OpenAiServer = await startOpenAi(reply);
  const models = [{ name: 'e', use: 'embedding' as const }];
  const real = { type: 'openai-compatible' as const, baseUrl: provider.url, models, timeoutMs: 20_000 };
  const bed = await startBed({ outboundAllow: ['127.0.0.1'], providers: { real } });
  const { key } = await bed.ctx.keys.create({ name: 'tests', scopes: SCOPES } as never);
  const api = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await fetch(`${bed.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (answer.status >= 300) throw new Error(`${answer.status} ${await answer.text()}`);
    return ((await answer.json()) as { data: T }).data;
  };
  const space = await api<{ id: string }>('POST', '/knowledge/spaces', { name: 'tea' });
  const put = (name: string, text: string) =>
    api<{ id: string }>('POST', `/knowledge/spaces/${space.id}/documents`, { name, text });
  const settled = (id: string) =>
    eventually(async () => {
      const one = await api<Document>('GET', `/knowledge/documents/${id}`);
      expect(['ready', 'failed']).toContain(one.status);
      return one;
    });
  const runs = async () => (await api<{ runs: Run[] }>('GET', '/runs?source=knowledge')).runs;
  return { ...bed, provider, api, put, settled, runs };
}

interface Document {
  readonly status: string;
  readonly embedded: number;
  readonly problem: { readonly code: string; readonly message: string } | null;
}
interface Run {
  readonly run: string;
  readonly flow: string;
  readonly status: string;
  readonly error?: { readonly code: string; readonly message: string };
}
interface Event {
  readonly kind: string;
  readonly node?: string;
  readonly text?: string;
}

const sections = (count: number): string =>
  Array.from({ length: count }, (_, n) => `# Part ${n}\n\nword${n} is here.`).join('\n\n');

test('loading a document is a run with its steps, their results and its progress', async () => {
  const { api, put, settled, runs } = await start();
  const { id } = await put('green', sections(200));
  expect(await settled(id)).toMatchObject({ status: 'ready', embedded: 200 });
  const [run] = await eventually(async () => {
    const all = await runs();
    expect(all.map(({ flow, status }) => [flow, status])).toEqual([['load:tea', 'ok']]);
    return all;
  });
  const { events } = await api<{ events: Event[] }>('GET', `/runs/${run?.run}/events`);
  expect(run).toMatchObject({ source: 'knowledge', recorded: true });
  const nodes = events.filter(({ kind }) => kind === 'node-finished').map(({ node }) => node);
  expect(nodes).toEqual(['document', 'load', 'split', 'embed']);
  const texts = events.map(({ text }) => text).filter((text) => text !== undefined);
  expect(texts).toContain('64 of 200 chunks are embedded');
  const values = JSON.stringify(events);
  expect(values).toContain('"chunks":200');
  expect(values).toContain('"embedded":200');
  // The text itself is not a value of the run.
  expect(values).not.toContain('word17');
});

test('a document that cannot be loaded fails its run for the same reason', async () => {
  const refused: Reply = (response) => void response.writeHead(401).end('{"error":{"message":"no"}}');
  const { put, settled, runs } = await start(refused);
  const { id } = await put('green', 'Steep two minutes.');
  const { status, problem } = await settled(id);
  expect(status).toBe('failed');
  const [run] = await eventually(async () => {
    const all = await runs();
    expect(all[0]?.status).toBe('failed');
    return all;
  });
  expect(run?.error).toMatchObject({ code: problem?.code, message: problem?.message });
});

test('a run that is cancelled ends the loading, which can be repeated', async () => {
  let isSilent = true;
  const { api, put, settled, runs, provider } = await start((...given) =>
    isSilent ? undefined : embedded(...given),
  );
  const { id } = await put('green', 'Steep two minutes.');
  await eventually(() => expect(provider.asked).toHaveLength(1));
  const [running] = await runs();
  expect(running).toMatchObject({ flow: 'load:tea', status: 'running' });
  await api('POST', `/runs/${running?.run}/cancel`, {});
  await provider.broken;
  expect(await settled(id)).toMatchObject({ status: 'failed', problem: { code: 'run_cancelled' } });
  isSilent = false;
  await api('POST', `/knowledge/documents/${id}/sync`, {});
  expect(await settled(id)).toMatchObject({ status: 'ready', embedded: 1 });
  await eventually(async () =>
    expect((await runs()).map(({ status }) => status)).toEqual(['ok', 'cancelled']),
  );
});

import { describe, expect, test } from 'vitest';
import type { KnowledgeDocument, KnowledgeResult, KnowledgeSpace } from '#shared/knowledge.ts';
import { startOpenAi } from '../../integrations/models/testing/openai-server.ts';
import { startBed } from '../../testing/platform-bed.ts';
import { eventually } from '../../../tests/support/eventually.ts';

/** A provider whose vectors have `length` numbers, and a client of the server that uses it. */
async function bedWithModel() {
  const embedder = { length: 4, missing: 0, texts: [] as string[], hold: Promise.resolve() };
  const provider = await startOpenAi(async (response, { body }) => {
    const input = body['input'] as string[];
    if (input.some((text) => text.includes('Part'))) await embedder.hold;
    embedder.texts.push(...input);
    const vectorOf = (text: string): number[] =>
      Array.from({ length: embedder.length }, (_, at) => (/kettle|boil/i.test(text) === (at === 0) ? 1 : 0));
    const data = input
      .map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }))
      .slice(0, input.length - embedder.missing);
    const usage = { prompt_tokens: 1, total_tokens: 1 };
    response.end(JSON.stringify({ object: 'list', data, model: 'm', usage }));
  });
  const bed = await startBed();
  await bed.ctx.providers.put('own', {
    type: 'openai-compatible',
    baseUrl: provider.url,
    allow: new URL(provider.url).host,
    models: [{ name: 'm', use: 'embedding' }],
  } as never);
  const { key } = await bed.ctx.keys.create({ name: 'k', scopes: ['knowledge:read', 'knowledge:write'] });
  const call = async <T>(method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${bed.url}/api/v1/knowledge${path}`, {
      method,
      headers: body === undefined ? { authorization: headers.authorization } : headers,
      ...init,
    });
    return { status: answer.status, ...((await answer.json()) as object) } as {
      status: number;
      data: T;
      err_code: string;
      err_msg: string;
    };
  };
  const settled = (id: string) =>
    eventually(async () => {
      const { data } = await call<KnowledgeDocument>('GET', `/documents/${id}`);
      expect(['ready', 'failed']).toContain(data.status);
      return data;
    });
  const load = async (name: string, text: string) => {
    const { data } = await call<KnowledgeDocument>('POST', '/spaces/1/documents', { name, text });
    return settled(data.id);
  };
  const search = async (query: string) => {
    const answer = await call<KnowledgeResult>('POST', '/spaces/1/search', { query });
    expect(answer.status).toBe(200);
    return answer.data;
  };
  const space = async () => (await call<KnowledgeSpace>('GET', '/spaces/1')).data;
  await call('POST', '/spaces', { name: 'Tea' });
  return { embedder, call, load, search, settled, space };
}

const text = '# Part one\n\nThe kettle.\n\n# Part two\n\nGreen ones.';

describe('a model that returns vectors of another length', () => {
  test('is reported by the search, which is by words until all documents are embedded again', async () => {
    const { embedder, load, search, space } = await bedWithModel();
    await load('tea', text);
    expect(await space()).toMatchObject({ chunks: 2, embedded: 2 });
    const { promise, resolve } = Promise.withResolvers<void>();
    Object.assign(embedder, { length: 3, hold: promise });

    const first = await search('green');
    expect(first).toMatchObject({
      ranking: 'words',
      note: expect.stringMatching(/own\/m .* 3 numbers, not of 4/),
    });
    expect(first.hits[0]?.heading).toBe('Part two');
    const meanwhile = await search('green');
    expect(meanwhile.hits[0]?.heading).toBe('Part two');
    expect(meanwhile.note).toContain('0 of 2 chunks');
    expect(await space()).toMatchObject({ chunks: 2, embedded: 0 });

    resolve();
    await eventually(async () => expect(await space()).toMatchObject({ embedded: 2 }));
    const after = await search('boiling');
    expect(after).toMatchObject({ ranking: 'hybrid', note: null });
    expect(after.hits[0]).toMatchObject({ heading: 'Part one', why: { meaning: { rank: 1 } } });
  });

  test('is detected while a document is loaded, and the others are embedded again', async () => {
    const { embedder, load, search, space } = await bedWithModel();
    await load('tea', text);
    embedder.length = 3;
    expect(await load('more', '# Part three\n\nBlack ones.')).toMatchObject({ status: 'ready', embedded: 1 });
    await eventually(async () => expect(await space()).toMatchObject({ chunks: 3, embedded: 3 }));
    expect(embedder.texts.filter((one) => one.includes('Part three'))).toHaveLength(1);
    expect((await search('boiling')).hits[0]?.heading).toBe('Part one');
  });

  test('and soon of yet another one is an error, not endless work', async () => {
    const { embedder, load, search } = await bedWithModel();
    await load('tea', text);
    embedder.length = 3;
    await load('more', '# Part three\n\nBlack ones.');
    embedder.length = 4;
    expect(await load('last', '# Part four\n\nWhite ones.')).toMatchObject({
      status: 'failed',
      problem: { code: 'embedding_unusable', message: expect.stringContaining('4') },
    });
    expect(await search('white')).toMatchObject({ ranking: 'words', note: expect.stringContaining('own/m') });
  });
});

test('a model that returns fewer vectors than texts fails the document, and a search reports it', async () => {
  const { embedder, load, search } = await bedWithModel();
  embedder.missing = 1;
  const document = await load('tea', text);
  expect(document).toMatchObject({ status: 'failed', embedded: 0, problem: { code: 'embedding_unusable' } });
  const { ranking, note, hits } = await search('kettle');
  expect([ranking, hits[0]?.heading]).toEqual(['words', 'Part one']);
  expect(note).toContain('0 vectors for 1 texts');
});

test('a space accepts only an existing embedding model, and stores its full name', async () => {
  const { call } = await bedWithModel();
  for (const [method, path] of [
    ['PUT', '/spaces/1'],
    ['POST', '/spaces'],
  ] as const) {
    const refused = await call(method, path, { name: 'Other', model: 'own/n' });
    expect(refused).toMatchObject({ status: 404, err_code: 'model_not_found' });
    expect(refused.err_msg).toContain('did you mean own/m?');
  }
  expect((await call('PUT', '/spaces/1', { model: null })).data).toMatchObject({ name: 'Tea', model: null });
  expect((await call('PUT', '/spaces/1', { model: 'm' })).data).toMatchObject({ model: 'own/m' });
});

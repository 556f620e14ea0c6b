import { describe, expect, test } from 'vitest';
import type { KnowledgeDocument, KnowledgeResult } from '#shared/knowledge.ts';
import { letter, paper } from '../../integrations/documents/testing/made.ts';
import { startOpenAi } from '../../integrations/models/testing/openai-server.ts';
import { type Bed, startBed } from '../../testing/platform-bed.ts';
import { eventually } from '../../../tests/support/eventually.ts';

interface Answer {
  readonly status: number;
  readonly data: unknown;
  readonly err_code: string;
  readonly err_msg: string;
}

async function client(
  bed: Bed,
  scopes: ('knowledge:read' | 'knowledge:write')[] = ['knowledge:read', 'knowledge:write'],
) {
  const { key } = await bed.ctx.keys.create({ name: scopes.join(' '), scopes });
  return async (method: string, path: string, body?: object): Promise<Answer> => {
    const isForm = body instanceof FormData;
    const headers: Record<string, string> = { authorization: `Bearer ${key}` };
    if (body !== undefined && !isForm) headers['content-type'] = 'application/json';
    const init = body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) };
    const answer = await fetch(`${bed.url}/api/v1/knowledge${path}`, { method, headers, ...init });
    return { status: answer.status, ...((await answer.json()) as object) } as Answer;
  };
}

type Client = Awaited<ReturnType<typeof client>>;

async function settled(call: Client, id: string): Promise<KnowledgeDocument> {
  return eventually(async () => {
    const { data } = (await call('GET', `/documents/${id}`)) as unknown as { data: KnowledgeDocument };
    expect(['ready', 'failed']).toContain(data.status);
    return data;
  });
}

async function upload(
  call: Client,
  space: string,
  name: string,
  content: Uint8Array | string,
  fields: object = {},
) {
  const form = new FormData();
  form.set('file', new Blob([content as BlobPart]), name);
  for (const [field, value] of Object.entries(fields)) form.set(field, String(value));
  const made = (await call('POST', `/spaces/${space}/documents`, form)) as Answer & {
    data: KnowledgeDocument;
  };
  expect([made.status, made.err_msg]).toEqual([202, null]);
  return settled(call, made.data.id);
}

const search = async (
  call: Client,
  space: string,
  query: string,
  more: object = {},
): Promise<KnowledgeResult> =>
  (await call('POST', `/spaces/${space}/search`, { query, ...more })).data as KnowledgeResult;

describe('/api/v1/knowledge', () => {
  test('loads files of many kinds and cites their places, with nothing set up', async () => {
    const call = await client(await startBed());
    const space = (
      (await call('POST', '/spaces', { name: 'Office' })) as { data: { id: string; model: string | null } }
    ).data;
    expect(space.model).toBeNull();
    const { id } = space;
    const pdf = await upload(
      call,
      id,
      'paper.pdf',
      paper(['Green tea steeps two minutes', 'Black tea steeps four minutes']),
    );
    expect(pdf).toMatchObject({ status: 'ready', pages: 2, chunks: 2, unread: [], type: 'application/pdf' });
    await upload(call, id, 'letter.docx', letter());
    await upload(call, id, 'people.csv', 'name,city\nAda,London\nLin,Taipei\n');
    await upload(
      call,
      id,
      'page.html',
      '<h1>Opening</h1><p>Open from nine.</p><script>alert("evil")</script>',
    );

    const found = async (query: string) => (await search(call, id, query)).hits[0];
    expect(await found('black')).toMatchObject({
      document: { name: 'paper.pdf' },
      page: 2,
      quote: 'Black tea steeps four minutes',
    });
    expect(await found('Dear Ada')).toMatchObject({ document: { name: 'letter.docx' }, heading: 'Offer' });
    expect(await found('Taipei')).toMatchObject({
      document: { name: 'people.csv' },
      quote: expect.stringContaining('city: Taipei'),
    });
    expect(await found('opening')).toMatchObject({ document: { name: 'page.html' }, heading: 'Opening' });
    expect(await found('evil')).toBeUndefined();
    expect((await call('GET', `/spaces/${id}`)).data).toMatchObject({ documents: 4, chunks: 5 });
    expect((await call('GET', `/documents/${pdf.id}/chunks?offset=1`)).data).toMatchObject({
      total: 2,
      items: [{ n: 1, page: 2 }],
    });
  });

  test('a document that is broken or not supported fails alone, and reports why', async () => {
    const call = await client(await startBed());
    const { id } = ((await call('POST', '/spaces', { name: 'Office' })) as { data: { id: string } }).data;
    const broken = await upload(call, id, 'broken.pdf', '%PDF-1.4 nothing else');
    expect(broken).toMatchObject({ status: 'failed', problem: { code: 'document_unreadable' } });
    const image = await upload(call, id, 'photo', '\u0089PNG', { name: 'photo.bin' });
    expect(image.status).toBe('ready');
    const latin = await upload(call, id, 'latin.txt', new Uint8Array([0xe9, 0x20, 0xe9]));
    expect(latin.problem).toMatchObject({
      code: 'document_unreadable',
      message: expect.stringContaining('UTF-8'),
    });
    expect((await upload(call, id, 'good.txt', 'good')).status).toBe('ready');
    expect((await search(call, id, 'good')).hits).toHaveLength(1);
  });

  test('texts have metadata to filter by, and settings for their split', async () => {
    const call = await client(await startBed());
    const { id } = (
      (await call('POST', '/spaces', { name: 'Tea', split: { size: 500 } })) as { data: { id: string } }
    ).data;
    for (const year of [2020, 2021]) {
      const text = `Report of ${year}. Sales rose.`;
      const body = { name: `report ${year}`, text, metadata: { year }, split: { by: 'sentences' } };
      const { data } = (await call('POST', `/spaces/${id}/documents`, body)) as { data: KnowledgeDocument };
      expect(data.split).toMatchObject({ by: 'sentences', size: 500, overlap: 150 });
      await settled(call, data.id);
    }
    const { hits } = await search(call, id, 'sales', { filter: { year: 2021 } });
    expect(hits.map(({ document }) => document.name)).toEqual(['report 2021']);
  });

  test('with an embedding model it is searched by meaning too, and only what changed is embedded again', async () => {
    const embedded: string[] = [];
    let isDown = false;
    const provider = await startOpenAi((response, request) => {
      if (isDown) return void response.writeHead(401).end('{}');
      const { input } = (request as unknown as { body: { input: string[] } }).body;
      embedded.push(...input);
      const data = input.map((text, index) => {
        return { object: 'embedding', index, embedding: /kettle|boil/i.test(text) ? [1, 0] : [0, 1] };
      });
      response.end(
        JSON.stringify({ object: 'list', data, model: 'm', usage: { prompt_tokens: 1, total_tokens: 1 } }),
      );
    });
    const bed = await startBed();
    await bed.ctx.providers.put('own', {
      type: 'openai-compatible',
      baseUrl: provider.url,
      allow: new URL(provider.url).host,
      models: [{ name: 'm', use: 'embedding' }],
    } as never);
    const call = await client(bed);
    const made = (await call('POST', '/spaces', { name: 'Tea' })) as { data: { id: string; model: string } };
    expect(made.data.model).toBe('own/m');
    const { id } = made.data;
    const text = '# Water\n\nThe kettle.\n\n# Leaves\n\nGreen ones.';
    const document = await upload(call, id, 'tea.md', text);
    expect(document).toMatchObject({ status: 'ready', chunks: 2, embedded: 2 });
    const { hits, ranking } = await search(call, id, 'boiling', { limit: 1 });
    expect([ranking, hits[0]?.heading, hits[0]?.why.words, hits[0]?.why.meaning]).toEqual([
      'hybrid',
      'Water',
      null,
      { rank: 1, score: 1 },
    ]);
    embedded.length = 0;
    await upload(call, id, 'tea.md', text.replace('Green', 'Black'));
    expect(embedded).toEqual(['Leaves\n# Leaves\n\nBlack ones.']);

    isDown = true;
    const alone = await search(call, id, 'kettle');
    expect([alone.ranking, alone.hits[0]?.heading]).toEqual(['words', 'Water']);
    expect(alone.note).not.toBeNull();
  });

  test.each([
    ['a space twice', 'POST', '/spaces', { name: 'Tea' }, 409, 'space_name_taken'],
    ['a space without a name', 'POST', '/spaces', {}, 400, 'invalid_request'],
    ['a space that is not there', 'GET', '/spaces/99', undefined, 404, 'space_not_found'],
    ['an id that is no number', 'GET', '/spaces/tea', undefined, 404, 'space_not_found'],
    ['a search in no space', 'POST', '/spaces/99/search', { query: 'x' }, 404, 'space_not_found'],
    ['a search for nothing', 'POST', '/spaces/1/search', { query: '' }, 400, 'invalid_request'],
    ['neither a text nor an address', 'POST', '/spaces/1/documents', { name: 'x' }, 400, 'invalid_request'],
    ['a text without a name', 'POST', '/spaces/1/documents', { text: 'x' }, 400, 'invalid_request'],
    [
      'an address that is no web page',
      'POST',
      '/spaces/1/documents',
      { url: 'file:///etc/passwd' },
      400,
      'invalid_request',
    ],
    ['a form without a file', 'POST', '/spaces/1/documents', new FormData(), 400, 'invalid_request'],
    ['a document that is not there', 'POST', '/documents/99/sync', {}, 404, 'knowledge_document_not_found'],
  ])('refuses %s', async (_, method, path, body, status, code) => {
    const call = await client(await startBed());
    await call('POST', '/spaces', { name: 'Tea' });
    expect(await call(method, path, body)).toMatchObject({ status, err_code: code });
  });

  test('an address inside the network is refused by the guard', async () => {
    const call = await client(await startBed());
    await call('POST', '/spaces', { name: 'Tea' });
    const { data } = (await call('POST', '/spaces/1/documents', { url: 'http://127.0.0.1:1/secret' })) as {
      data: KnowledgeDocument;
    };
    expect(await settled(call, data.id)).toMatchObject({
      status: 'failed',
      problem: { code: 'outbound_refused' },
    });
  });

  test('a key that may only read changes nothing', async () => {
    const bed = await startBed();
    const call = await client(bed);
    await call('POST', '/spaces', { name: 'Tea' });
    const reader = await client(bed, ['knowledge:read']);
    expect(await reader('GET', '/spaces')).toMatchObject({ status: 200 });
    for (const [method, path, body] of [
      ['POST', '/spaces', { name: 'x' }],
      ['PUT', '/spaces/1', { name: 'x' }],
      ['DELETE', '/spaces/1', undefined],
      ['POST', '/spaces/1/documents', { name: 'a', text: 'b' }],
    ] as const)
      expect((await reader(method, path, body)).status).toBe(403);
    const all = (await call('GET', '/spaces')) as { data: { name: string }[] };
    expect(all.data.map(({ name }) => name)).toEqual(['Tea']);
  });
});

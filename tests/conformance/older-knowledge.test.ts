import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tempFolder } from '../support/server.ts';
import { startWorld, type World } from './support/world.ts';
import { eventually } from '../support/eventually.ts';

/** The routes that the web page of the original calls, in the formats that were recorded of it. */
let world: World;
let key: string;

beforeAll(async () => {
  const folder = join(tempFolder('data'), 'shop');
  mkdirSync(folder);
  const db = new DatabaseSync(join(folder, 'shop.db'));
  db.exec('CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT)');
  db.close();
  world = await startWorld([], { WEFT_FOLDERS: `shop=${folder}` });
  const scopes = ['admin', 'chat', 'knowledge:read', 'knowledge:write'];
  ({ key } = await world.owner.data<{ key: string }>('POST', '/keys', { name: 'page', scopes }));
});
afterAll(() => world.close());

interface Answer {
  readonly success: boolean;
  readonly err_code: string | null;
  readonly err_msg: string | null;
  readonly data: unknown;
}

async function send(path: string, body?: unknown, method = 'POST'): Promise<Answer & { status: number }> {
  const isForm = body instanceof FormData;
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
  };
  const answer = await fetch(`${world.server.url}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  });
  return { status: answer.status, ...((await answer.json()) as Answer) };
}

async function data<T>(path: string, body?: unknown, method = 'POST'): Promise<T> {
  const answer = await send(path, body, method);
  expect([path, answer.status, answer.err_msg]).toEqual([path, 200, null]);
  expect(answer.success).toBe(true);
  return answer.data as T;
}

const MICROSECONDS = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/);
const SECONDS = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);

interface Page {
  readonly data: { readonly id: number; readonly status: string; readonly [field: string]: unknown }[];
  readonly total: number | null;
  readonly page: number;
}

async function finished(space: string, id: number): Promise<void> {
  await eventually(async () => {
    const { data: found } = await data<Page>(`/knowledge/${space}/document/list`, { doc_ids: [id] });
    expect(found[0]?.status).toBe('FINISHED');
  });
}

describe('/knowledge', () => {
  test('spaces are made, listed the newest first, filtered, and deleted', async () => {
    const space = { name: 'k1', vector_type: 'Chroma', desc: 'd', owner: 'o' };
    expect(await data('/knowledge/space/add', space)).toEqual([]);
    await data('/knowledge/space/add', { ...space, name: 'k2' });
    const again = await send('/knowledge/space/add', space);
    expect([again.status, again.err_code]).toEqual([409, 'space_name_taken']);
    const all = await data<{ name: string }[]>('/knowledge/space/list', {});
    expect(all.map(({ name }) => name)).toEqual(['k2', 'k1']);
    expect(await data('/knowledge/space/list', { name: 'k1' })).toEqual([
      {
        id: expect.any(Number),
        ...space,
        context: null,
        gmt_created: MICROSECONDS,
        gmt_modified: MICROSECONDS,
        docs: 0,
      },
    ]);
    expect(await data('/knowledge/space/list', { vector_type: 'Milvus' })).toEqual([]);
    expect(await data('/knowledge/space/delete', { name: 'k2' })).toBeNull();
    expect((await send('/knowledge/space/delete', { name: 'k2' })).status).toBe(404);
  });

  test('arguments are defaults until some are saved, which then count for splitting', async () => {
    await data('/knowledge/space/add', { name: 'args' });
    expect(await data('/knowledge/args/arguments')).toMatchObject({
      embedding: { topk: 5, recall_score: 0.3, recall_type: 'TopK', chunk_size: 1000, chunk_overlap: 150 },
      prompt: { max_token: 2000 },
      summary: { max_iteration: 5, concurrency_limit: 3 },
    });
    const saved = {
      embedding: { topk: '7', chunk_size: '40', chunk_overlap: '5' },
      prompt: { template: 'x' },
    };
    const argument = JSON.stringify(saved);
    expect(await data('/knowledge/args/argument/save', { argument })).toMatchObject({ name: 'args' });
    expect(await data('/knowledge/args/arguments')).toEqual(saved);
    const content = 'One sentence stands here. '.repeat(8);
    const id = await data<number>('/knowledge/args/document/add', {
      doc_name: 't',
      doc_type: 'TEXT',
      content,
    });
    await data('/knowledge/args/document/sync', { doc_ids: [id] });
    await finished('args', id);
    const { data: chunks } = await data<{ data: { content: string }[] }>('/knowledge/args/chunk/list', {
      document_id: id,
    });
    expect(chunks.length).toBeGreaterThan(3);
    expect(chunks.every(({ content: one }) => one.length <= 40)).toBe(true);
    expect((await send('/knowledge/args/argument/save', { argument: '[1]' })).status).toBe(400);
    expect((await send('/knowledge/nowhere/arguments')).err_code).toBe('space_not_found');
  });

  test('documents are added, uploaded, listed, read, searched and deleted', async () => {
    await data('/knowledge/space/add', { name: 'docs' });
    const text = {
      doc_name: 'tea',
      doc_type: 'TEXT',
      content: 'Green tea steeps two minutes.',
      source: null,
    };
    const added = await data<number>('/knowledge/docs/document/add', text);
    expect((await send('/knowledge/docs/document/add', text)).err_code).toBe('knowledge_document_name_taken');
    for (const content of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'no address']) {
      const address = { doc_name: content, doc_type: 'URL', content };
      expect((await send('/knowledge/docs/document/add', address)).err_code).toBe('invalid_request');
    }
    const form = new FormData();
    form.set('doc_name', 'notes.md');
    form.set('doc_type', 'DOCUMENT');
    form.set('doc_file', new File(['# Oolong\n\nOolong steeps three minutes.'], 'notes.md'));
    const uploaded = await data<number>('/knowledge/docs/document/upload', form);
    expect(await data('/knowledge/docs/document/list', { page_size: 1 })).toEqual({
      data: [
        {
          id: uploaded,
          doc_name: 'notes.md',
          doc_type: 'DOCUMENT',
          space: 'docs',
          chunk_size: 0,
          status: 'TODO',
          last_sync: SECONDS,
          content: 'notes.md',
          result: '',
          vector_ids: '',
          summary: '',
          gmt_created: SECONDS,
          gmt_modified: SECONDS,
        },
      ],
      total: 2,
      page: 1,
    });
    const tasks = [added, uploaded].map((doc_id) => ({
      doc_id,
      chunk_parameters: { chunk_strategy: 'Automatic' },
    }));
    expect(await data('/knowledge/docs/document/sync_batch', tasks)).toEqual({ tasks: [added, uploaded] });
    await finished('docs', added);
    await finished('docs', uploaded);
    const ready = await data<Page>('/knowledge/docs/document/list', { status: 'FINISHED', doc_name: 'tea' });
    expect(ready.data.map(({ id, result }) => [id, result])).toEqual([[added, 'document embedding success']]);
    expect(await data('/knowledge/docs/chunk/list', { doc_name: 'notes.md' })).toEqual({
      data: [
        {
          id: expect.any(Number),
          document_id: uploaded,
          doc_name: 'notes.md',
          doc_type: 'DOCUMENT',
          content: expect.stringContaining('Oolong steeps three minutes.'),
          meta_info: '{"heading":"Oolong"}',
          gmt_created: SECONDS,
          gmt_modified: SECONDS,
        },
      ],
      summary: '',
      total: 1,
      page: 1,
    });
    const asked = await fetch(`${world.server.url}/knowledge/vector/query?space_name=docs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'How long does oolong steep?', top_k: 1 }),
    });
    expect(await asked.json()).toEqual({
      response: [{ text: expect.stringContaining('Oolong'), source: 'notes.md', score: expect.any(Number) }],
    });
    await data('/knowledge/space/add', { name: 'other' });
    const wrong = await send('/knowledge/other/document/sync', { doc_ids: [added] });
    expect([wrong.status, wrong.err_code]).toEqual([404, 'knowledge_document_not_found']);
    expect(await data('/knowledge/docs/document/delete', { doc_name: 'tea' })).toBeNull();
    expect((await send('/knowledge/docs/document/delete', { doc_name: 'tea' })).status).toBe(404);
    form.set('doc_name', 'again.md');
    await data('/knowledge/default/document/upload', form);
    expect(await data('/knowledge/space/list', { name: 'default' })).toMatchObject([{ docs: 1 }]);
  });

  test('the newest routes read one document, and many', async () => {
    await data('/knowledge/space/add', { name: 'newest' });
    const text = { doc_name: 'tea', doc_type: 'TEXT', content: 'Green tea steeps two minutes.' };
    const id = await data<number>('/knowledge/newest/document/add', text);
    const base = '/api/v2/serve/knowledge/documents';
    expect(await data(`${base}/${id}/sync`, { chunk_strategy: 'CHUNK_BY_SIZE', chunk_size: 30 })).toEqual([
      id,
    ]);
    await finished('newest', id);
    expect(await data(`${base}/batch_sync`, [{ doc_id: id }])).toEqual([id]);
    await finished('newest', id);
    expect((await send(`${base}/999999/sync`)).status).toBe(404);
  });

  test('the ways to split are listed', async () => {
    const all = await data<{ strategy: string; suffix: string[] }[]>(
      '/knowledge/document/chunkstrategies',
      undefined,
      'GET',
    );
    expect(all.map(({ strategy }) => strategy)).toEqual([
      'CHUNK_BY_SIZE',
      'CHUNK_BY_PAGE',
      'CHUNK_BY_PARAGRAPH',
      'CHUNK_BY_SEPARATOR',
      'CHUNK_BY_MARKDOWN_HEADER',
    ]);
    expect(all[3]).toMatchObject({
      parameters: [{ param_name: 'separator', default_value: '\\n' }, { param_name: 'enable_merge' }],
    });
  });

  test('a key that may only read changes nothing', async () => {
    const { key: reader } = await world.owner.data<{ key: string }>('POST', '/keys', {
      name: 'reader',
      scopes: ['knowledge:read'],
    });
    const refused = await fetch(`${world.server.url}/knowledge/space/add`, {
      method: 'POST',
      headers: { authorization: `Bearer ${reader}`, 'content-type': 'application/json' },
      body: '{"name": "x"}',
    });
    expect(refused.status).toBe(403);
    const nobody = await fetch(`${world.server.url}/knowledge/space/list`, { method: 'POST' });
    expect(nobody.status).toBe(401);
  });
});

describe('/api/v1/chat/db', () => {
  const base = '/api/v1/chat/db';
  const shop = { db_type: 'sqlite', db_name: 'shop', file_path: 'shop/shop.db', comment: 'Orders' };

  test('data sources are tested, added, listed, changed and deleted', async () => {
    expect(await data(`${base}/test/connect`, shop)).toBe(true);
    expect(
      await data('/api/v2/serve/datasources/test-connection', {
        type: 'sqlite',
        params: { path: 'shop/shop.db' },
      }),
    ).toBe(true);
    const missing = await send(`${base}/test/connect`, { ...shop, file_path: 'shop/none.db' });
    expect([missing.status, missing.err_code]).toEqual([502, 'connection_failed']);
    expect(missing.err_msg).toMatch(/^shop Test connect Failure! ./);
    expect(await data(`${base}/list`, undefined, 'GET')).toEqual([]);
    expect(await data(`${base}/add`, shop)).toBe(true);
    expect((await send(`${base}/add`, shop)).err_code).toBe('datasource_name_taken');
    expect(await data(`${base}/list`, undefined, 'GET')).toEqual([
      { ...shop, db_host: '', db_port: 0, db_user: '', db_pwd: '' },
    ]);
    expect(await data(`${base}/edit`, { ...shop, file_path: '', comment: 'All orders' })).toBe(true);
    expect(await data(`${base}/list`, undefined, 'GET')).toMatchObject([{ ...shop, comment: 'All orders' }]);
    expect(await data(`${base}/refresh`, shop)).toBe(true);
    expect(await data(`${base}/summary?db_name=shop&db_type=sqlite`)).toBe(true);
    expect(await data(`${base}/support/type`, undefined, 'GET')).toContainEqual({
      db_type: 'sqlite',
      is_file_db: true,
    });

    await data('/knowledge/space/add', { name: 'offered' });
    const modes = '/api/v1/chat/mode/params/list?chat_mode=';
    expect(await data(`${modes}chat_with_db_execute`)).toEqual([{ param: 'shop', type: 'sqlite' }]);
    expect(await data(`${modes}chat_knowledge`)).toContainEqual({ param: 'offered', type: 'space' });
    expect(await data(`${modes}chat_normal`)).toBeNull();
    const ids = (await world.openai.models.list()).data.map(({ id }) => id);
    expect(ids).toContain('data:shop');
    const offered = await fetch(`${world.server.url}/v1/models`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const { data: models } = (await offered.json()) as { data: { id: string }[] };
    expect(models.map(({ id }) => id)).toEqual(expect.arrayContaining(['data:shop', 'knowledge:offered']));

    expect(await data(`${base}/delete?db_name=shop`)).toBe(true);
    expect((await send(`${base}/delete?db_name=shop`)).status).toBe(404);
  });

  test('a test of settings stores nothing, and uses no session of the stored connection', async () => {
    await data(`${base}/add`, { ...shop, db_name: 'kept' });
    const other = await send(`${base}/test/connect`, { ...shop, db_name: 'kept', file_path: 'shop/none.db' });
    expect(other.err_code).toBe('connection_failed');
    expect(await data(`${base}/list`, undefined, 'GET')).toMatchObject([
      { db_name: 'kept', file_path: 'shop/shop.db' },
    ]);
    const zz = await send(`${base}/test/connect`, { db_type: 'zz', db_name: 'zz' });
    expect([zz.status, zz.err_code]).toEqual([zz.status, 'datasource_unsupported']);
  });
});

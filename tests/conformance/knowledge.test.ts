import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from './support/world.ts';
import { eventually } from '../support/eventually.ts';

/** Knowledge spaces and documents by the original's client, most of whose functions fail against the original itself. */
let world: World;

beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

interface Space {
  readonly id: string;
  readonly name: string;
}
interface Doc {
  readonly id: number;
  readonly status: string;
  readonly [field: string]: unknown;
}

const play = async <T>(call: string, args: object = {}): Promise<T> => {
  const played = await world.original.play(call, args);
  expect([call, played.status, played.rejected]).toEqual([call, 200, undefined]);
  return played.data as T;
};
const create = (name: string, more: object = {}) =>
  play<Space>('create_space', { space: { name, vector_type: 'Chroma', desc: 'd', owner: 'o', ...more } });

async function finished(document: number): Promise<Doc> {
  return eventually(async () => {
    const found = await play<Doc>('get_document', { document });
    expect(found.status).toBe('FINISHED');
    return found;
  });
}

test('a space is made, listed, read, changed and deleted', async () => {
  const other = await create('other');
  const made = await create('papers', { context: '{"embedding": {"topk": 5}}' });
  expect(made).toEqual({
    id: expect.stringMatching(/^\d+$/),
    name: 'papers',
    vector_type: 'Chroma',
    desc: 'd',
    owner: 'o',
    context: '{"embedding": {"topk": 5}}',
    sys_code: null,
  });
  const { items } = await play<{ items: Space[] }>('list_space');
  expect(items.map(({ name }) => name)).toEqual(['other', 'papers']);
  expect(await play('get_space', { space: made.id })).toEqual(made);
  const changed = await play('update_space', {
    space: { id: made.id, name: 'papers', vector_type: 'Chroma', desc: 'new' },
  });
  expect(changed).toEqual({ ...made, desc: 'new' });
  // Without an id the original overwrites the first space of all.
  await play('update_space', { space: { name: 'papers', vector_type: 'Chroma', owner: 'me' } });
  expect(await play('get_space', { space: other.id })).toEqual(other);
  expect(await play('delete_space', { space: made.id })).toMatchObject({ id: made.id, owner: 'me' });
  expect(await world.original.play('get_space', { space: made.id })).toMatchObject({
    status: 404,
    error: { err_code: 'space_not_found' },
  });
  expect(
    await world.original.play('create_space', { space: { name: 'other', vector_type: 'Chroma' } }),
  ).toMatchObject({
    status: 409,
    error: { err_code: 'space_name_taken' },
  });
});

test('a text is made by query parameters, synchronised, found, and deleted', async () => {
  const { id: space } = await create('texts');
  const given = {
    doc_name: 'tea',
    doc_type: 'TEXT',
    content: 'Green tea steeps two minutes.',
    space_id: space,
  };
  const made = await play<Doc>('create_document', { document: given });
  expect(made).toMatchObject({ ...given, status: 'TODO' });
  const parameters = { chunk_strategy: 'CHUNK_BY_SIZE' };
  expect(await play('sync_document', { document: String(made.id), space, parameters })).toEqual([made.id]);
  expect(await finished(made.id)).toMatchObject({ result: 'document embedding success', chunk_size: 1 });
  const listed = await play<{ items: Doc[] }>('list_document');
  expect(listed.items).toMatchObject([{ id: made.id, content: given.content }]);

  const headers = { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' };
  const url = `${world.server.url}/api/v1/knowledge/spaces/${space}/search`;
  const answer = await fetch(url, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query: 'How long does green tea steep?' }),
  });
  expect(await answer.json()).toMatchObject({
    data: { hits: [{ document: { name: 'tea' }, quote: given.content }] },
  });

  expect(await play('delete_document', { document: made.id })).toMatchObject({ id: made.id });
  expect(await world.original.play('get_document', { document: made.id })).toMatchObject({ status: 404 });
});

describe('a file', () => {
  const post = async (path: string, body: BodyInit, type?: string) => {
    const headers = {
      authorization: `Bearer ${world.key}`,
      ...(type !== undefined && { 'content-type': type }),
    };
    const answer = await fetch(`${world.server.url}/api/v2/serve/knowledge${path}`, {
      method: 'POST',
      headers,
      body,
    });
    return { status: answer.status, body: (await answer.json()) as { data: Doc; err_code: string } };
  };

  test('is sent in a form, as the web page of the original does, and one sync takes it alone too', async () => {
    const { id: space } = await create('files');
    const form = new FormData();
    for (const [name, value] of Object.entries({ doc_name: 'notes', doc_type: 'DOCUMENT', space_id: space }))
      form.set(name, value);
    form.set('doc_file', new Blob(['# Notes\n\nMilk is allowed.']), 'notes.md');
    const { status, body } = await post('/documents', form);
    expect([status, body.data]).toMatchObject([200, { doc_type: 'DOCUMENT', status: 'TODO' }]);
    const { id } = body.data;
    await post('/documents/sync', JSON.stringify({ doc_id: id, space_id: space }), 'application/json');
    expect(await finished(id)).toMatchObject({ chunk_size: 1 });
    expect(await post('/documents', form)).toMatchObject({
      status: 409,
      body: { err_code: 'knowledge_document_name_taken' },
    });
  });

  test.each([
    ['a file without a file', { doc_name: 'x', doc_type: 'DOCUMENT' }, 400, 'invalid_request'],
    ['a kind that there is not', { doc_name: 'x', doc_type: 'TABLE', content: 'x' }, 400, 'invalid_request'],
    [
      'a space that there is not',
      { doc_name: 'x', doc_type: 'TEXT', content: 'x', space_id: '99' },
      404,
      'space_not_found',
    ],
  ])('refuses %s', async (name, fields, status, code) => {
    const { id } = await create(name);
    const sent = JSON.stringify({ space_id: id, ...fields });
    expect(await post('/documents', sent, 'application/json')).toMatchObject({
      status,
      body: { err_code: code },
    });
  });

  test('a sync of what is not there begins nothing', async () => {
    const sent = JSON.stringify([{ doc_id: 999 }]);
    expect(await post('/documents/sync', sent, 'application/json')).toMatchObject({
      status: 404,
      body: { err_code: 'knowledge_document_not_found' },
    });
  });
});

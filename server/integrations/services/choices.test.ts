import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startBed, tempFolder } from '../../testing/platform-bed.ts';
import { routeCaller } from '../../testing/route-caller.ts';
import { findChoices } from './choices.ts';
import { readService } from './read-service.ts';
import { mockService, SECRET } from './testing/mock-service.ts';

/** Choices of a param, from a call of the same service. */

const parameter = (name: string, more: object = {}) => ({
  ...{ name, in: 'query', doc: name, schema: { type: 'string' }, ...more },
});
const call = (id: string, path: string, parameters: object[], more: object = {}) => ({
  ...{ id, title: id, doc: id, method: 'GET', path, parameters, ...more },
});
const list = (path: string) => ({
  pages: { items: path, next: { by: 'cursor', at: 'next', to: 'cursor' } },
  answer: {
    schema: { type: 'object', properties: { [path]: { type: 'array', items: { type: 'object' } } } },
  },
});
const boards = {
  format: 'weft-service/1',
  ...{ id: 'boards', title: 'Boards', doc: 'Boards.', icon: 'bird', color: '#123456', version: 1 },
  source: { address: 'https://example.com', form: 'documentation', version: '1', date: '2026-11-28' },
  base: 'https://boards.example.com',
  connect: [{ kind: 'http', auth: 'bearer', label: 'Key', help: 'Ask for one.' }],
  calls: [
    call('list-boards', '/boards', [parameter('named')], list('boards')),
    call('list-cards', '/cards', [parameter('board')], list('cards')),
    call('move', '/move', [
      parameter('board', { choices: { call: 'list-boards', search: 'named', value: 'id', label: 'name' } }),
      parameter('card', { choices: { call: 'list-cards', takes: ['board'], value: 'id' } }),
    ]),
  ],
};

async function stand() {
  const mock = await mockService(await readService(boards));
  const folder = await tempFolder();
  await mkdir(join(folder, '.services'));
  await writeFile(join(folder, '.services', 'boards.json'), JSON.stringify(boards));
  const bed = await startBed({ flows: [folder] });
  await bed.ctx.connections.put('boards', {
    kind: 'http',
    settings: { address: mock.url, secret: SECRET, auth: 'bearer' },
    grants: { flows: ['move'] },
  });
  const caller = await routeCaller(bed);
  const ask = (param: string, more: object = {}): Promise<unknown> => {
    const wish = { flow: 'move', operator: 'boards.move', param, params: { connection: 'boards' } };
    return caller.call('POST /api/v1/services/choices', { body: { ...wish, ...more } });
  };
  const refused = (param: string, more: object = {}): Promise<unknown> => {
    const wish = { flow: 'move', operator: 'boards.move', param, params: { connection: 'boards' } };
    return findChoices(bed.ctx, { ...wish, limit: 10, fresh: false, ...more });
  };
  return { mock, ask, refused };
}

const page = (ids: number[], next?: string) => ({
  body: { boards: ids.map((id) => ({ id, name: `Board ${id}` })), ...(next !== undefined && { next }) },
});

test('pages are read until there are enough, and kept until somebody asks again', async () => {
  const { mock, ask } = await stand();
  mock.plan(page([1, 2], 'b'), page([3]));
  const all = { items: [1, 2, 3].map((value) => ({ value, label: `Board ${value}` })), more: false };
  expect(await ask('board')).toEqual({ ...all, searches: true });
  expect(await ask('board')).toEqual({ ...all, searches: true });
  expect(mock.received).toHaveLength(2);
  mock.plan(page([4, 5]));
  expect(await ask('board', { fresh: true, limit: 1 })).toMatchObject({ items: [{ value: 4 }], more: true });
  mock.plan(page([]));
  await ask('board', { search: 'plans' });
  expect(mock.received.at(-1)?.query).toMatchObject({ named: 'plans' });
  expect(mock.faults).toEqual([]);
});

test('what a list needs is asked for first', async () => {
  const { mock, ask, refused } = await stand();
  const first = (more: object) => expect(refused('card', more)).rejects.toThrow(/First enter/);
  await first({});
  await first({ params: { connection: 'boards', board: '{{ input.board }}' } });
  await first({ params: { board: '1' } });
  mock.plan({ body: { cards: [{ id: 'c1' }, { id: null }] } });
  expect(await ask('card', { params: { connection: 'boards', board: '1' } })).toEqual({
    items: [{ value: 'c1', label: 'c1' }],
    more: false,
    searches: false,
  });
  expect(mock.received.at(-1)?.query).toMatchObject({ board: '1' });
  await expect(refused('other')).rejects.toThrow(/No call lists choices/);
  await expect(refused('board', { flow: 'stranger' })).rejects.toThrow(/grant/);
});

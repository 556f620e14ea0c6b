import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../../../tests/support/eventually.ts';
import { flowText } from '../../admin/cli/testing/temp-project.ts';
import { type Bed, startBed, tempFolder } from '../../testing/platform-bed.ts';
import { readService } from './read-service.ts';
import { mockService, SECRET } from './testing/mock-service.ts';

/** Triggers that ask again and again: each item starts one run, also over restarts. */

const birds = (poll: object) => ({
  format: 'weft-service/1',
  id: 'birds',
  title: 'Birds',
  doc: 'Birds that were seen.',
  icon: 'bird',
  color: '#123456',
  version: 1,
  source: { address: 'https://example.com', form: 'documentation', version: '1', date: '2026-11-28' },
  base: 'https://birds.example.com',
  connect: [{ kind: 'http', auth: 'bearer', label: 'Key', help: 'Ask for one.' }],
  calls: [
    {
      id: 'list-birds',
      title: 'List birds',
      doc: 'Lists birds.',
      method: 'GET',
      path: '/birds',
      parameters: [{ name: 'after', in: 'query', doc: 'Only later ones.', schema: { type: 'integer' } }],
      pages: { items: 'birds', next: { by: 'cursor', at: 'next', to: 'cursor' } },
      answer: {
        schema: { type: 'object', properties: { birds: { type: 'array', items: { type: 'object' } } } },
      },
    },
  ],
  triggers: [
    {
      id: 'seen',
      title: 'On a bird',
      doc: 'Starts a run for each bird.',
      poll: { call: 'list-birds', key: 'id', ...poll },
      example: { id: 1 },
    },
  ],
});

async function stand(poll: object, existing: 'start' | 'skip') {
  const file = birds(poll);
  const mock = await mockService(await readService(file));
  const folder = await tempFolder();
  const flows = join(folder, 'flows');
  const start = async (): Promise<Bed> => {
    const bed = await startBed({ flows: [flows], data: join(folder, 'data') });
    await bed.ctx.connections.put('birds', {
      kind: 'http',
      settings: { address: mock.url, secret: SECRET },
      grants: { flows: ['watch'] },
    });
    await bed.ctx.flows.worldChanged('connections');
    return bed;
  };
  const { mkdir } = await import('node:fs/promises');
  await mkdir(join(flows, '.services'), { recursive: true });
  await writeFile(join(flows, '.services', 'birds.json'), JSON.stringify(file));
  const params = { connection: 'birds', every: 1, existing };
  await writeFile(join(flows, 'watch.json'), flowText('watch', { seen: { operator: 'birds.seen', params } }));
  const answers = async (bed: Bed): Promise<unknown[]> => {
    const runs = await bed.ctx.durable.list({ flow: 'watch', status: ['ok'], limit: 100 });
    return runs.map(({ answer }) => (answer?.body as { id: number } | undefined)?.id).reverse();
  };
  return { mock, start, answers };
}

const page = (...ids: number[]) => ({ body: { birds: ids.map((id) => ({ id })) } });

test('each item starts one run, oldest first, and none again after a restart', async () => {
  const { mock, start, answers } = await stand({ order: 'newest' }, 'start');
  mock.plan(page(2, 1), page(2, 1), page(4, 3, 2, 1));
  let bed = await start();
  await eventually(async () => expect(await answers(bed)).toEqual([1, 2, 3, 4]));
  await bed.stop();
  mock.plan(page(5, 4, 3, 2, 1), page(5, 4, 3, 2, 1));
  bed = await start();
  await eventually(async () => expect(await answers(bed)).toEqual([1, 2, 3, 4, 5]));
  expect(mock.faults).toEqual([]);
});

test('what is there at first is skipped, and no further page is read for it', async () => {
  const { mock, start, answers } = await stand({ order: 'newest' }, 'skip');
  const first = { body: { birds: [{ id: 9 }, { id: 8 }], next: 'more' } };
  mock.plan(
    first,
    { body: { birds: [{ id: 11 }, { id: 10 }], next: 'b' } },
    { body: { birds: [{ id: 9 }], next: 'c' } },
  );
  const bed = await start();
  await eventually(async () => expect(await answers(bed)).toEqual([10, 11]));
  // The second look reads on until it meets an item that it knows.
  expect(mock.received.slice(0, 3).map(({ query }) => query['cursor'])).toEqual([undefined, undefined, 'b']);
});

test('later looks ask for later items only', async () => {
  const { mock, start, answers } = await stand({ since: { param: 'after', from: 'id' } }, 'start');
  mock.plan(page(1, 2), page(3));
  const bed = await start();
  await eventually(async () => expect(await answers(bed)).toEqual([1, 2, 3]));
  await eventually(() => expect(mock.received.length).toBeGreaterThan(2));
  expect(mock.received.slice(0, 3).map(({ query }) => query['after'])).toEqual([undefined, '2', '3']);
});

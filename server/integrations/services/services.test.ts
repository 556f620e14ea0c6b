import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FlowNode } from '#shared/flow.ts';
import { eventually } from '../../../tests/support/eventually.ts';
import { flowText } from '../../admin/cli/testing/temp-project.ts';
import { startBed, tempFolder } from '../../testing/platform-bed.ts';
import { routeCaller } from '../../testing/route-caller.ts';
import { readServiceText } from './read-service.ts';
import { shippedText } from './shipped.ts';
import { mockService, SECRET } from './testing/mock-service.ts';

/** Services in a whole server: their operators are in the catalog, flows run them, and files may come and go meanwhile. */

const telegram = await readServiceText(shippedText('telegram') ?? '');

const hello: Record<string, FlowNode> = {
  start: { operator: 'trigger.http', params: { path: '/hello', methods: ['POST'], auth: 'none' } },
  send: {
    operator: 'telegram.send-message',
    params: { connection: 'bot', chat: '{{ input.chat }}', text: 'Hello {{ input.name }}' },
  },
};

async function bedWith(flow: Record<string, FlowNode>, url: string) {
  const flows = await tempFolder();
  await writeFile(join(flows, 'hello.json'), flowText('hello', flow, ['start > send']));
  const bed = await startBed({ flows: [flows] });
  await bed.ctx.connections.put('bot', {
    kind: 'http',
    settings: { address: url, auth: 'address', secret: SECRET },
    grants: { flows: ['hello'] },
  });
  await bed.ctx.flows.worldChanged('connections');
  return { bed, flows };
}

test('a flow calls a service, whose secret is in no answer and no error', async () => {
  const mock = await mockService(telegram);
  const { bed } = await bedWith(hello, mock.url);
  const ask = async () => {
    const body = JSON.stringify({ chat: 42, name: 'Ada' });
    const answer = await fetch(`${bed.url}/api/v1/awel/trigger/hello`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    return { status: answer.status, text: await answer.text() };
  };
  const good = await ask();
  expect(good).toMatchObject({ status: 200, text: expect.stringContaining('message_id') });
  expect(mock.received).toMatchObject([
    { path: `/bot${SECRET}/sendMessage`, body: { chat_id: 42, text: 'Hello Ada' } },
  ]);
  mock.plan({ status: 403, body: { ok: false, error_code: 403, description: 'Forbidden' } });
  const refused = await ask();
  expect(refused).toMatchObject({ status: 500, text: expect.stringContaining('blocked the bot') });
  expect(`${good.text} ${refused.text}`).not.toContain(SECRET);
  const { call } = await routeCaller(bed);
  const runs = JSON.stringify(await call('GET /api/v1/runs'));
  expect(runs).not.toContain(SECRET);
});

const tiny = (id: string) => ({
  format: 'weft-service/1',
  id,
  title: 'Tiny',
  doc: 'One call.',
  icon: 'box',
  color: '#123456',
  version: 1,
  source: { address: 'https://example.com', form: 'documentation', version: '1', date: '2026-11-28' },
  base: 'https://api.example.com',
  connect: [{ kind: 'none' }],
  calls: [{ id: 'ping', title: 'Ping', doc: 'Asks for a pong.', method: 'GET', path: '/ping' }],
});

test('a file that comes is in the catalog, makes a flow that waited for it live, and goes', async () => {
  const flows = await tempFolder();
  const nodes = {
    start: { operator: 'trigger.http', params: { path: '/tiny', methods: ['POST'], auth: 'none' } },
    ping: { operator: 'tiny.ping', params: {} },
  };
  await writeFile(join(flows, 'asks.json'), flowText('asks', nodes, ['start > ping']));
  const bed = await startBed({ flows: [flows] });
  const { call } = await routeCaller(bed);
  const has = async (type: string) =>
    Object.hasOwn(((await call('GET /api/v1/operators')) as { operators: object }).operators, type);
  expect([await has('telegram.send-message'), await has('tiny.ping')]).toEqual([true, false]);
  expect(bed.ctx.flows.live('asks')).toBeUndefined();
  await mkdir(join(flows, '.services'));
  await writeFile(join(flows, '.services', 'tiny.json'), JSON.stringify(tiny('tiny')));
  await eventually(async () => expect(await has('tiny.ping')).toBe(true));
  await eventually(() => expect(bed.ctx.flows.live('asks')).toBeDefined());
  await rm(join(flows, '.services', 'tiny.json'));
  await eventually(async () => expect(await has('tiny.ping')).toBe(false));
  // Its file says so now, and what is live goes on until it is published again.
  const document = await bed.ctx.flows.get('asks');
  expect(document.problems).toMatchObject([{ code: 'unknown-operator' }]);
});

test.each([
  ['no JSON', '{', 'no JSON'],
  ['another format', JSON.stringify({ ...tiny('odd'), format: 'x' }), 'format'],
  ['another name', JSON.stringify(tiny('else')), 'its file is called odd.json'],
  [
    'two of one name',
    JSON.stringify({ ...tiny('odd'), calls: [...tiny('odd').calls, ...tiny('odd').calls] }),
    'two',
  ],
  [
    'a path without its parameter',
    JSON.stringify({ ...tiny('odd'), calls: [{ ...tiny('odd').calls[0], path: '/{x}' }] }),
    'No parameter is called x',
  ],
  [
    'a name that is none',
    JSON.stringify({
      ...tiny('odd'),
      calls: [
        { ...tiny('odd').calls[0], parameters: [{ name: '__proto__', in: 'query', doc: 'x', schema: {} }] },
      ],
    }),
    'name',
  ],
  [
    'letters that turn the text around',
    JSON.stringify({ ...tiny('odd'), title: 'a\u202Eb' }),
    'control characters',
  ],
])('a file that is %s is left out, and said so', async (_, text, words) => {
  const flows = await tempFolder();
  await mkdir(join(flows, '.services'));
  await writeFile(join(flows, '.services', 'odd.json'), text);
  await writeFile(join(flows, '.services', 'good.json'), JSON.stringify(tiny('good')));
  const bed = await startBed({ flows: [flows] });
  expect(bed.ctx.services.problems()).toMatchObject([{ id: 'odd', message: expect.stringContaining(words) }]);
  expect(bed.ctx.registry.operators.has('good.ping')).toBe(true);
});

test('a file with the group of built-in operators is left out', async () => {
  const flows = await tempFolder();
  await mkdir(join(flows, '.services'));
  await writeFile(join(flows, '.services', 'http.json'), JSON.stringify(tiny('http')));
  const bed = await startBed({ flows: [flows] });
  expect(bed.ctx.services.problems()).toMatchObject([{ id: 'http' }]);
});

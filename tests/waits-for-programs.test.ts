import { expect, onTestFinished, test } from 'vitest';
import type { EventAnswer } from '#shared/wait.ts';
import { type Owner, signIn } from './support/client.ts';
import { eventually } from './support/eventually.ts';
import { httpTrigger, write } from './support/flows.ts';
import { startServer, tempFolder, type TestServer } from './support/server.ts';

/** Runs that wait for calls and events of other programs, on a real server, over a kill too. */

const start = httpTrigger('/called', { methods: ['POST'], answer: 'immediately' });
const called = {
  format: 1 as const,
  id: 'called',
  settings: { record: 'full' },
  nodes: {
    start,
    address: { operator: 'human.link', params: { node: 'wait', for: 'program' } },
    wait: { operator: 'logic.wait-for-call' },
    end: { operator: 'core.map', params: { value: '{{ input.body.says }}' } },
  },
  edges: [
    { from: 'start.out', to: 'address.in' },
    { from: 'address.out', to: 'wait.in' },
    { from: 'wait.received', to: 'end.in' },
  ],
};
const paid = {
  format: 1 as const,
  id: 'paid',
  settings: { record: 'full' },
  nodes: {
    start: httpTrigger('/paid', { methods: ['POST'], answer: 'immediately' }),
    wait: { operator: 'logic.wait-for-event', params: { name: 'paid', key: '{{ input.order }}' } },
    end: { operator: 'core.map', params: { value: '{{ input.data.says }}' } },
  },
  edges: [
    { from: 'start.out', to: 'wait.in' },
    { from: 'wait.received', to: 'end.in' },
  ],
};

interface Running {
  readonly server: TestServer;
  readonly owner: Owner;
}

const post = (url: string, body: object): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

async function begin({ server }: Running, flow: string, body: object): Promise<string> {
  const answer = await post(`${server.url}/api/v1/awel/trigger/${flow}`, body);
  expect(answer.status).toBe(202);
  return answer.headers.get('x-weft-run') ?? '';
}

async function eventsOf({ owner }: Running, run: string): Promise<Record<string, unknown>[]> {
  return (await owner.data<{ events: Record<string, unknown>[] }>('GET', `/runs/${run}/events`)).events;
}

const waiting = (at: Running, run: string): Promise<unknown> =>
  eventually(async () => {
    expect(await at.owner.data('GET', `/waits/${run}.wait`)).toMatchObject({ status: 'open' });
  });

/** The address that the run would have sent to the other program. */
async function addressOf(at: Running, run: string): Promise<string> {
  const found = (await eventsOf(at, run)).find(
    ({ kind, node }) => kind === 'node-output' && node === 'address',
  );
  const { link } = (found as { value: { link: string } }).value;
  return at.server.url + link.slice(new URL(link).origin.length);
}

async function statusOf(at: Running, run: string): Promise<unknown> {
  const view = await at.owner.data<{ status: string; answer?: { body?: unknown } }>('GET', `/runs/${run}`);
  return view.status;
}

test('calls and events right before a kill and after the restart reach their runs', async () => {
  const flows = tempFolder('flows');
  const data = tempFolder('data');
  write(flows, 'called.json', called);
  write(flows, 'paid.json', paid);
  const boot = async (): Promise<Running> => {
    const server = await startServer({ flows, data });
    onTestFinished(() => server.stop().then(() => undefined));
    return { server, owner: await signIn(server) };
  };
  const first = await boot();
  const before = [await begin(first, 'called', {}), await begin(first, 'paid', { order: 7 })];
  const after = [await begin(first, 'called', {}), await begin(first, 'paid', { order: 8 })];
  for (const run of [...before, ...after]) await waiting(first, run);
  const later = await addressOf(first, after[0] as string);
  expect((await post(await addressOf(first, before[0] as string), { says: 'before' })).status).toBe(200);
  const sent = await first.owner.data<EventAnswer>('POST', '/events/paid/7', { says: 'before' });
  expect(sent.received.map(({ run }) => run)).toEqual([before[1]]);
  await first.server.stop('SIGKILL');

  const second = await boot();
  const moved = second.server.url + later.slice(first.server.url.length);
  expect((await post(moved, { says: 'after' })).status).toBe(200);
  await second.owner.data<EventAnswer>('POST', '/events/paid/8', { says: 'after' });
  for (const run of [...before, ...after])
    await eventually(async () => expect(await statusOf(second, run)).toBe('ok'));
  for (const run of after) {
    const events = await eventsOf(second, run);
    expect(events.findLast(({ kind, node }) => kind === 'node-output' && node === 'end')).toMatchObject({
      value: 'after',
    });
  }
  expect((await post(moved, { says: 'twice' })).status).toBe(409);
});

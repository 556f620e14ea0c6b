import { expect, onTestFinished, test } from 'vitest';
import type { AcceptedRun, CalledRun } from '#shared/calls-api.ts';
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

async function begin({ server }: Running, flow: string, body: object): Promise<AcceptedRun> {
  const answer = await post(`${server.url}/api/v1/awel/trigger/${flow}`, body);
  expect(answer.status).toBe(202);
  return (await answer.json()) as AcceptedRun;
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

/** What the caller of a run gets. A run that ended right before a kill has its answer, but may lack events in its history. */
async function answerOf({ server }: Running, { statusUrl }: AcceptedRun): Promise<unknown> {
  const { data } = await eventually(async () => {
    const view = (await (await fetch(`${server.url}${statusUrl}`)).json()) as { data: CalledRun };
    expect(view.data.status).toBe('ok');
    return view;
  });
  return data.answer?.body;
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
  for (const { run } of [...before, ...after]) await waiting(first, run);
  const later = await addressOf(first, after[0]?.run ?? '');
  const early = await addressOf(first, before[0]?.run ?? '');
  expect((await post(early, { says: 'before' })).status).toBe(200);
  const sent = await first.owner.data<EventAnswer>('POST', '/events/paid/7', { says: 'before' });
  expect(sent.received.map(({ run }) => run)).toEqual([before[1]?.run]);
  await first.server.stop('SIGKILL');

  const second = await boot();
  const moved = second.server.url + later.slice(first.server.url.length);
  expect((await post(moved, { says: 'after' })).status).toBe(200);
  await second.owner.data<EventAnswer>('POST', '/events/paid/8', { says: 'after' });
  for (const run of before) expect(await answerOf(second, run)).toBe('before');
  for (const run of after) expect(await answerOf(second, run)).toBe('after');
  expect((await post(moved, { says: 'twice' })).status).toBe(409);
});

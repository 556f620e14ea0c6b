import { expect, onTestFinished, test } from 'vitest';
import type { RunPage, StartedRun } from '#shared/api.ts';
import type { RunSummary } from '#shared/run-event.ts';
import { call, type Owner, signIn } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { type FlowJson, httpTrigger, type NodeJson, write } from '../support/flows.ts';
import { discard, type ServerSetup, startServer, type TestServer } from '../support/server.ts';
import { scratchFolder } from '../support/scratch.ts';

/** Flows that call flows, and what they remember, on a real server. */
async function start(setup: ServerSetup): Promise<TestServer> {
  const server = await startServer(setup);
  onTestFinished(() => discard(server));
  return server;
}

function rowFlow(id: string, trigger: NodeJson, nodes: Readonly<Record<string, NodeJson>>): FlowJson {
  const names = ['trigger', ...Object.keys(nodes)];
  const edges = names.slice(1).map((to, i) => ({ from: `${names[i]}.out`, to: `${to}.in` }));
  return { format: 1, id, nodes: { trigger, ...nodes }, edges };
}

const node = (operator: string, params: Readonly<Record<string, unknown>>): NodeJson => ({
  operator,
  params,
});
const post = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** Prices one line of an order; its trigger says what it takes. */
const priceLine = rowFlow(
  'price_line',
  httpTrigger('/price-line', {
    methods: ['POST'],
    request: {
      type: 'object',
      required: ['article'],
      properties: { article: { type: 'string' }, count: { type: 'integer', default: 1, minimum: 1 } },
    },
  }),
  { price: node('core.map', { value: '{{ input.article + " x " + input.count }}' }) },
);

const orders = (onItemError: string): FlowJson =>
  rowFlow('orders', httpTrigger('/orders', { methods: ['POST'] }), {
    lines: node('data.for-each', { flow: 'price_line', items: '{{ input.lines }}', onItemError }),
  });

function folderWith(...flows: readonly FlowJson[]): string {
  const folder = scratchFolder('flows');
  for (const flow of flows) write(folder, `${flow.id}.json`, flow);
  return folder;
}

const runsOf = async (owner: Owner, query: string): Promise<RunSummary[]> =>
  (await owner.data<RunPage>('GET', `/runs?${query}`)).runs;

test('an order is priced line by line by another flow, whose trigger checks each line', async () => {
  const server = await start({ flows: folderWith(priceLine, orders('collect')) });
  const lines = [
    { article: 'cup', count: 2 },
    { article: 'pot' },
    { count: 3 },
    { article: 'tea', count: 0 },
  ];
  const answer = await call(server, '/orders', post({ lines }));
  expect(answer).toMatchObject({
    status: 200,
    body: [
      { ok: true, value: 'cup x 2' },
      { ok: true, value: 'pot x 1' },
      {
        ok: false,
        error: { code: 'bad_input', message: expect.stringContaining('body.article: Field required') },
      },
      { ok: false, error: { code: 'bad_input', message: expect.stringContaining('body.count') } },
    ],
  });

  const owner = await signIn(server);
  const listed = await runsOf(owner, 'limit=10');
  expect(listed).toMatchObject([{ flow: 'orders', status: 'ok' }]);
  // The two lines that were refused never became runs.
  const parts = await runsOf(owner, `parent=${listed[0]?.run}`);
  expect(parts).toMatchObject([
    { flow: 'price_line', source: 'flow', parent: listed[0]?.run },
    { flow: 'price_line', source: 'flow', parent: listed[0]?.run },
  ]);
  expect(await runsOf(owner, 'nested=true')).toHaveLength(3);
  expect(await owner.api('GET', '/runs?nested=perhaps')).toMatchObject({ status: 400 });
});

test('a line that fails fails the order, and says which line and where', async () => {
  const server = await start({ flows: folderWith(priceLine, orders('fail')) });
  const answer = await call(server, '/orders', post({ lines: [{ article: 'cup' }, {}] }));
  expect(answer).toMatchObject({
    status: 422,
    body: {
      err_code: 'bad_input',
      err_msg: expect.stringMatching(/^Item 2: `price_line` does not take this input/),
    },
  });
});

test('flows that call each other without an end stop after 16 levels', async () => {
  const ping = rowFlow('ping', httpTrigger('/ping', { methods: ['POST'] }), {
    next: node('flow.call', { flow: 'pong' }),
  });
  const pong = rowFlow('pong', node('trigger.manual', {}), { next: node('flow.call', { flow: 'ping' }) });
  const server = await start({ flows: folderWith(ping, pong) });
  const answer = await call(server, '/ping', post({}));
  expect(answer).toMatchObject({ status: 500, body: { err_code: 'sub_flow_depth' } });
  const owner = await signIn(server);
  expect(await runsOf(owner, 'nested=true&limit=100')).toHaveLength(17);
});

test('a loop that is cancelled in the middle takes its items with it', async () => {
  const slow = rowFlow('slow', node('trigger.manual', {}), { wait: node('logic.delay', { ms: 20_000 }) });
  const loop = rowFlow('loop', node('trigger.manual', {}), {
    each: node('data.for-each', { flow: 'slow', concurrency: 4 }),
  });
  const server = await start({ flows: folderWith(slow, loop) });
  const owner = await signIn(server);
  const started = await owner.api('POST', '/flows/loop/run', { input: [1, 2, 3, 4, 5, 6], wait: false });
  const { run } = (started.body as { data: StartedRun }).data;
  await eventually(async () => expect(await runsOf(owner, `parent=${run}`)).toHaveLength(4));
  await owner.data('POST', `/runs/${run}/cancel`);
  await eventually(async () => {
    expect(await runsOf(owner, 'limit=5')).toMatchObject([{ run, status: 'cancelled' }]);
    const parts = await runsOf(owner, `parent=${run}`);
    expect(parts.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => 'cancelled'));
  });
});

test('a flow is run once for each item that it is started with, as a draft too', async () => {
  const greet = rowFlow('greet', node('trigger.iterate', { concurrency: 2, onItemError: 'collect' }), {
    say: node('text.template', { template: 'Hello, {{ input.name }}' }),
  });
  const server = await start({ flows: folderWith(greet), env: { WEFT_DEPLOY: 'manual' } });
  const owner = await signIn(server);
  const input = [{ name: 'Ada' }, {}, { name: 'Bob' }];
  const answered = await owner.data<StartedRun>('POST', '/flows/greet/run', { input });
  expect(answered).toMatchObject({
    status: 'ok',
    answer: {
      body: [
        { input: { name: 'Ada' }, output: { ok: true, value: 'Hello, Ada' } },
        { input: {}, output: { ok: false, error: { code: 'missing_field' } } },
        { input: { name: 'Bob' }, output: { ok: true, value: 'Hello, Bob' } },
      ],
    },
  });
  expect(await runsOf(owner, `parent=${answered.run}`)).toHaveLength(3);

  const { revision } = await owner.data<{ revision: string }>('GET', '/flows/greet');
  const bye = node('text.template', { template: 'Bye, {{ input.name }}' });
  await owner.data('PUT', '/flows/greet', {
    flow: { ...greet, nodes: { ...greet.nodes, say: bye } },
    revision,
  });
  const ada = { input: { name: 'Ada' } };
  const says = async (more: object) =>
    (await owner.data<StartedRun>('POST', '/flows/greet/run', { ...ada, ...more })).answer;
  expect(await says({})).toMatchObject({ body: [{ output: { value: 'Hello, Ada' } }] });
  expect(await says({ draft: true })).toMatchObject({ body: [{ output: { value: 'Bye, Ada' } }] });
  expect(await owner.api('POST', '/flows/greet/run', {})).toMatchObject({
    status: 400,
    body: { err_code: 'invalid_request' },
  });
});

test('what a flow counts and stores is there after a kill and a restart', async () => {
  const visits = rowFlow('visits', httpTrigger('/visits', { methods: ['POST'] }), {
    count: node('state.add', { key: 'visits_{{ input.user }}' }),
    last: node('state.set', { key: 'last', value: '{{ trigger.body }}', scope: 'shared' }),
  });
  const shown = rowFlow('shown', httpTrigger('/shown'), {
    read: node('state.get', { key: 'last', scope: 'shared', fallback: 'nobody' }),
  });
  const result = { ...visits, edges: [...visits.edges, { from: 'count.out', to: 'sum.in' }] };
  const flows = folderWith(
    { ...result, nodes: { ...visits.nodes, sum: node('core.map', { value: '{{ input }}' }) } },
    shown,
  );
  const first = await start({ flows });
  expect((await call(first, '/shown')).body).toBe('nobody');
  const counts = await Promise.all(
    Array.from({ length: 20 }, () => call(first, '/visits', post({ user: 'ada' }))),
  );
  expect(counts.map(({ body }) => Number(body)).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 20 }, (_, i) => i + 1),
  );
  await first.stop('SIGKILL');
  const second = await start({ flows, data: first.data });
  expect((await call(second, '/visits', post({ user: 'ada' }))).body).toBe(21);
  expect((await call(second, '/visits', post({ user: 'bob' }))).body).toBe(1);
  expect((await call(second, '/shown')).body).toEqual({ user: 'bob' });
});

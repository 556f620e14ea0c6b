import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import type { RunPage, StartedRun } from '#shared/api.ts';
import type { AcceptedRun, CalledRun } from '#shared/calls-api.ts';
import type { RunEvent, RunSummary } from '#shared/run-event.ts';
import type { WaitPage } from '#shared/wait.ts';
import { startProxy } from '../../server/connections/testing/proxy.ts';
import { newDatabase } from '../../server/storage/testing/postgres-server.ts';
import { ask, call, type Owner, signIn } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { askingFlow, type FlowJson, httpTrigger } from '../support/flows.ts';
import { type Effect, postingFlow, startOutside } from '../support/outside.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';

/** Runs that outlive the process, on real servers that share a real PostgreSQL and are killed. */
type Node = TestServer & { readonly owner: Owner };

async function start(url: string, more: Record<string, string> = {}): Promise<Node> {
  const env = {
    ...more,
    WEFT_DATABASE_URL: url,
    WEFT_SECRETS_KEY: '11'.repeat(32),
    WEFT_OUTBOUND_ALLOW: '127.0.0.1',
  };
  const server = await startServer({ env });
  onTestFinished(() => discard(server));
  return { ...server, owner: await signIn(server) };
}

async function pair(more?: Record<string, string>): Promise<[Node, Node]> {
  const url = await newDatabase();
  return Promise.all([start(url, more), start(url, more)]);
}

async function publish({ owner }: Node, flow: FlowJson): Promise<void> {
  const { status, text: said } = await owner.api('POST', '/flows', { text: JSON.stringify(flow) });
  if (status >= 300) throw new Error(said);
}

const POST = { method: 'POST' };

/** The one of the servers that executes the run, first: only that one has its events. */
async function executing(nodes: [Node, Node], run: string): Promise<[Node, Node]> {
  const [a, b] = nodes;
  const { recorded } = await a.owner.data<RunSummary>('GET', `/runs/${run}`);
  return recorded ? [a, b] : [b, a];
}

const statusOf = async (node: Node, run: string): Promise<string> =>
  (await node.owner.data<RunSummary>('GET', `/runs/${run}`)).status;

test('C3, C4: a server that is killed loses nothing: the other one repeats the step in flight, under its key', async () => {
  const outside = await startOutside('/two');
  const nodes = await pair();
  await publish(nodes[0], postingFlow('lasting', outside.url, ['one', 'two', 'three']));
  const answers = await Promise.all([0, 1, 2, 3].map((at) => call(nodes[at % 2] as Node, '/lasting', POST)));
  const accepted = answers.map(({ body }) => body as AcceptedRun);
  const of = (run: string): string[] =>
    outside.log.filter(({ key }) => key.startsWith(run)).map(({ path }) => path);
  for (const { run } of accepted) await eventually(() => expect(of(run)).toEqual(['/one', '/two']));
  const [killed, left] = await executing(nodes, (accepted[0] as AcceptedRun).run);
  const lost = new Set<string>();
  for (const { run } of accepted) if ((await executing(nodes, run))[0] === killed) lost.add(run);
  outside.holds.clear();
  killed.process.kill('SIGKILL');
  const at = performance.now();
  // The other one's own requests still wait for their answers.
  for (const run of lost) await eventually(() => expect(of(run)).toEqual(['/one', '/two', '/two', '/three']));
  const again = outside.log.findLast(({ path }) => path === '/two') as Effect;
  process.stdout.write(`takeover after kill -9: ${Math.round(again.at - at)} ms\n`);
  for (const { run, statusUrl } of accepted.filter(({ run: one }) => lost.has(one))) {
    const keys = outside.log.filter(({ path, key }) => path === '/two' && key.startsWith(run));
    expect(new Set(keys.map(({ key }) => key)).size).toBe(1);
    await eventually(async () => {
      const { body } = await ask(`${left.url}${statusUrl}`);
      expect((body as { data: CalledRun }).data).toMatchObject({ run, status: 'ok' });
    });
    const { events } = await left.owner.data<{ events: RunEvent[] }>('GET', `/runs/${run}/events`);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
  }
});

test('C1, C2: a server that froze until its run was taken over records and does nothing more of it', async () => {
  const outside = await startOutside('/two');
  const nodes = await pair();
  await publish(nodes[0], postingFlow('lasting', outside.url, ['one', 'two', 'three']));
  const { run } = (await call(nodes[0], '/lasting', POST)).body as AcceptedRun;
  await eventually(() => expect(outside.paths()).toEqual(['/one', '/two']));
  const [frozen, other] = await executing(nodes, run);
  frozen.process.kill('SIGSTOP');
  outside.holds.clear();
  await eventually(async () => expect(await statusOf(other, run)).toBe('ok'));
  frozen.process.kill('SIGCONT');
  outside.release();
  await eventually(async () => expect(await statusOf(frozen, run)).toBe('ok'));
  const end = await other.owner.data('GET', `/runs/${run}`);
  await eventually(async () => expect(await frozen.owner.data('GET', `/runs/${run}`)).toEqual(end));
  expect(outside.paths()).toEqual(['/one', '/two', '/two', '/three']);
});

test('C4: after the database was away for longer than a claim holds, servers that stayed up repeat nothing', async () => {
  const outside = await startOutside('/two');
  const url = await newDatabase();
  const address = new URL(url);
  const proxy = await startProxy({ host: address.hostname, port: Number(address.port) });
  address.port = String(proxy.port);
  const nodes = await Promise.all([start(address.href), start(address.href)]);
  await publish(nodes[0], postingFlow('lasting', outside.url, ['one', 'two', 'three']));
  const { run } = (await call(nodes[0], '/lasting', POST)).body as AcceptedRun;
  await eventually(() => expect(outside.paths()).toEqual(['/one', '/two']));
  proxy.mode = 'break';
  proxy.cut();
  const client = postgres(url, { max: 1 });
  onTestFinished(() => client.end());
  await eventually(async () => {
    const [row] = await client`SELECT count(*)::int AS late FROM weft_workflows.workflow_runs
      WHERE status = 'running' AND available_at < now()`;
    expect(row?.['late']).toBe(1);
  });
  proxy.mode = 'pass';
  outside.release();
  for (const node of nodes) await eventually(async () => expect(await statusOf(node, run)).toBe('ok'));
  expect(outside.paths()).toEqual(['/one', '/two', '/three']);
});

test('a server that stops hands its runs over at once', async () => {
  const outside = await startOutside('/two');
  const nodes = await pair({ WEFT_GRACE_MS: '500' });
  await publish(nodes[0], postingFlow('lasting', outside.url, ['one', 'two', 'three']));
  const { run } = (await call(nodes[0], '/lasting', POST)).body as AcceptedRun;
  await eventually(() => expect(outside.paths()).toEqual(['/one', '/two']));
  const [first, second] = await executing(nodes, run);
  await first.stop();
  outside.holds.clear();
  await eventually(async () => expect(await statusOf(second, run)).toBe('ok'));
  expect(outside.paths()).toEqual(['/one', '/two', '/two', '/three']);
});

test('C6: a person who answers on one server continues the run of the other, also when that one is gone', async () => {
  const outside = await startOutside();
  const [a, b] = await pair();
  const ask_ = { operator: 'human.approval', params: { title: 'Go on?', notify: `${outside.url}/hook` } };
  await publish(a, { ...askingFlow, nodes: { ...askingFlow.nodes, ask: ask_ } });
  const begin = async (): Promise<AcceptedRun> => (await call(a, '/asking')).body as AcceptedRun;
  const waitOf = async (node: Node, run: string): Promise<string> => {
    let id: string | undefined;
    await eventually(async () => {
      const { waits } = await node.owner.data<WaitPage>('GET', `/waits?run=${run}&status=open`);
      id = waits[0]?.id;
      expect(id).toBeDefined();
    });
    return id as string;
  };
  const approve = async (node: Node, run: string): Promise<unknown> =>
    node.owner.data('POST', `/waits/${await waitOf(node, run)}/decide`, { decision: 'approved' });
  const answers = async (node: Node, { statusUrl }: AcceptedRun): Promise<void> => {
    await eventually(async () => {
      const { body } = await ask(`${node.url}${statusUrl}`);
      expect((body as { data: CalledRun }).data).toMatchObject({
        status: 'ok',
        answer: { body: 'went on' },
      });
    });
  };
  const first = await begin();
  await eventually(() => expect(outside.paths()).toEqual(['/hook']));
  await approve(b, first.run);
  await answers(a, first);
  await answers(b, first);
  const second = await begin();
  await waitOf(a, second.run);
  a.process.kill('SIGKILL');
  await approve(b, second.run);
  await answers(b, second);
  // Whoever asks tells once, on one server.
  const told = outside.log.map(({ key }) => key);
  expect(told).toContain(`${first.run}.ask:notify`);
  expect(new Set(told).size).toBe(told.length);
});

test('a key, a cancellation and a retry count on every server', async () => {
  const outside = await startOutside('/slow');
  const nodes = await pair();
  const [a, b] = nodes;
  await publish(a, postingFlow('slow', outside.url, ['first', 'slow']));
  const keyed = { ...POST, headers: { 'idempotency-key': 'order 7' } };
  const one = (await call(a, '/slow', keyed)).body as AcceptedRun;
  expect((await call(b, '/slow', keyed)).body).toEqual(one);
  await eventually(() => expect(outside.paths()).toEqual(['/first', '/slow']));
  const [, other] = await executing(nodes, one.run);
  await other.owner.data('POST', `/runs/${one.run}/cancel`);
  for (const node of nodes)
    await eventually(async () => expect(await statusOf(node, one.run)).toBe('cancelled'));
  outside.holds.clear();
  const { run } = await other.owner.data<StartedRun>('POST', `/runs/${one.run}/retry`, {});
  for (const node of nodes) await eventually(async () => expect(await statusOf(node, run)).toBe('ok'));
  expect(outside.paths()).toEqual(['/first', '/slow', '/slow']);
  // Whoever deletes it deletes it for all.
  await eventually(async () => {
    expect((await other.owner.api('DELETE', `/runs/${run}`)).status).toBeLessThan(300);
  });
  for (const node of nodes) expect((await node.owner.api('GET', `/runs/${run}`)).status).toBe(404);
});

test('C7: the end of each run is told once, and C8: no more of them are at work than the flow allows', async () => {
  const outside = await startOutside();
  const [a, b] = await pair();
  const told = postingFlow('told', outside.url, ['late', 'after'], { settings: { maxRuns: 2 } });
  const notify = { url: `${outside.url}/hook` };
  const trigger = httpTrigger('/told', { methods: ['POST'], answer: 'immediately', notify });
  await publish(a, { ...told, nodes: { ...told.nodes, start: trigger } });
  const runs = await Promise.all(
    Array.from({ length: 12 }, async (_, at) => (await call(at % 2 === 0 ? a : b, '/told', POST)).body),
  );
  const hooks = (): string[] => outside.log.filter(({ path }) => path === '/hook').map(({ key }) => key);
  await eventually(() => expect(new Set(hooks()).size).toBe(runs.length));
  expect(hooks().toSorted()).toEqual((runs as AcceptedRun[]).map(({ run }) => run).toSorted());
  expect(outside.late.most).toBeLessThanOrEqual(2);
});

test('S1, S2: a durable flow is started once by each time of its schedule, whichever servers are there', async () => {
  const outside = await startOutside();
  const [a, b] = await pair();
  const params = { method: 'POST', url: `${outside.url}/tick`, bodyType: 'json', body: '{{ input.at }}' };
  await publish(a, {
    format: 1,
    id: 'tick',
    nodes: {
      clock: {
        operator: 'trigger.schedule',
        // A run that takes longer than a second must not keep the next one from starting.
        params: { cron: '* * * * * *', catchUp: 'all', overlap: 'allow' },
      },
      tell: { operator: 'http.request', params },
    },
    edges: [{ from: 'clock.out', to: 'tell.in' }],
  });
  /** Each time with the keys of its requests: a run repeats the step that a kill hit, under one key. */
  const times = (): Map<number, Set<string>> => {
    const found = new Map<number, Set<string>>();
    for (const { body, key } of outside.log) {
      const at = Date.parse(JSON.parse(body) as string) / 1000;
      found.set(at, (found.get(at) ?? new Set()).add(key));
    }
    return found;
  };
  await eventually(() => expect(times().size).toBeGreaterThanOrEqual(4));
  a.process.kill('SIGKILL');
  const last = Math.max(...times().keys());
  await eventually(() => {
    const all = [...times().keys()].toSorted((one, other) => one - other);
    expect(all).toEqual(all.map((_, at) => (all[0] as number) + at));
    expect(all.at(-1)).toBeGreaterThan(last + 4);
  });
  expect([...times().values()].filter(({ size }) => size !== 1)).toEqual([]);
  const { runs } = await b.owner.data<RunPage>('GET', '/runs?flow=tick&limit=500');
  expect(runs.length).toBeLessThanOrEqual(times().size + 1);
});

import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import type { RunPage, StartedRun } from '#shared/api.ts';
import type { AcceptedRun, CalledRun } from '#shared/calls-api.ts';
import type { RunEvent } from '#shared/run-event.ts';
import type { WaitPage } from '#shared/wait.ts';
import { startStandInProxy } from '../../server/base/outbound/testing/stand-in-proxy.ts';
import { startProxy } from '../../server/integrations/connections/testing/proxy.ts';
import { newDatabase } from '../../server/storage/database/testing/postgres-server.ts';
import { ask, call } from '../support/client.ts';
import { claimsOf, executing, type Node, publish, startNode, statusOf } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { askingFlow, httpTrigger } from '../support/flows.ts';
import { type Effect, expectSteps, postingFlow, startOutside } from '../support/outside.ts';

/** Runs that outlive the process, on real servers that share a real PostgreSQL and are killed. */
const start = (url: string, more: Record<string, string> = {}): Promise<Node> =>
  startNode(url, { ...more, WEFT_OUTBOUND_ALLOW: '127.0.0.1' });

async function pair(more?: Record<string, string>): Promise<{ url: string; nodes: [Node, Node] }> {
  const url = await newDatabase();
  return { url, nodes: await Promise.all([start(url, more), start(url, more)]) };
}

const POST = { method: 'POST' };
const STEPS = ['/one', '/two', '/three'];

type Outside = Awaited<ReturnType<typeof startOutside>>;
const callsOf = ({ log }: Outside, run: string): Effect[] => log.filter(({ key }) => key.startsWith(run));

/** A run of three steps, until its second one is held in flight outside. */
async function inSecondStep(node: Node, outside: Outside): Promise<AcceptedRun> {
  const accepted = (await call(node, '/lasting', POST)).body as AcceptedRun;
  await eventually(() => expect(callsOf(outside, accepted.run).at(-1)?.path).toBe('/two'));
  return accepted;
}

/** Whoever called learns at this server how the run ended. */
const answers = (node: Node, { run, statusUrl }: AcceptedRun, more: Partial<CalledRun> = {}): Promise<void> =>
  eventually(async () => {
    const { body } = await ask(`${node.url}${statusUrl}`);
    expect((body as { data: CalledRun }).data).toMatchObject({ run, status: 'ok', ...more });
  });

/** The run was taken over in its second step. */
async function expectTakenOver(outside: Outside, url: string, run: string): Promise<void> {
  const { claims } = await claimsOf(url, run);
  expectSteps(callsOf(outside, run), STEPS, { claims, repeated: ['/two'] });
}

test('C3, C4: a server that is killed loses nothing: the other one repeats the step in flight, under its key', async () => {
  const outside = await startOutside('/two');
  const { url, nodes } = await pair();
  await publish(nodes[0], postingFlow('lasting', outside.url, ['one', 'two', 'three']));
  const runs = await Promise.all([0, 1, 2, 3].map((at) => inSecondStep(nodes[at % 2] as Node, outside)));
  const [killed, left] = await executing(nodes, (runs[0] as AcceptedRun).run);
  const lost: AcceptedRun[] = [];
  for (const one of runs) if ((await executing(nodes, one.run))[0] === killed) lost.push(one);
  outside.holds.clear();
  killed.process.kill('SIGKILL');
  const at = performance.now();
  // The other one's own requests still wait for their answers.
  for (const one of lost) await answers(left, one);
  const again = outside.log.findLast(({ path }) => path === '/two') as Effect;
  process.stdout.write(`takeover after kill -9: ${Math.round(again.at - at)} ms\n`);
  for (const { run } of lost) {
    await expectTakenOver(outside, url, run);
    const { events } = await left.owner.data<{ events: RunEvent[] }>('GET', `/runs/${run}/events`);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
  }
});

test('C1, C2: a server that froze until its run was taken over records and does nothing more of it', async () => {
  const outside = await startOutside('/two');
  const { url, nodes } = await pair();
  await publish(nodes[0], postingFlow('lasting', outside.url, ['one', 'two', 'three']));
  const { run } = await inSecondStep(nodes[0], outside);
  const [frozen, other] = await executing(nodes, run);
  frozen.process.kill('SIGSTOP');
  outside.holds.clear();
  await eventually(async () => expect(await statusOf(other, run)).toBe('ok'));
  frozen.process.kill('SIGCONT');
  outside.release();
  await eventually(async () => expect(await statusOf(frozen, run)).toBe('ok'));
  const end = await other.owner.data('GET', `/runs/${run}`);
  await eventually(async () => expect(await frozen.owner.data('GET', `/runs/${run}`)).toEqual(end));
  await expectTakenOver(outside, url, run);
});

test('C4: a server that froze while its step connected sends nothing once another one has done the step', async () => {
  const outside = await startOutside();
  const proxy = await startStandInProxy();
  proxy.leads.set('outside.weft-tests.org:80', Number(new URL(outside.url).port));
  const { url, nodes } = await pair({ WEFT_PROXY: proxy.address, WEFT_PROXY_DNS: 'proxy' });
  await publish(nodes[0], postingFlow('lasting', 'http://outside.weft-tests.org', ['one', 'two', 'three']));
  proxy.does = 'hold';
  const { run } = (await call(nodes[0], '/lasting', POST)).body as AcceptedRun;
  await eventually(() => expect(proxy.asked).toHaveLength(1));
  const [frozen, other] = await executing(nodes, run);
  frozen.process.kill('SIGSTOP');
  // The other one's way is open at once.
  proxy.does = 'pass';
  await eventually(async () => expect(await statusOf(other, run)).toBe('ok'));
  const [way] = proxy.release();
  frozen.process.kill('SIGCONT');
  // It closes the way that was opened for it, or sends through it.
  await eventually(() => expect(way?.destroyed === true || outside.log.length > STEPS.length).toBe(true));
  await eventually(async () => expect(await statusOf(frozen, run)).toBe('ok'));
  expect(outside.paths()).toEqual(STEPS);
  expect((await claimsOf(url, run)).claims).toBe(2);
});

test('C4: after the database was away for longer than a claim holds, servers that stayed up repeat nothing', async () => {
  const outside = await startOutside('/two');
  const url = await newDatabase();
  const address = new URL(url);
  const proxy = await startProxy({ host: address.hostname, port: Number(address.port) });
  address.port = String(proxy.port);
  const nodes = await Promise.all([start(address.href), start(address.href)]);
  await publish(nodes[0], postingFlow('lasting', outside.url, ['one', 'two', 'three']));
  const { run } = await inSecondStep(nodes[0], outside);
  const asked = outside.log.length;
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
  expectSteps(outside.log, STEPS, await claimsOf(url, run));
  expect(outside.paths().slice(asked)).toEqual(['/three']);
});

test('a server that stops hands its runs over at once', async () => {
  const outside = await startOutside('/two');
  const { url, nodes } = await pair({ WEFT_GRACE_MS: '500' });
  await publish(nodes[0], postingFlow('lasting', outside.url, ['one', 'two', 'three']));
  const { run } = await inSecondStep(nodes[0], outside);
  const [first, second] = await executing(nodes, run);
  // For whoever asks again; the request that is held is never answered.
  outside.holds.clear();
  await first.stop();
  // Free, or the other one's already.
  const { claims, isHeld } = await claimsOf(url, run);
  expect(claims > 1 || !isHeld).toBe(true);
  await eventually(async () => expect(await statusOf(second, run)).toBe('ok'));
  await expectTakenOver(outside, url, run);
});

test('C6: a person who answers on one server continues the run of the other, also when that one is gone', async () => {
  const outside = await startOutside();
  const [a, b] = (await pair()).nodes;
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
  const answer = { answer: { body: 'went on' } } as Partial<CalledRun>;
  const first = await begin();
  await eventually(() => expect(outside.paths()).toEqual(['/hook']));
  await approve(b, first.run);
  await answers(a, first, answer);
  await answers(b, first, answer);
  const second = await begin();
  await waitOf(a, second.run);
  a.process.kill('SIGKILL');
  await approve(b, second.run);
  await answers(b, second, answer);
  // Whoever asks tells once, on one server; what the killed one was telling may come again, under its key.
  const told = outside.log.map(({ key }) => key);
  expect(told.filter((key) => key !== `${second.run}.ask:notify`)).toEqual([`${first.run}.ask:notify`]);
});

test('a key, a cancellation and a retry count on every server', async () => {
  const outside = await startOutside('/slow');
  const { url, nodes } = await pair();
  const [a, b] = nodes;
  await publish(a, postingFlow('slow', outside.url, ['first', 'slow']));
  const keyed = { ...POST, headers: { 'idempotency-key': 'order 7' } };
  const one = (await call(a, '/slow', keyed)).body as AcceptedRun;
  expect((await call(b, '/slow', keyed)).body).toEqual(one);
  await eventually(() => expect(outside.paths()).toContain('/slow'));
  const [, other] = await executing(nodes, one.run);
  await other.owner.data('POST', `/runs/${one.run}/cancel`);
  for (const node of nodes)
    await eventually(async () => expect(await statusOf(node, one.run)).toBe('cancelled'));
  outside.holds.clear();
  const { run } = await other.owner.data<StartedRun>('POST', `/runs/${one.run}/retry`, {});
  for (const node of nodes) await eventually(async () => expect(await statusOf(node, run)).toBe('ok'));
  const claims = await Promise.all([one.run, run].map((each) => claimsOf(url, each)));
  const sum = claims.reduce((all, { claims: some }) => all + some, 0);
  expectSteps(outside.log, ['/first', '/slow'], { claims: sum, repeated: ['/slow'] });
  // Whoever deletes it deletes it for all.
  await eventually(async () => {
    expect((await other.owner.api('DELETE', `/runs/${run}`)).status).toBeLessThan(300);
  });
  for (const node of nodes) expect((await node.owner.api('GET', `/runs/${run}`)).status).toBe(404);
});

test('C7: the end of each run is told once, and C8: no more of them are at work than the flow allows', async () => {
  const outside = await startOutside();
  const [a, b] = (await pair()).nodes;
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
  const [a, b] = (await pair()).nodes;
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

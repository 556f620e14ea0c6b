import { join } from 'node:path';
import type { AcceptedRun, CalledRun } from '#shared/calls-api.ts';
import type { Flow, FlowNode } from '#shared/flow.ts';
import type { WaitPage } from '#shared/wait.ts';
import { writeFlows } from '../flows.ts';
import { percentile } from '../harness.ts';
import type { Server } from '../servers.ts';
import { apiOf, callTrigger } from './api.ts';
import { faultList, type KilledLoad, type LoadParts, untilGone } from './kills.ts';
import { type Outside, startOutside } from './outside.ts';
import { fact, pause } from './part.ts';

/** Each step with how far it is from the start. */
const RANKS: Readonly<Record<string, number>> = { first: 0, left: 1, right: 1, moody: 2, last: 3 };
/** Pause between two calls, in milliseconds. */
const PACE_MS = 20;
const GOES_ON: ReadonlySet<CalledRun['status']> = new Set(['pending', 'running', 'waiting']);
/** How long all runs together may take after the last kill, in milliseconds. */
const SETTLE_MS = 120_000;

/**
 * Runs that outlive the process: each that was accepted (202) comes to its end, no step that was finished is carried out again,
 * and one that was in flight is repeated with the same idempotency key.
 */
export async function durableRuns({ folder, random }: LoadParts): Promise<KilledLoad> {
  const outside = await startOutside({ random, rankOf: (step) => RANKS[step] ?? 0, moody: 'moody' });
  writeFlows(join(folder, 'flows'), [durableFlow(outside.url)]);
  const refused = faultList('durable runs that were refused');
  const unfinished = faultList('accepted runs that did not end well');
  /** Status address by the name that the caller gave its run. */
  const accepted = new Map<string, string>();
  const resumed: number[] = [];
  let calls = 0;

  async function call(server: Server): Promise<void> {
    const name = String(calls++);
    const { status, body } = await callTrigger(server, `/durable?run=${name}`);
    if (status === 202) accepted.set(name, (body as AcceptedRun).statusUrl);
    else refused.add(`${status} ${JSON.stringify(body)}`);
    await pause(PACE_MS);
  }

  async function approve(server: Server): Promise<void> {
    const api = apiOf(server, folder);
    const { waits } = await api.data<WaitPage>('GET', '/waits?limit=50');
    for (const { id } of waits) {
      const { status, body } = await api.ask('POST', `/waits/${id}/decide`, { decision: 'approved' });
      // Decided before the kill, which took only the answer away.
      if (status !== 200 && status !== 409) refused.add(`decision: ${status} ${JSON.stringify(body)}`);
    }
    await pause(PACE_MS);
  }

  /** Undefined while it goes on; else how it ended. */
  async function endOf(server: Server, name: string): Promise<string | undefined> {
    const url = new URL(accepted.get(name) as string, server.origin);
    const response = await fetch(`${server.origin}${url.pathname}${url.search}`);
    const text = await response.text();
    if (response.status !== 200) return text;
    const { status } = (JSON.parse(text) as { data: CalledRun }).data;
    return GOES_ON.has(status) ? undefined : status === 'ok' ? 'ok' : text;
  }

  return {
    async work(server) {
      await Promise.all([
        untilGone(server, () => call(server)),
        untilGone(server, () => approve(server)),
        resumeTime(server, outside).then((ms) => resumed.push(...ms)),
      ]);
    },
    check: async () => {},
    async settle(server) {
      const limit = performance.now() + SETTLE_MS;
      const left = new Set(accepted.keys());
      while (left.size > 0 && performance.now() < limit) {
        await approve(server);
        for (const name of left) {
          const end = await endOf(server, name);
          if (end !== undefined) left.delete(name);
          if (end !== undefined && end !== 'ok') unfinished.add(`run ${name}: ${end}`);
        }
      }
      for (const name of left) unfinished.add(`run ${name} still goes on`);
    },
    lines() {
      const all = [...outside.runs].flatMap(([run, steps]) =>
        [...steps].map(([step, seen]) => ({ place: `${step} of run ${run}`, step, ...seen })),
      );
      const repeated = faultList('finished steps that were repeated');
      for (const place of outside.repeated) repeated.add(place);
      const keys = faultList('steps with more than one idempotency key');
      for (const { place, keys: seen } of all)
        if (seen.size > 1 || seen.has('undefined')) keys.add(`${place}: ${[...seen].join(', ')}`);
      const again = all.filter(({ step, calls: count }) => count > (step === 'moody' ? 2 : 1));
      return [
        fact('durable runs accepted', accepted.size),
        fact('steps in flight at a kill, repeated', again.length),
        unfinished.line(),
        repeated.line(),
        keys.line(),
        refused.line(),
        fact('from ready to the first step of a run that goes on, p50', percentile(resumed, 50), 'ms'),
      ];
    },
    [Symbol.asyncDispose]: () => outside[Symbol.asyncDispose](),
  };
}

/** How long until a run that was begun before does its next step; nothing where none does in this life. */
async function resumeTime({ child }: Server, { runs }: Outside): Promise<number[]> {
  const began = performance.now();
  const before = [...runs.values()];
  const count = () =>
    before.reduce((sum, steps) => sum + [...steps.values()].reduce((n, s) => n + s.calls, 0), 0);
  const known = count();
  while (!child.killed) {
    if (count() > known) return [performance.now() - began];
    await pause(5);
  }
  return [];
}

function durableFlow(outside: string): Flow {
  const step = (name: string, more: Partial<FlowNode> = {}): FlowNode => ({
    operator: 'http.request',
    params: { method: 'POST', url: `${outside}/${name}?run={{ trigger.query.run }}` },
    ...more,
  });
  return {
    format: 1,
    id: 'durable',
    nodes: {
      trigger: {
        operator: 'trigger.http',
        params: { path: '/durable', methods: ['GET'], auth: 'none', answer: 'immediately' },
      },
      first: step('first'),
      left: step('left'),
      right: step('right'),
      both: { operator: 'core.join', params: { inputs: [{ name: 'left' }, { name: 'right' }] } },
      moody: step('moody', { retry: { attempts: 10, backoffMs: 5, factor: 1, jitter: 0 } }),
      pause: { operator: 'logic.wait-until', params: { for: 50 } },
      approval: { operator: 'human.approval', params: { title: 'Run {{ trigger.query.run }}' } },
      last: step('last'),
    },
    edges: [
      { from: 'trigger.out', to: 'first.in' },
      { from: 'first.body', to: 'left.in' },
      { from: 'first.body', to: 'right.in' },
      { from: 'left.body', to: 'both.left' },
      { from: 'right.body', to: 'both.right' },
      { from: 'both.out', to: 'moody.in' },
      { from: 'moody.body', to: 'pause.in' },
      { from: 'pause.out', to: 'approval.in' },
      { from: 'approval.approved', to: 'last.in' },
    ],
    settings: { durable: true, timeoutMs: 86_400_000 },
  };
}

import { testTools } from '../expr/testing/test-tools.ts';
import { expect, test } from 'vitest';
import type { Flow } from '#shared/flow.ts';
import type { RunEvent } from '#shared/run-event.ts';
import { compile, type Plan } from '../plan/compile.ts';
import { RunState } from '../run/run.ts';
import { FakeHost } from '../testing/fake-host.ts';
import { randomFlow } from '../testing/random-flow.ts';
import { Probe, taskRegistry } from '../testing/task-operators.ts';
import { decide, type Decision } from './decide.ts';
import { earlierOutputs } from './earlier.ts';
import type { Given } from '../plan/plan.ts';
import { withGiven } from './substitute.ts';
import { fc } from '../../tests/support/property.ts';

const RUNS = { numRuns: 150 };

interface Ran {
  readonly plan: Plan;
  readonly probe: Probe;
  readonly events: RunEvent[];
  readonly run: RunState;
}

async function runWhole(flow: Flow, change: (plan: Plan) => Plan = (plan) => plan): Promise<Ran> {
  const probe = new Probe();
  const plan = change(compile(flow, 'v1', taskRegistry(probe), testTools).plans.get('n00') as Plan);
  const host = new FakeHost();
  const events: RunEvent[] = [];
  const begin = {
    id: 'r',
    request: {},
    output: 'start',
    vars: {},
    observer: (e: RunEvent) => events.push(e),
  };
  const run = new RunState(plan, begin, host);
  await host.runAll();
  expect(host.pending).toBe(0);
  return { plan, probe, events, run };
}

const outputsIn = (events: readonly RunEvent[]): Map<string, unknown> =>
  new Map(
    events.flatMap((e) => (e.kind === 'node-output' ? [[`${e.node}.${e.port}`, e.value] as const] : [])),
  );

function givenBy(decisions: readonly Decision[], first: Ran): Map<string, Given> {
  const earlier = earlierOutputs(first.events, () => true);
  const given = decisions.flatMap(({ node, does }) => {
    const known = earlier.get(node);
    if (does !== 'reused' || known === undefined || 'lack' in known) return [];
    return [[node, { ...known, reason: 'reused' }] as const];
  });
  return new Map(given);
}

const usable = (first: Ran): Map<string, true | string> =>
  new Map(
    [...earlierOutputs(first.events, () => true)].map(([node, it]) => [node, 'lack' in it ? it.lack : true]),
  );

interface Repeated {
  readonly first: Ran;
  readonly second: Ran;
  readonly decisions: readonly Decision[];
  readonly leftOut: ReadonlySet<string>;
}

/** Runs part of the flow again; `reuses`: with the outputs of the first run. */
async function runAgain(
  flow: Flow,
  first: Ran,
  part: { only?: string; from?: string },
  reuses = true,
): Promise<Repeated> {
  const earlier = reuses ? usable(first) : new Map<string, true>();
  const none = new Set<string>();
  const unchanged = { changed: none, pinned: none, altered: new Map<string, string>(), edited: none };
  const wanted = { ...part, ...unchanged, earlier, reuses };
  const decisions = decide(first.plan, wanted);
  const leftOut = new Set(decisions.filter(({ does }) => does === 'left-out').map(({ node }) => node));
  const second = await runWhole(flow, (plan) => withGiven(plan, givenBy(decisions, first), leftOut));
  return { first, second, decisions, leftOut };
}

/** Runs a random flow that succeeds, then runs one of its executed nodes again. */
async function runOneAgain(flow: Flow, pick: number, reuses: boolean): Promise<Repeated & { only: string }> {
  const first = await runWhole(flow);
  const { fired } = first.probe;
  fc.pre(first.run.outcome?.status === 'ok' && fired.length > 0);
  const only = fired[pick % fired.length] as string;
  return { only, ...(await runAgain(flow, first, { only }, reuses)) };
}

test('a run from any node on gives what the whole run gave, and carries out that node and what hangs on it', async () => {
  await fc.assert(
    fc.asyncProperty(randomFlow, fc.nat(), async (flow, pick) => {
      const first = await runWhole(flow);
      const nodes = first.plan.steps.filter((step) => step.index !== first.plan.triggerStep);
      fc.pre(first.run.outcome?.status === 'ok' && nodes.length > 0);
      const from = nodes[pick % nodes.length]?.id as string;
      const { second, decisions } = await runAgain(flow, first, { from });
      expect(second.run.outcome?.status).toBe('ok');
      const running = new Set(decisions.filter(({ does }) => does === 'run').map(({ node }) => node));
      for (const node of second.probe.fired) expect(running).toContain(node);
      expect(outputsIn(second.events)).toEqual(outputsIn(first.events));
      if (first.probe.fired.includes(from)) expect(second.probe.fired).toContain(from);
    }),
    RUNS,
  );
});

test('one node alone carries out nothing else when its inputs are known', async () => {
  await fc.assert(
    fc.asyncProperty(randomFlow, fc.nat(), async (flow, pick) => {
      const { only, first, second } = await runOneAgain(flow, pick, true);
      expect(second.probe.fired).toEqual([only]);
      const before = outputsIn(first.events);
      for (const [port, value] of outputsIn(second.events))
        expect([port, value]).toEqual([port, before.get(port)]);
    }),
    RUNS,
  );
});

test('without an earlier run, a node runs with all that it needs and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(randomFlow, fc.nat(), async (flow, pick) => {
      const { only, first, second, leftOut } = await runOneAgain(flow, pick, false);
      expect(second.probe.fired).toContain(only);
      const after = outputsIn(second.events);
      for (const [port, value] of outputsIn(first.events))
        if (port.startsWith(`${only}.`)) expect(after.get(port)).toEqual(value);
      for (const node of second.probe.fired) expect(leftOut).not.toContain(node);
    }),
    RUNS,
  );
});

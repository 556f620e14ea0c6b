import { testTools } from '../expr/testing/test-tools.ts';
import { describe, expect, test } from 'vitest';
import type { Flow } from '#shared/flow.ts';
import type { RunEvent } from '#shared/run-event.ts';
import { compile, type Plan } from '../plan/compile.ts';
import { DEAD } from '../plan/plan.ts';
import { FakeHost } from '../testing/fake-host.ts';
import { type Model, modelRun } from '../testing/model.ts';
import { randomFlow } from '../testing/random-flow.ts';
import { Probe, taskRegistry } from '../testing/task-operators.ts';
import { RunState } from './run.ts';
import * as state from './state.ts';
import { fc } from '../../tests/support/property.ts';

const RUNS = { numRuns: 400 };

interface Scene {
  host: FakeHost;
  probe: Probe;
  run: RunState;
  plan: Plan;
  model: Model;
  events: RunEvent[];
}

function begin(flow: Flow, trigger = 'n00'): Scene {
  const probe = new Probe();
  const plan = compile(flow, 'v1', taskRegistry(probe), testTools).plans.get(trigger) as Plan;
  const host = new FakeHost();
  const events: RunEvent[] = [];
  const options = {
    id: 'r',
    request: {},
    output: 'start',
    vars: {},
    observer: (e: RunEvent) => events.push(e),
  };
  const model = modelRun(flow, trigger, 'start');
  return { host, probe, plan, model, events, run: new RunState(plan, options, host) };
}

const stateNames: Record<number, string> = {
  [state.OK]: 'ok',
  [state.SKIPPED]: 'skipped',
  [state.FAILED]: 'failed',
  [state.ROUTED]: 'routed',
  [state.CONTINUED]: 'continued',
};

/** What the run reports about each settled step: state and live outputs (errors by their code). */
function seen({ run, plan }: Scene): Map<string, { state: string; outputs: Record<string, unknown> }> {
  const found = new Map<string, { state: string; outputs: Record<string, unknown> }>();
  for (const step of plan.steps) {
    const name = stateNames[run.open[step.index] as number];
    if (name === undefined) continue;
    const outputs: Record<string, unknown> = {};
    step.ports.forEach((port, i) => {
      const value = run.values[step.out + i];
      if (value !== DEAD) outputs[port] = value;
    });
    const error = step.errorSlot < 0 ? DEAD : run.values[step.errorSlot];
    if (error !== DEAD)
      outputs['error'] = typeof error === 'object' ? (error as { code: string }).code : error;
    found.set(step.id, { state: name, outputs });
  }
  return found;
}

function expected(model: Model, id: string): { state: string; outputs: Record<string, unknown> } {
  const node = model.nodes.get(id);
  if (!node) throw new Error(`${id} is not in the run`);
  // A downstream task sees a routed error as an object; the model only knows its code.
  return { state: node.state, outputs: node.outputs };
}

/** Errors reach tasks as objects, so later digests differ from the model's: such flows are compared by state only. */
function hasErrorEdges(flow: Flow): boolean {
  return flow.edges.some((e) => e.from.endsWith('.error'));
}

function expectInvariants(scene: Scene): void {
  const { probe, events, host, run, model } = scene;
  expect(new Set(probe.fired).size).toBe(probe.fired.length);
  for (const id of probe.fired) expect(model.nodes.has(id)).toBe(true);
  for (const keys of probe.keys.values()) expect(keys.size).toBe(1);
  expect(events.map((e) => e.seq)).toEqual(events.map((_, i) => i + 1));
  expect(events[0]?.kind).toBe('run-started');
  expect(events.at(-1)?.kind).toBe('run-finished');
  expect(host.pending).toBe(0);
  expect(run.answer).toBeDefined();
}

function expectSettledLikeModel(flow: Flow, scene: Scene, until: number): void {
  const found = seen(scene);
  const compareValues = !hasErrorEdges(flow);
  for (const [id, { state: name, outputs }] of found) {
    const want = expected(scene.model, id);
    if (want.state !== 'failed' || name !== 'ok')
      expect({ id, state: name }).toEqual({ id, state: want.state });
    if (compareValues) expect({ id, outputs }).toEqual({ id, outputs: want.outputs });
    else
      expect({ id, ports: Object.keys(outputs).sort() }).toEqual({
        id,
        ports: Object.keys(want.outputs).sort(),
      });
  }
  for (const [id, node] of scene.model.nodes) {
    if (node.end < until) expect({ id, settled: found.has(id) }).toEqual({ id, settled: true });
  }
}

describe('a random flow', () => {
  test('settles every node as the reference model does, at the same time', async () => {
    await fc.assert(
      fc.asyncProperty(randomFlow, async (flow) => {
        const scene = begin(flow);
        await scene.host.runAll();
        const { run, model } = scene;
        expectInvariants(scene);
        if (model.failsAt === Number.POSITIVE_INFINITY) {
          expectSettledLikeModel(flow, scene, Number.POSITIVE_INFINITY);
          expect(run.outcome?.ms).toBe(model.end);
          expectAnswer(flow, scene);
        } else {
          expect(run.outcome?.status).toBe('failed');
          expect(model.failing).toContain(run.outcome?.error?.node);
          expect(run.outcome?.error?.code).toBe(model.nodes.get(run.outcome?.error?.node ?? '')?.code);
          expectSettledLikeModel(flow, scene, model.failsAt);
          const late = (run.outcome?.ms ?? 0) - model.failsAt;
          expect(late === 0 || late === state.ABORT_GRACE_MS || lateStubborn(scene)).toBe(true);
        }
      }),
      RUNS,
    );
  });

  test('gives the same values whatever the concurrency, and never awaits more at once', async () => {
    await fc.assert(
      fc.asyncProperty(randomFlow, fc.integer({ min: 1, max: 3 }), async (flow, concurrency) => {
        const scene = begin({ ...flow, settings: { concurrency } });
        await scene.host.runAll();
        expectInvariants(scene);
        expect(scene.probe.mostRunning).toBeLessThanOrEqual(concurrency);
        if (scene.model.failsAt === Number.POSITIVE_INFINITY) {
          expectSettledLikeModel(flow, scene, Number.POSITIVE_INFINITY);
        } else if (!respondsTwice(flow)) {
          expect(scene.model.nodes.get(scene.run.outcome?.error?.node ?? '')?.state).toBe('failed');
        }
      }),
      RUNS,
    );
  });

  test('ends within the grace time when it is cancelled at any moment, and leaves nothing behind', async () => {
    await fc.assert(
      fc.asyncProperty(randomFlow, fc.nat(120), async (flow, at) => {
        const scene = begin(flow);
        await scene.host.advance(at);
        const before = scene.run.outcome;
        scene.run.cancel('stop');
        await scene.host.advance(state.ABORT_GRACE_MS);
        expect(scene.run.outcome).toBeDefined();
        expectInvariants(scene);
        if (!before && !isStopping(scene, at)) {
          expect(scene.run.outcome?.status).toBe('cancelled');
          expectSettledLikeModel(flow, scene, Math.min(at, scene.model.failsAt));
        }
      }),
      RUNS,
    );
  });

  test('tells a late follower the same as one from the start, in what both can know', async () => {
    await fc.assert(
      fc.asyncProperty(randomFlow, async (flow) => {
        const scene = begin(flow);
        const silent = new RunState(
          scene.plan,
          { id: 'r', request: {}, output: 'start', vars: {} },
          new FakeHost(),
        );
        await scene.host.runAll();
        await (silent.host as FakeHost).runAll();
        const derived = silent.events();
        expect(derived.map((e) => e.seq)).toEqual(derived.map((_, i) => i + 1));
        expect(facts(derived)).toEqual(facts(scene.events));
      }),
      { numRuns: 125 },
    );
  });
});

/** Events without what depends on observation: times, retried attempts, order. */
function facts(events: readonly RunEvent[]): string[] {
  const kept = events.filter((e) => e.kind !== 'node-retrying');
  const lines = kept.map(({ seq: _seq, at: _at, ...event }) => {
    if (event.kind === 'node-finished') return JSON.stringify({ ...event, ms: 0 });
    if (event.kind === 'node-started') return JSON.stringify({ ...event, attempt: 1 });
    if (event.kind === 'run-answered') return `run-answered ${event.status}`;
    return JSON.stringify(event);
  });
  return [...new Set(lines)].sort();
}

function isStopping(scene: Scene, at: number): boolean {
  return scene.model.failsAt <= at;
}

function lateStubborn(scene: Scene): boolean {
  return (
    scene.plan.steps.some((s) => s.timeoutMs > 0) &&
    (scene.run.outcome?.ms ?? 0) - scene.model.failsAt <= state.ABORT_GRACE_MS
  );
}

function respondsTwice(flow: Flow): boolean {
  return Object.values(flow.nodes).filter((n) => n.operator === 'test.respond').length > 1;
}

function expectAnswer(flow: Flow, { run, plan, model }: Scene): void {
  const responds = plan.steps.filter((s) => s.type === 'test.respond' && s.disabled === 'no');
  if (responds.length > 0) {
    const fired = responds.filter((s) => model.nodes.get(s.id)?.state === 'ok');
    expect(run.answer?.kind).toBe(fired.length > 0 ? 'value' : 'empty');
    return;
  }
  const live = [...model.nodes].filter(([id, n]) => {
    const isLeaf = !plan.steps.some((s) =>
      flow.edges.some((e) => e.from.startsWith(`${id}.`) && e.to.startsWith(`${s.id}.`)),
    );
    const { error: _error, ...outputs } = n.outputs;
    return isLeaf && flow.nodes[id]?.operator !== 'test.sink' && Object.keys(outputs).length > 0;
  });
  if (live.length === 0) expect(run.answer?.kind).toBe('empty');
  else if (live.length > 1) expect(run.outcome?.error?.code).toBe('ambiguous_result');
  else expect(run.answer?.kind).toBe('value');
}

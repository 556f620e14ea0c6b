import { testTools } from '../engine/expr/testing/test-tools.ts';
import { fc } from './support/property.ts';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { compile, type Plan, type Registry } from '#engine';
import type { Flow } from '#shared/flow.ts';
import { FakeHost } from '../engine/testing/fake-host.ts';
import { randomFlow } from '../engine/testing/random-flow.ts';
import { randomStreams } from '../engine/testing/random-streams.ts';
import { StreamProbe, streamRegistry } from '../engine/testing/stream-operators.ts';
import { Probe, taskRegistry } from '../engine/testing/task-operators.ts';
import { ServiceError } from '../server/base/errors/errors.ts';
import { createMemoryHistory } from '../server/execution/history/memory-history.ts';
import { recordingOf } from '../server/execution/history/replay/recording.ts';
import { replayRecording } from '../server/execution/history/replay/replay-recording.ts';
import { createRunHub } from '../server/execution/runs/run-hub.ts';

/** Whatever a flow does, what the server kept of its run is enough to play it again. */

const flows = { versionText: () => Promise.reject(new ServiceError('version_not_found')) };

function compiled(flow: Flow, registry: Registry) {
  const all = compile(flow, 'v1', registry, testTools);
  const [trigger, plan] = [...all.plans][0] as [string, Plan];
  return { live: { id: flow.id, version: 'v1', flow, compiled: all }, trigger, plan };
}

interface Case {
  readonly flow: Flow;
  /** New operators for each run: they count what they did. */
  readonly registry: () => Registry;
  /** Recorded because the flow says so, instead of by who starts it. */
  readonly byFlow: boolean;
  readonly cancelAt: number | undefined;
}

async function expectSame({ flow, registry, byFlow, cancelAt }: Case): Promise<void> {
  const host = new FakeHost();
  const log = pino({ level: 'silent' });
  const history = createMemoryHistory();
  const hub = createRunHub({ host, log, history, maxRuns: 10, variables: () => ({}) });
  const own: Flow = byFlow ? { ...flow, settings: { ...flow.settings, record: 'full' } } : flow;
  const { live, trigger } = compiled(own, registry());
  const run = hub.start({
    flow: live,
    trigger,
    request: {},
    output: 'start',
    source: byFlow ? 'http' : 'manual',
    ...(!byFlow && { record: 'full' }),
  });
  if (cancelAt !== undefined) {
    await host.advance(cancelAt);
    hub.cancel(run.id, 'stop');
  }
  await host.runAll();
  const recording = await recordingOf({ runs: hub, flows }, run.id);
  const report = await replayRecording(recording, compiled(own, registry()).plan, setImmediate);
  expect(report).toMatchObject({ same: true, unchecked: 0, divergence: undefined, differences: [] });
  expect(report.replayed).toEqual(recording.outputs);
  await hub.drain(0);
}

const when = fc.option(fc.nat(120), { nil: undefined, freq: 3 });

test('any run with failures, retries, limits and routes, cancelled or not, plays to the same outputs', async () => {
  const keeps = fc.asyncProperty(randomFlow, fc.boolean(), when, (flow, byFlow, cancelAt) =>
    expectSame({ flow, byFlow, cancelAt, registry: () => taskRegistry(new Probe()) }),
  );
  await fc.assert(keeps, { numRuns: 60 });
});

test('any run of streams that fail, wait, join and are left early plays to the same outputs', async () => {
  const keeps = fc.asyncProperty(randomStreams, fc.boolean(), when, ({ flow }, byFlow, cancelAt) =>
    expectSame({ flow, byFlow, cancelAt, registry: () => streamRegistry(new StreamProbe()) }),
  );
  await fc.assert(keeps, { numRuns: 40 });
});

import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fc } from '../../../../tests/support/property.ts';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { defineOperator, optionalInput, output, WeftError } from '#engine';
import { RunTimeline, type TimelineSpan } from '#shared/run-timeline.ts';
import type { Flow } from '#shared/flow.ts';
import { createOutbound } from '../../../base/outbound/outbound.ts';
import { startSite } from '../../../base/outbound/testing/victim.ts';
import {
  callNode,
  createFlowBed,
  endOf,
  type FlowBed,
  type FlowBedOptions,
  rowFlow,
} from '../../runs/testing/flow-bed.ts';
import { covered, timelineOf } from './timeline.ts';
import { eventually } from '../../../../tests/support/eventually.ts';

const pause = (ms: number) => ({ operator: 'logic.delay', params: { ms } });

/** Turns of the event loop that suffice for all work between two timers. */
const TURNS = 50;

/** A bed whose time passes only for timers: a pause takes exactly its milliseconds, and work takes none. */
async function stillBed(
  flow: Flow,
  options: FlowBedOptions = {},
  others: readonly Flow[] = [],
): Promise<FlowBed> {
  let now = 1_000_000;
  let isOver = false;
  const timers = new Set<{ readonly at: number; readonly fn: () => void }>();
  const timer: FlowBedOptions['timer'] = (ms, fn) => {
    const made = { at: now + ms, fn };
    timers.add(made);
    return () => timers.delete(made);
  };
  onTestFinished(() => void (isOver = true));
  void (async () => {
    while (!isOver) {
      for (let turn = 0; turn < TURNS; turn++) await nextTurn();
      const [next] = [...timers].sort((one, other) => one.at - other.at);
      if (next === undefined) continue;
      timers.delete(next);
      now = next.at;
      next.fn();
    }
  })();
  return createFlowBed([flow, ...others], { ...options, now: () => now, timer });
}

/** Runs a flow completely recorded, and returns where its time went. */
async function timelineFrom(bed: FlowBed, id: string, input: unknown = null): Promise<RunTimeline> {
  const flow = bed.live(id);
  const [trigger = ''] = flow.compiled.plans.keys();
  const run = bed.hub.start({ flow, trigger, request: {}, output: input, source: 'manual', record: 'full' });
  await endOf(run).catch(() => undefined);
  const flowAt = async (name: string): Promise<Flow> => bed.live(name).flow;
  const timeline = await timelineOf(run.id, { runs: bed.hub, flowAt, now: Date.now });
  return RunTimeline.parse(JSON.parse(JSON.stringify(timeline)));
}

const named = (spans: readonly TimelineSpan[]) =>
  Object.fromEntries(spans.map((span) => [span.node ?? span.flow, span]));

function assertSound({ spans }: RunTimeline): void {
  const byId = new Map(spans.map((span) => [span.id, span]));
  spans.forEach((span, i) => {
    const parent = span.parent === undefined ? undefined : byId.get(span.parent);
    expect(span.depth).toBe(parent === undefined ? 0 : parent.depth + 1);
    if (parent) expect(spans.indexOf(parent)).toBeLessThan(i);
    if (parent) expect(span.start).toBeGreaterThanOrEqual(parent.start);
    if (span.critical && parent) expect(parent.critical).toBe(true);
    expect(span.selfMs).toBeGreaterThanOrEqual(0);
    expect(span.selfMs).toBeLessThanOrEqual(span.ms);
  });
}

test('rounds of a container are below it, with the nodes of those that are kept, one behind the other', async () => {
  const flow: Flow = {
    format: 2,
    id: 'rounds',
    nodes: {
      trigger: { operator: 'trigger.manual' },
      loop: {
        operator: 'data.for-each',
        params: { concurrency: 1 },
        body: {
          start: 'item',
          nodes: { wait: { ...pause(20), name: 'Wait' }, after: pause(5) },
          edges: [
            { from: 'item.out', to: 'wait.in' },
            { from: 'wait.out', to: 'after.in' },
          ],
        },
      },
    },
    edges: [{ from: 'trigger.out', to: 'loop.in' }],
    settings: { record: 'full' },
  };
  const timeline = await timelineFrom(await stillBed(flow), 'rounds', ['a', 'b', 'c']);
  assertSound(timeline);
  const rounds = timeline.spans.filter(({ kind }) => kind === 'round');
  expect(rounds.map(({ round, key, start, ms }) => ({ round, key, start, ms }))).toEqual([
    { round: 'loop#0', key: 'a', start: 0, ms: 25 },
    { round: 'loop#1', key: 'b', start: 25, ms: 25 },
    { round: 'loop#2', key: 'c', start: 50, ms: 25 },
  ]);
  const within = timeline.spans.filter(({ round, kind }) => round === 'loop#1' && kind === 'node');
  expect(within).toMatchObject([
    { node: 'wait', name: 'Wait', start: 25, ms: 20, depth: 2 },
    { node: 'after', start: 45, ms: 5 },
  ]);
  expect(named(timeline.spans)['loop']).toMatchObject({ ms: 75, selfMs: 0 });
});

test('the slow branch is the critical one, and a node shows how long it waited for a free slot', async () => {
  const flow: Flow = {
    format: 1,
    id: 'branches',
    nodes: {
      trigger: { operator: 'trigger.manual' },
      slow: { ...pause(60), name: 'Slow' },
      tail: pause(5),
      after: { operator: 'core.map', params: { value: 1 } },
    },
    edges: [
      { from: 'trigger.out', to: 'slow.in' },
      { from: 'trigger.out', to: 'tail.in' },
      { from: 'slow.out', to: 'after.in' },
    ],
    settings: { concurrency: 1 },
  };
  const timeline = await timelineFrom(await stillBed(flow), 'branches');
  assertSound(timeline);
  const { slow, tail, trigger } = named(timeline.spans);
  expect(timeline).toMatchObject({ timed: true, graph: true, cut: false });
  expect(timeline.spans.filter(({ critical }) => critical).map(({ node }) => node)).toEqual([
    'trigger',
    'slow',
    'after',
  ]);
  expect(timeline.criticalMs).toBe(60);
  expect(trigger).toMatchObject({ status: 'ok', depth: 0 });
  expect(slow).toMatchObject({ name: 'Slow', operator: 'logic.delay', critical: true });
  // One step at a time: the quick one waits for the slow one.
  expect(tail?.waits).toMatchObject([{ kind: 'turn', ms: 60 }]);
});

test('runs of called flows are parts of the node that called them', async () => {
  const inner = rowFlow('inner', { work: pause(20) });
  const middle = rowFlow('middle', { deeper: callNode('inner') });
  const outer = rowFlow('outer', { call: callNode('middle'), after: pause(5) });
  const timeline = await timelineFrom(await stillBed(outer, {}, [inner, middle]), 'outer');
  assertSound(timeline);
  const { call, middle: part, deeper } = named(timeline.spans);
  expect(part).toMatchObject({ kind: 'run', depth: 1, parent: call?.id, critical: true });
  // Only a recorded run knows its nodes; other runs have only themselves.
  expect(deeper === undefined || deeper.parent === part?.id).toBe(true);
  expect(call?.selfMs).toBe((call?.ms ?? 0) - (part?.ms ?? 0));
  expect(call?.ms).toBe(20);
});

test('runs that a body called are parts of the node around it, beside its one round', async () => {
  const inner = rowFlow('inner', { work: pause(20) });
  const group = {
    operator: 'core.group',
    body: {
      start: 'inside',
      nodes: { call: callNode('inner'), done: { operator: 'core.map', params: { value: 1 } } },
      edges: [
        { from: 'inside.out', to: 'call.in' },
        { from: 'call.out', to: 'done.in' },
      ],
    },
  };
  const flow: Flow = { ...rowFlow('around', { group }), format: 2 };
  const timeline = await timelineFrom(await stillBed(flow, {}, [inner]), 'around');
  assertSound(timeline);
  const { group: span, inner: part } = named(timeline.spans);
  expect(part).toMatchObject({ parent: span?.id, ms: 20 });
  expect(timeline.spans.map(({ node, round, flow: id }) => node ?? round ?? id)).toEqual([
    'trigger',
    'group',
    'group#0',
    'call',
    'done',
    'inner',
    'trigger',
    'work',
  ]);
});

test('time between attempts is waiting, and a failure has its code', async () => {
  const flaky = defineOperator({
    title: 'Flaky',
    doc: 'Never works.',
    icon: 'x',
    params: z.object({}),
    inputs: { in: optionalInput() },
    outputs: { out: output() },
    effects: 'read',
    examples: [],
    async run(call) {
      await call.sleep(5);
      throw new WeftError('outbound_failed', 'It is not there.', { transient: true });
    },
  });
  const retry = { attempts: 3, backoffMs: 30, factor: 1, jitter: 0 };
  const flow = rowFlow('f', { work: { operator: 'test.flaky', retry } });
  const timeline = await timelineFrom(await stillBed(flow, { operators: { 'test.flaky': flaky } }), 'f');
  assertSound(timeline);
  const { work } = named(timeline.spans);
  expect(work).toMatchObject({ status: 'failed', error: 'outbound_failed', attempts: 3 });
  expect(work?.waits.map(({ kind }) => kind)).toEqual(['retry', 'retry']);
  expect([work?.ms, work?.selfMs]).toEqual([75, 15]);
});

test('waiting for a connection in use by others is shown', async () => {
  const held: ServerResponse[] = [];
  const site = await startSite((_request, response) => void held.push(response));
  const http = createOutbound({ allow: ['127.0.0.0/8'], limits: { '*': { calls: 1 } } });
  onTestFinished(() => http.close());
  const ask = { operator: 'http.request', params: { url: site.url } };
  const flow: Flow = { ...rowFlow('f', { one: ask, two: ask }), edges: [] };
  flow.edges.push({ from: 'trigger.out', to: 'one.in' }, { from: 'trigger.out', to: 'two.in' });
  const bed = await createFlowBed([flow], { services: () => ({ http }) });
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const ended = timelineFrom(bed, 'f');
  await eventually(() => expect(http.counts()).toMatchObject([{ calls: 1, queued: 1 }]));
  await eventually(() => expect(held).toHaveLength(1));
  vi.setSystemTime(Date.now() + 30);
  held.pop()?.end('first');
  await eventually(() => expect(held).toHaveLength(1));
  held.pop()?.end('second');
  const timeline = await ended;
  expect(timeline.spans.map(({ status }) => status)).not.toContain('failed');
  assertSound(timeline);
  // On a busy machine a node waits for its turn too.
  const waits = timeline.spans.flatMap((span) => span.waits).filter(({ kind }) => kind === 'queue');
  expect(waits).toMatchObject([{ for: `a connection to ${site.url}` }]);
  expect(waits[0]?.ms).toBeGreaterThanOrEqual(30);
});

test('a span that has not ended lasts until now', async () => {
  const bed = await createFlowBed([rowFlow('f', { work: pause(10_000) })]);
  const flow = bed.live('f');
  const run = bed.hub.start({
    flow,
    trigger: 'trigger',
    request: {},
    output: 1,
    source: 'manual',
    record: 'full',
  });
  const timeline = await timelineOf(run.id, {
    runs: bed.hub,
    flowAt: async () => flow.flow,
    now: () => run.startedAt + 500,
  });
  expect(timeline?.ms).toBe(500);
  expect(named(timeline?.spans ?? [])['work']).toMatchObject({ status: 'running' });
  run.cancel('stop');
});

test('a missing record, or a missing version of the flow, is reported', async () => {
  const bed = await createFlowBed([rowFlow('f', { work: pause(5) }, { record: 'summary' })]);
  const run = bed.start('f', null);
  await endOf(run);
  const timeline = await timelineOf(run.id, { runs: bed.hub, flowAt: async () => undefined, now: Date.now });
  expect(timeline).toMatchObject({ timed: false, graph: false, criticalMs: 0, spans: [] });
});

test('time is covered once, whatever overlaps', () => {
  const interval = fc.tuple(fc.nat(30), fc.nat(10)).map(([start, ms]) => ({ start, end: start + ms }));
  fc.assert(
    fc.property(interval, fc.array(interval, { maxLength: 8 }), (whole, others) => {
      let counted = 0;
      for (let at = whole.start; at < whole.end; at++)
        if (others.some(({ start, end }) => start <= at && at < end)) counted++;
      expect(covered(whole, others)).toBe(counted);
    }),
    { numRuns: 200 },
  );
});

test('an unknown run has no timeline', async () => {
  const bed = await createFlowBed([]);
  const parts = { runs: bed.hub, flowAt: async () => undefined, now: Date.now };
  expect(await timelineOf('nope', parts)).toBeUndefined();
});

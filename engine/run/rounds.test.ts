import { describe, expect, test } from 'vitest';
import type { FlowBody, FlowEdge, FlowNode } from '#shared/flow.ts';
import type { RunEvent } from '#shared/run-event.ts';
import { bodyOf, flowOf, play } from '../testing/play.ts';

const start = 'trigger.manual';
const map = (value: unknown): FlowNode => ({ operator: 'core.map', params: { value } });

/** A body from its nodes and `from > to` edges. */
function body(nodes: Record<string, FlowNode>, edges: readonly string[], name = 'item'): FlowBody {
  const flow = flowOf(nodes, edges);
  return { start: name, nodes: flow.nodes, edges: flow.edges as FlowEdge[] };
}

const stop: FlowNode = { operator: 'logic.stop', params: { message: 'No.' } };
const outputs = (events: readonly RunEvent[], node: string) =>
  events.flatMap((e) => (e.kind === 'node-output' && e.node === node ? [[e.round, e.value]] : []));

describe('the events of bodies', () => {
  test('have the log of nodes in them, also if nobody followed the run', () => {
    const log = { operator: 'core.log', params: { message: 'Line {{ input }}' } };
    const inner = { operator: 'core.group', body: body({ log }, ['inside > log'], 'inside') };
    const loop = { operator: 'data.for-each', body: body({ inner }, ['item > inner']) };
    const flow = flowOf({ t: start, loop }, ['t > loop']);
    for (const observer of [undefined, () => {}]) {
      const { run } = play(flow, [1, 2], { observer } as never);
      expect(run.events().filter((e) => e.kind === 'log')).toMatchObject([
        { node: 'log', text: 'Line 1', round: 'loop#0/inner#0' },
        { node: 'log', text: 'Line 2', round: 'loop#1/inner#0' },
      ]);
    }
  });

  test.each(['route', 'continue'] as const)(
    'are there once if the node fails with onError: %s',
    (onError) => {
      const group = { operator: 'core.group', onError, body: body({ stop }, ['item > stop']) };
      const { run, events } = play(flowOf({ t: start, group }, ['t > group']));
      for (const all of [events, run.events()]) {
        expect(all.filter((e) => e.kind === 'node-rounds')).toMatchObject([
          { node: 'group', count: 1, failed: 1 },
        ]);
        expect(all.filter((e) => e.kind === 'node-failed' && e.node === 'stop')).toHaveLength(1);
      }
    },
  );

  test('tell at once that a node in a body waits or tries again, and at the end that one was skipped', async () => {
    const retry = { attempts: 2, backoffMs: 5, factor: 1, jitter: 0 };
    const choose = { operator: 'logic.if', params: { condition: '{{ input > 1 }}' } };
    const pause = { operator: 'logic.wait-until', params: { at: '1970-01-01T00:00:05Z' } };
    const late = {
      operator: 'logic.delay',
      params: { ms: 50 },
      timeoutMs: 10,
      retry,
      onError: 'continue' as const,
    };
    const nodes = { choose, big: map(1), late, pause };
    const loop = {
      operator: 'data.for-each',
      body: body(nodes, ['item > choose', 'choose.then > big', 'item > late', 'item > pause'], 'item'),
    };
    const flow = flowOf({ t: start, loop }, ['t > loop']);
    const { events, host } = play(flow, [1], { timed: true });
    await host.flush();
    expect(events.filter((e) => e.kind === 'node-waiting')).toMatchObject([
      { node: 'pause', round: 'loop#0' },
    ]);
    await host.runAll();
    expect(events.filter((e) => e.kind === 'node-retrying')).toMatchObject([
      { node: 'late', round: 'loop#0', attempt: 1 },
    ]);
    expect(events.filter((e) => e.kind === 'node-skipped')).toMatchObject([
      { node: 'big', round: 'loop#0', reason: 'missing-input' },
    ]);
  });

  test('have a row for each of the first rounds, and of thousands for the first failed ones too', () => {
    const check = map('{{ input.n < 1500 || input.lost }}');
    const loop = {
      operator: 'data.for-each',
      params: { onItemError: 'skip' },
      body: body({ check }, ['item > check']),
    };
    const items = Array.from({ length: 2000 }, (_, n) => ({ id: `i${n}`, n }));
    const { events } = play(flowOf({ t: start, loop }, ['t > loop']), items);
    const told = events.find((e) => e.kind === 'node-rounds');
    expect(told).toMatchObject({ count: 2000, failed: 500 });
    expect(told?.rows?.slice(0, 1000).every(({ status }) => status === 'ok')).toBe(true);
    expect(told?.rows?.filter(({ status }) => status === 'failed')).toHaveLength(200);
    expect(told?.rows?.find(({ status }) => status === 'failed')).toMatchObject({
      place: 'loop#1500',
      key: 'i1500',
    });
    expect(told?.rows?.length).toBeLessThanOrEqual(1220);
  });

  test('say for which item and at which attempt the body ran', async () => {
    const each = { operator: 'core.group', each: {}, body: body({ n: map('{{ input }}') }, ['item > n']) };
    const items = play(flowOf({ t: start, each }, ['t > each']), ['a', 'b']);
    expect(outputs(items.events, 'n')).toEqual([
      ['each#0', 'a'],
      ['each#1', 'b'],
    ]);
    const retry = { attempts: 2, backoffMs: 1, factor: 1, jitter: 0 };
    const nodes = { n: map('{{ input }}'), wait: { operator: 'logic.delay', params: { ms: 50 } } };
    const group = {
      operator: 'core.group',
      timeoutMs: 5,
      retry,
      body: body(nodes, ['item > n', 'n > wait']),
    };
    const again = play(flowOf({ t: start, group }, ['t > group']), 1);
    await again.host.runAll();
    expect(outputs(again.events, 'n')).toEqual([
      ['group#0', 1],
      ['group@2#0', 1],
    ]);
    const loop = {
      operator: 'data.for-each',
      each: {},
      body: body({ n: map('{{ input }}') }, ['item > n']),
    };
    const loops = play(flowOf({ t: start, loop }, ['t > loop']), [['a', 'b'], ['c']]);
    expect(outputs(loops.events, 'n')).toEqual([
      ['loop#0#0', 'a'],
      ['loop#0#1', 'b'],
      ['loop#1#0', 'c'],
    ]);
  });

  test('over a stream are there when it has ended', async () => {
    const call = { operator: 'flow.call', body: body({ n: map('{{ input * 2 }}') }, ['item > n']) };
    const nodes = {
      t: start,
      items: { operator: 'core.streamify' },
      call,
      list: { operator: 'core.unstreamify' },
    };
    const played = play(flowOf(nodes, ['t > items', 'items > call', 'call > list']), [1, 2, 3]);
    await played.host.runAll();
    expect(bodyOf(played)).toEqual([2, 4, 6]);
    for (const all of [played.events, played.run.events()]) {
      expect(all.filter((e) => e.kind === 'node-rounds')).toMatchObject([
        { node: 'call', count: 3, failed: 0 },
      ]);
      expect(outputs(all, 'n').map(([, value]) => value)).toEqual([2, 4, 6]);
    }
  });

  test('are few also for bodies in bodies', () => {
    let nodes: Record<string, FlowNode> = { n: map('{{ input }}') };
    let first = 'n';
    for (const depth of [4, 3, 2, 1]) {
      const loop = {
        operator: 'data.for-each',
        params: { items: '{{ [1, 2, 3, 4, 5, 6, 7, 8] }}' },
        body: body(nodes, [`i${depth} > ${first}`], `i${depth}`),
      };
      first = `l${depth}`;
      nodes = { [first]: loop };
    }
    const { events, run } = play(flowOf({ t: start, ...nodes }, ['t > l1']));
    expect(run.outcome?.status).toBe('ok');
    expect(events.length).toBeLessThan(5000);
  });
});

describe('a body', () => {
  test('ends with its last node, also if its result was there before', async () => {
    const nodes = {
      items: { operator: 'core.streamify' },
      wait: { operator: 'logic.delay', params: { ms: 50 } },
      stop,
    };
    const group = {
      operator: 'core.group',
      body: body(nodes, ['item > items', 'item > wait', 'wait > stop']),
    };
    const played = play(flowOf({ t: start, group }, ['t > group']), [1, 2]);
    await played.host.runAll();
    expect(played.run.outcome).toMatchObject({ status: 'failed', error: { code: 'stopped', node: 'group' } });
  });

  test('whose stream is too long says what to do', async () => {
    const nodes = { items: { operator: 'core.streamify' } };
    const group = { operator: 'core.group', body: body(nodes, ['item > items']) };
    const list = Array.from({ length: 10_001 }, () => 0);
    const played = play(flowOf({ t: start, group }, ['t > group']), list);
    await played.host.runAll();
    expect(played.run.outcome?.error).toMatchObject({
      code: 'too_many_items',
      message: expect.stringMatching(/collect it there/),
    });
  });

  test('that is left before its stream has ended is stopped', async () => {
    const nodes = {
      items: { operator: 'core.streamify' },
      wait: { operator: 'logic.delay', params: { ms: 500 } },
      stop,
    };
    const edges = ['item > items', 'item > wait', 'wait > stop'];
    const group = { operator: 'core.group', body: body(nodes, edges) };
    const list = Array.from({ length: 10_001 }, () => 0);
    const played = play(flowOf({ t: start, group }, ['t > group']), list);
    await played.host.runAll();
    expect(played.run.outcome).toMatchObject({ status: 'failed', ms: 0 });
    expect(played.host.now()).toBe(played.run.startedAt);
  });
});

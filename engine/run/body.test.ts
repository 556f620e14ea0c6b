import { describe, expect, test } from 'vitest';
import type { FlowBody, FlowEdge, FlowNode } from '#shared/flow.ts';
import { makeRegistry } from '../catalog/registry.ts';
import { exampleServices } from '../testing/services.ts';
import { FakeHost } from '../testing/fake-host.ts';
import { bodyOf, builtIns, flowOf, play } from '../testing/play.ts';

const start = 'trigger.manual';

/** A body from its nodes and `from > to` edges; its start is called `item`. */
function body(nodes: Record<string, FlowNode | string>, edges: readonly string[]): FlowBody {
  const flow = flowOf(nodes, edges);
  return { start: 'item', nodes: flow.nodes, edges: flow.edges as FlowEdge[] };
}

const map = (value: unknown): FlowNode => ({ operator: 'core.map', params: { value } });

describe('a body', () => {
  test('runs once for each item, and reads nodes before the loop, the request and the item', () => {
    const loop = {
      operator: 'data.for-each',
      body: body({ double: map('{{ input * 2 }}'), add: map('{{ input + nodes.base + nodes.item }}') }, [
        'item > double',
        'double > add',
      ]),
    };
    const flow = flowOf({ t: start, base: map(100), list: map('{{ trigger.list }}'), loop }, [
      't > base',
      'base > list',
      'list > loop',
    ]);
    const played = play(flow, null, { request: { list: [1, 2, 3] } as never });
    expect(bodyOf(played)).toEqual([103, 106, 109]);
    expect(played.run.outcome?.status).toBe('ok');
  });

  test('branches in itself, and a branch that is not taken leaves null', () => {
    const choose = { operator: 'logic.if', params: { condition: '{{ input > 1 }}' } };
    const loop = {
      operator: 'data.for-each',
      body: body({ choose, big: map('{{ input * 10 }}') }, ['item > choose', 'choose.then > big']),
    };
    expect(bodyOf(play(flowOf({ t: start, loop }, ['t > loop']), [1, 2]))).toEqual([null, 20]);
  });

  test('is repeated until the condition holds', async () => {
    const loop = {
      operator: 'data.repeat-until',
      params: { until: '{{ item > 100 }}' },
      body: body({ double: map('{{ input * 2 }}') }, ['item > double']),
    };
    const played = play(flowOf({ t: start, loop }, ['t > loop']), 7);
    await played.host.runAll();
    expect(bodyOf(played)).toBe(112);
  });

  test('of a group may hold another one, which reads all around it', () => {
    const inner = {
      operator: 'core.group',
      body: {
        ...body({ sum: map('{{ nodes.far + nodes.near + nodes.inside }}') }, ['inside > sum']),
        start: 'inside',
      },
    };
    const outer = {
      operator: 'core.group',
      params: { input: 1 },
      body: body({ near: map('{{ input * 10 }}'), inner }, ['item > near', 'near > inner']),
    };
    const flow = flowOf({ t: start, far: map(100), outer }, ['t > far', 'far > outer']);
    expect(bodyOf(play(flow))).toBe(120);
  });

  test('sees the run that it is part of, its clock and its zone', () => {
    const seen = { id: '{{ run.id }}', trigger: '{{ run.trigger }}', same: '{{ now() == nodes.at }}' };
    const hour = "{{ formatDate('2026-07-01T12:00:00Z', 'HH:mm') }}";
    const group = { operator: 'core.group', body: body({ who: map({ ...seen, hour }) }, ['item > who']) };
    const flow = flowOf({ t: start, at: map('{{ now() }}'), group }, ['t > at', 'at > group'], {
      timezone: 'Europe/Oslo',
    });
    expect(bodyOf(play(flow))).toEqual({ id: 'run', trigger: 't', same: true, hour: '14:00' });
  });

  test('fails its node, which names the node in it by its title, and the round', () => {
    const loop = {
      operator: 'data.for-each',
      body: body({ n: map('{{ input.x.y }}') }, ['item > n']),
    };
    const { run } = play(flowOf({ t: start, loop }, ['t > loop']), [{ x: { y: 1 } }, {}]);
    expect(run.outcome?.error).toMatchObject({
      code: 'missing_field',
      node: 'loop',
      message: expect.stringContaining('Item 2: Map: '),
      data: { node: 'n', round: 1, index: 1 },
    });
  });

  test('in another one fails with the path of titles to what failed', async () => {
    const slow = { operator: 'logic.delay', name: 'Wait\nfor stock', params: { ms: 1000 }, timeoutMs: 1 };
    const each = { operator: 'data.for-each', name: 'Each line', body: body({ slow }, ['item > slow']) };
    const group = {
      operator: 'core.group',
      body: { ...body({ each }, ['all > each']), start: 'all' },
    };
    const { run, host } = play(flowOf({ t: start, group }, ['t > group']), [1]);
    await host.runAll();
    expect(run.outcome?.error).toMatchObject({
      node: 'group',
      message: expect.stringMatching(
        /^Each line: Item 1: Wait for stock: The node “Wait for stock” took longer/,
      ),
      data: { node: 'each', data: { node: 'slow', index: 0 } },
    });
  });

  test('is tried again as a whole, and routes its error', async () => {
    const group = {
      operator: 'core.group',
      onError: 'route' as const,
      body: body({ stop: { operator: 'logic.stop', params: { message: 'No.' } } }, ['item > stop']),
    };
    const flow = flowOf({ t: start, group, after: map('{{ input.code }}') }, [
      't > group',
      'group.error > after',
    ]);
    expect(bodyOf(play(flow))).toBe('stopped');
  });

  test('ends with its node’s time limit and with the run', async () => {
    const group = {
      operator: 'core.group',
      timeoutMs: 50,
      body: body({ wait: { operator: 'logic.delay', params: { ms: 1000 } } }, ['item > wait']),
    };
    const played = play(flowOf({ t: start, group }, ['t > group']));
    await played.host.runAll();
    expect(played.run.outcome?.error).toMatchObject({ code: 'node_timeout', node: 'group' });
    expect(played.host.pending).toBe(0);
    const { timeoutMs: _limit, ...endless } = group;
    const other = play(flowOf({ t: start, group: endless }, ['t > group']));
    other.run.cancel('stop');
    await other.host.runAll();
    expect(other.run.outcome?.status).toBe('cancelled');
    expect(other.host.pending).toBe(0);
  });

  test('waits and goes on, several rounds at once', async () => {
    const loop = {
      operator: 'data.for-each',
      params: { concurrency: 3 },
      body: body({ wait: { operator: 'logic.delay', params: { ms: 10 } } }, ['item > wait']),
    };
    const played = play(flowOf({ t: start, loop }, ['t > loop']), [1, 2, 3, 4, 5, 6]);
    await played.host.runAll();
    expect(bodyOf(played)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(played.run.outcome?.ms).toBe(20);
  });

  test('may run for each item of a list by `each`', () => {
    const group = {
      operator: 'core.group',
      each: {},
      body: body({ twice: map('{{ input * 2 }}') }, ['item > twice']),
    };
    expect(bodyOf(play(flowOf({ t: start, group }, ['t > group']), [1, 2]))).toEqual([2, 4]);
  });

  test('reports its first, failed and slowest rounds with their nodes, and counts all', () => {
    const loop = {
      operator: 'data.for-each',
      params: { onItemError: 'skip' },
      body: body({ n: map('{{ 10 / input.by }}') }, ['item > n']),
    };
    const list = Array.from({ length: 100 }, (_, i) => (i === 70 ? {} : { by: i + 1 }));
    const { events } = play(flowOf({ t: start, loop }, ['t > loop']), list);
    expect(events.find((e) => e.kind === 'node-rounds')).toMatchObject({
      node: 'loop',
      count: 100,
      failed: 1,
    });
    const rounds = new Set(events.flatMap(({ round }) => (round === undefined ? [] : [round])));
    expect(rounds.size).toBeLessThanOrEqual(45);
    expect(rounds).toContain('loop#70');
    expect(events).toContainEqual(
      expect.objectContaining({ kind: 'node-output', node: 'n', round: 'loop#1', value: 5 }),
    );
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
  });

  test('gives what a flow called for each item gives', async () => {
    const services = exampleServices();
    const host = Object.assign(new FakeHost(), { services });
    const called = flowOf({ t: start, loop: { operator: 'data.for-each', params: { flow: 'double' } } }, [
      't > loop',
    ]);
    const inline = flowOf(
      {
        t: start,
        loop: { operator: 'data.for-each', body: body({ d: map('{{ input * 2 }}') }, ['item > d']) },
      },
      ['t > loop'],
    );
    const registry = makeRegistry(builtIns.operators);
    const one = play(called, [1, 2, 3], { host, registry });
    await host.runAll();
    expect(bodyOf(play(inline, [1, 2, 3]))).toEqual(bodyOf(one));
  });
});

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { FlowBody } from '#shared/flow.ts';
import { WeftError } from '../base/errors.ts';
import { defineOperator, input, type Operator, output } from '../base/operator.ts';
import { makeRegistry } from '../catalog/registry.ts';
import type { RunCtx } from '../base/host.ts';
import type { Asker } from '../base/services.ts';
import { FakeHost } from '../testing/fake-host.ts';
import { exampleServices } from '../testing/services.ts';
import { bodyOf, builtIns, flowOf, play } from '../testing/play.ts';

const start = 'trigger.manual';

function withOperators(more: Record<string, Operator>): ReturnType<typeof makeRegistry> {
  return makeRegistry(new Map([...builtIns.operators, ...Object.entries(more)]));
}

function custom(run: Operator['run'], more: Partial<Operator> = {}): Operator {
  const operator = defineOperator({
    title: 'Custom',
    doc: 'For one test.',
    icon: 'circle',
    params: z.object({}),
    inputs: { in: input() },
    outputs: { out: output() },
    effects: 'read',
    examples: [],
    run: run as never,
  });
  return { ...operator, ...more };
}

describe('a flow of pure nodes', () => {
  test('is at its end when start returns', () => {
    const flow = flowOf(
      { t: start, hello: { operator: 'text.template', params: { template: 'Hello, {{ input.name }}' } } },
      ['t > hello'],
    );
    const played = play(flow, { name: 'Ada' });
    expect(bodyOf(played)).toBe('Hello, Ada');
    expect(played.run.outcome).toEqual({
      status: 'ok',
      error: undefined,
      ms: 0,
      nodes: { ok: 2, failed: 0, skipped: 0 },
    });
  });

  test('of the trigger alone answers with what it started with', () => {
    expect(bodyOf(play(flowOf({ t: start }, []), { a: 1 }))).toEqual({ a: 1 });
  });

  test('of 10,000 nodes in a chain runs without overflowing a stack', () => {
    expect(bodyOf(play(chain(9_999), 'x'))).toBe('x');
  });

  test('lets other work go on after 10 ms of its own', async () => {
    const played = play(chain(1_000), 'x', { host: slowHost(6) });
    expect(played.run.outcome).toBeUndefined();
    await played.host.runAll();
    expect(bodyOf(played)).toBe('x');
  });

  test('is stopped by its time limit although it never waits', async () => {
    const played = play(chain(1_000, { timeoutMs: 40 }), 'x', { host: slowHost(15) });
    await played.host.runAll();
    expect(played.run.outcome).toMatchObject({ status: 'failed', error: { code: 'run_timeout' } });
  });
});

/** A host on which every look at the clock takes time, as if the previous nodes had. */
function slowHost(tick: number): FakeHost {
  const host = new FakeHost();
  host.tick = tick;
  return host;
}

function chain(length: number, settings = {}) {
  const nodes: Record<string, string> = { t: start };
  const edges: string[] = [];
  for (let i = 0; i < length; i++) {
    nodes[`n${i}`] = 'core.map';
    edges.push(`${i === 0 ? 't' : `n${i - 1}`} > n${i}`);
  }
  return flowOf(nodes, edges, settings);
}

describe('the result', () => {
  test('of two live leaves is an error that names both', () => {
    const { run } = play(flowOf({ t: start, a: 'core.map', b: 'core.map' }, ['t > a', 't > b']), 1);
    expect(run.outcome?.status).toBe('failed');
    expect(run.answer).toMatchObject({ kind: 'error', error: { code: 'ambiguous_result' } });
    expect(run.outcome?.error?.message).toMatch(/“Map” \(`a`\) and “Map” \(`b`\)/);
  });

  test('does not count sinks', () => {
    const flow = flowOf({ t: start, a: 'core.map', l: 'core.log' }, ['t > a', 't > l']);
    expect(bodyOf(play(flow, 7))).toBe(7);
  });

  test('is empty when every leaf was skipped', () => {
    const flow = flowOf(
      { t: start, c: { operator: 'logic.if', params: { condition: '{{ input > 5 }}' } }, big: 'core.map' },
      ['t > c', 'c.then > big'],
    );
    expect(play(flow, 1).run.answer).toEqual({ kind: 'empty' });
    expect(bodyOf(play(flow, 9))).toBe(9);
  });

  test('of a respond node is given at once, and the rest goes on', async () => {
    const flow = flowOf(
      {
        t: start,
        r: { operator: 'core.respond', params: { status: 201, body: '{{ input }}' } },
        wait: { operator: 'logic.delay', params: { ms: 500 } },
      },
      ['t > r', 't > wait'],
    );
    const { run, host } = play(flow, 'x');
    expect(run.answer).toMatchObject({ kind: 'value', status: 201, body: 'x' });
    expect(run.outcome).toBeUndefined();
    await host.runAll();
    expect(run.outcome).toMatchObject({ status: 'ok', ms: 500 });
  });

  test('stays what it was when the run fails after it', async () => {
    const flow = flowOf(
      {
        t: start,
        r: 'core.respond',
        wait: { operator: 'logic.delay', params: { ms: 50 } },
        stop: { operator: 'logic.stop', params: { message: 'too late' } },
      },
      ['t > r', 't > wait', 'wait > stop'],
    );
    const { run, host } = play(flow, 'x');
    await host.runAll();
    expect(run.answer).toMatchObject({ kind: 'value', body: 'x' });
    expect(run.outcome).toMatchObject({ status: 'failed', error: { code: 'stopped' } });
  });
});

describe('an expression', () => {
  test('reads earlier nodes, and a skipped one is an error unless it says it may be', () => {
    const nodes = (body: string) => ({
      t: start,
      c: { operator: 'logic.if', params: { condition: '{{ input.n > 5 }}' } },
      big: { operator: 'core.map', params: { value: '{{ input.n * 2 }}' } },
      m: 'core.merge',
      out: { operator: 'core.map', params: { value: body } },
    });
    const edges = ['t > c', 'c.then > big', 'big > m #0', 'c.else > m #1', 'm > out'];
    expect(bodyOf(play(flowOf(nodes('{{ nodes.big }}'), edges), { n: 6 }))).toBe(12);
    expect(play(flowOf(nodes('{{ nodes.big }}'), edges), { n: 1 }).run.outcome?.error).toMatchObject({
      code: 'node_skipped',
      node: 'out',
      field: 'params.value',
    });
    expect(bodyOf(play(flowOf(nodes('{{ nodes.big ?? "none" }}'), edges), { n: 1 }))).toBe('none');
  });

  test('sees the request, the variables and the run', () => {
    const value = '{{ [trigger.query.q, vars.limit, run.flow, run.id] }}';
    const played = play(flowOf({ t: start, m: { operator: 'core.map', params: { value } } }, ['t > m']), 1, {
      request: { query: { q: 'x' } },
      vars: { limit: 3 },
    });
    expect(bodyOf(played)).toEqual(['x', 3, 'test_flow', 'run']);
  });

  test('that reads a missing field fails with its path and node', () => {
    const flow = flowOf({ t: start, m: { operator: 'core.map', params: { value: '{{ input.nmae }}' } } }, [
      't > m',
    ]);
    const { run } = play(flow, { name: 'Ada' });
    expect(run.outcome?.error).toMatchObject({
      code: 'missing_field',
      node: 'm',
      operator: 'core.map',
      field: 'params.value',
    });
    expect(run.outcome?.error?.message).toMatch(/name/);
  });

  test('may stand where a number is wanted, and a wrong value there is named', async () => {
    const flow = flowOf({ t: start, d: { operator: 'logic.delay', params: { ms: '{{ input.ms }}' } } }, [
      't > d',
    ]);
    const good = play(flow, { ms: 30 });
    await good.host.runAll();
    expect(good.run.outcome).toMatchObject({ status: 'ok', ms: 30 });
    expect(play(flow, { ms: 'soon' }).run.outcome?.error).toMatchObject({
      code: 'bad_params',
      field: 'params.ms',
    });
  });
});

describe('concurrency', () => {
  test('of 1 runs awaiting nodes one after the other, and pure nodes in between', async () => {
    const delay = { operator: 'logic.delay', params: { ms: 100 } };
    const flow = flowOf({ t: start, a: delay, b: delay, c: delay, j: 'core.merge' }, [
      't > a',
      't > b',
      't > c',
      'a > j #0',
      'b > j #1',
      'c > j #2',
    ]);
    const parallel = play(flow, 1);
    await parallel.host.runAll();
    expect(parallel.run.outcome?.ms).toBe(100);
    const serial = play({ ...flow, settings: { concurrency: 1 } }, 1);
    await serial.host.runAll();
    expect(serial.run.outcome?.ms).toBe(300);
  });
});

describe('a stream', () => {
  const pipeline = (extra: Record<string, unknown> = {}) =>
    flowOf(
      {
        t: start,
        s: 'core.streamify',
        m: { operator: 'core.map', params: { value: '{{ input * 10 + index }}' }, ...extra },
        u: 'core.unstreamify',
      },
      ['t > s', 's > m', 'm > u'],
    );

  test('goes item by item through a lifted map and is collected', async () => {
    const played = play(pipeline(), [1, 2, 3]);
    await played.host.runAll();
    expect(bodyOf(played)).toEqual([10, 21, 32]);
    expect(played.run.outcome?.status).toBe('ok');
    const counts = played.events.flatMap((e) => (e.kind === 'node-chunk' && e.node === 's' ? e.count : []));
    expect(counts, 'the first item and all of them').toEqual([1, 3]);
  });

  test('without items is an empty list', async () => {
    const played = play(pipeline(), []);
    await played.host.runAll();
    expect(bodyOf(played)).toEqual([]);
  });

  test('gives every consumer every item', async () => {
    const flow = flowOf(
      {
        t: start,
        s: 'core.streamify',
        a: 'core.unstreamify',
        m: { operator: 'core.map', params: { value: '{{ -input }}' } },
        b: 'core.unstreamify',
        j: { operator: 'core.join', params: { inputs: [{ name: 'a' }, { name: 'b' }] } },
      },
      ['t > s', 's > a', 's > m', 'm > b', 'a > j.a', 'b > j.b'],
    );
    const items = Array.from({ length: 40 }, (_, i) => i + 1);
    const played = play(flow, items);
    await played.host.runAll();
    expect(bodyOf(played)).toEqual({ a: items, b: items.map((n) => -n) });
  });

  test('as the result of a flow is handed to the caller, who pulls it', async () => {
    const played = play(flowOf({ t: start, s: 'core.streamify' }, ['t > s']), ['a', 'b', 'c']);
    await played.host.flush();
    expect(played.run.answer?.kind).toBe('value');
    expect(played.run.outcome).toBeUndefined();
    const got: unknown[] = [];
    for await (const item of bodyOf(played) as AsyncIterable<unknown>) got.push(item);
    await played.host.runAll();
    expect(got).toEqual(['a', 'b', 'c']);
    expect(played.run.outcome?.status).toBe('ok');
  });

  test('that fails in the middle fails its consumer, naming the producer', async () => {
    const failing = custom(
      async function* () {
        yield 1;
        throw new WeftError('bad_input', 'broke');
      } as never,
      { outputs: { out: output({ kind: 'stream' }) } },
    );
    const registry = withOperators({ 'test.failing': failing });
    const flow = flowOf({ t: start, f: 'test.failing', u: 'core.unstreamify' }, ['t > f', 'f > u']);
    const played = play(flow, 0, { registry });
    await played.host.runAll();
    expect(played.run.outcome?.error).toMatchObject({ code: 'bad_input', node: 'u', via: 'f' });
    const handled = flowOf(
      {
        t: start,
        f: 'test.failing',
        u: { operator: 'core.unstreamify', onError: 'continue', fallback: { out: [] } },
      },
      ['t > f', 'f > u'],
    );
    const calm = play(handled, 0, { registry });
    await calm.host.runAll();
    expect(bodyOf(calm)).toEqual([]);
  });

  test('that fails before its first item is the producer’s own failure, which retry repairs', async () => {
    let tries = 0;
    const flaky = custom(
      async function* () {
        if (++tries === 1) throw new Error('not yet');
        yield tries;
      } as never,
      { outputs: { out: output({ kind: 'stream' }) } },
    );
    const registry = withOperators({ 'test.flaky': flaky });
    const flow = flowOf(
      {
        t: start,
        f: { operator: 'test.flaky', retry: { attempts: 2, backoffMs: 5, factor: 1, jitter: 0 } },
        u: 'core.unstreamify',
      },
      ['t > f', 'f > u'],
    );
    const played = play(flow, 0, { registry });
    await played.host.runAll();
    expect(bodyOf(played)).toEqual([2]);
  });

  test('is cancelled down to its source when its consumers are gone', async () => {
    let closed = false;
    const endless = custom(
      async function* () {
        try {
          for (let i = 0; ; i++) yield i;
        } finally {
          closed = true;
        }
      } as never,
      { outputs: { out: output({ kind: 'stream' }) } },
    );
    const registry = withOperators({ 'test.endless': endless });
    const flow = flowOf(
      { t: start, e: 'test.endless', u: { operator: 'core.unstreamify', params: { maxItems: 5 } } },
      ['t > e', 'e > u'],
    );
    const played = play(flow, 0, { registry });
    await played.host.runAll();
    expect(played.run.outcome?.status).toBe('failed');
    expect(closed).toBe(true);
  });
});

/** Executes steps as if there were no context. */
const plainContext: RunCtx = {
  step: (_, fn) => fn(),
  next: (_, first) => first(),
  wait: async () => undefined,
  idle: () => {},
  once: (_, fn) => fn(),
  parts: () => () => {},
};

describe('a durable context', () => {
  test('carries out the steps with effects and decides the order in which their ends are taken', async () => {
    const steps: string[] = [];
    const ctx: RunCtx = {
      ...plainContext,
      step: ({ key }, fn) => {
        steps.push(key);
        return fn();
      },
      next: async (running) => {
        await Promise.all(running.values());
        return [...running.keys()].sort().at(-1) as string;
      },
    };
    const delay = (ms: number) => ({ operator: 'logic.delay', params: { ms } });
    const flow = flowOf({ t: start, a: delay(10), b: delay(20), m: 'core.merge' }, [
      't > a',
      't > b',
      'a > m #0',
      'b > m #1',
    ]);
    const played = play(flow, 'x', { ctx });
    await played.host.runAll();
    expect(steps.sort()).toEqual(['a', 'b']);
    const ends = played.events.filter((e) => e.kind === 'node-finished').map((e) => e.node);
    expect(ends).toEqual(['t', 'b', 'a', 'm']);
    expect(bodyOf(played)).toBe('x');
  });

  test('gets the items of a loop as steps of their own, and gives those that are recorded', async () => {
    const keys: [key: string, whole: string | undefined, sent: string][] = [];
    const ctx: RunCtx = {
      ...plainContext,
      step: ({ key, whole, idempotencyKey }, fn) => {
        keys.push([key, whole, idempotencyKey]);
        return key === 'f/1' ? Promise.resolve('recorded') : fn();
      },
    };
    const host = Object.assign(new FakeHost(), { services: exampleServices() });
    const each = { operator: 'data.for-each', params: { flow: 'double' } };
    const played = play(flowOf({ t: start, f: each }, ['t > f']), [1, 2, 3], { ctx, host });
    await host.flush();
    expect(bodyOf(played)).toEqual([2, 'recorded', 6]);
    expect(keys).toEqual([
      ['f', undefined, 'run:f'],
      ['f/0', 'f', 'run:f#0'],
      ['f/1', 'f', 'run:f#1'],
      ['f/2', 'f', 'run:f#2'],
    ]);
  });

  test('gives its claim to all who ask services for it: a step, and steps in bodies of bodies', async () => {
    const claim = { isFresh: () => true, prove: async () => {} };
    const asking = custom(async (call) => (call as { asker: Asker }).asker.claim === claim);
    const registry = withOperators({ 'test.asking': asking });
    const inner: FlowBody = {
      start: 'inner',
      nodes: { deep: { operator: 'test.asking' } },
      edges: [{ from: 'inner.out', to: 'deep.in' }],
    };
    const body: FlowBody = {
      start: 'item',
      nodes: { group: { operator: 'core.group', body: inner } },
      edges: [{ from: 'item.out', to: 'group.in' }],
    };
    const nodes = {
      t: start,
      loop: { operator: 'data.for-each', body },
      own: 'test.asking',
      m: 'core.merge',
    };
    const flow = flowOf(nodes, ['t > loop', 't > own', 'loop > m #0', 'own > m #1']);
    const results: unknown[] = [];
    for (const ctx of [{ ...plainContext, claim }, plainContext]) {
      const played = play(flow, [1], { ctx, registry });
      await played.host.runAll();
      const outputs = played.events.filter((event) => event.kind === 'node-output');
      results.push(['loop', 'own'].map((node) => outputs.find((event) => event.node === node)?.value));
    }
    expect(results).toEqual([
      [[true], true],
      [[false], false],
    ]);
  });

  test('gives a recorded result instead of carrying the step out again', async () => {
    const ctx: RunCtx = { ...plainContext, step: async () => 'recorded' };
    const flow = flowOf({ t: start, a: { operator: 'logic.delay', params: { ms: 10 } } }, ['t > a']);
    const played = play(flow, 'x', { ctx });
    await played.host.flush();
    expect(bodyOf(played)).toBe('recorded');
  });
});

describe('an operator', () => {
  test('that gives an output it does not have fails with a coded error', () => {
    const wrong = custom(() => ({ other: 1 }), { outputs: { a: output(), b: output() } });
    const flow = flowOf({ t: start, w: 'test.wrong' }, ['t > w']);
    const { run } = play(flow, 0, { registry: withOperators({ 'test.wrong': wrong }) });
    expect(run.outcome?.error).toMatchObject({ code: 'bad_output', node: 'w' });
  });

  test('that throws something that is no error still fails with a code and no stack', () => {
    for (const thrown of [
      'text',
      7,
      null,
      undefined,
      {
        toString: () => {
          throw new Error('x');
        },
      },
      Symbol('s'),
    ]) {
      const odd = custom(() => {
        throw thrown;
      });
      const { run } = play(flowOf({ t: start, w: 'test.odd' }, ['t > w']), 0, {
        registry: withOperators({ 'test.odd': odd }),
      });
      expect(run.outcome?.error?.code).toBe('node_failed');
      expect(JSON.stringify(run.outcome?.error)).not.toMatch(/\.ts:/);
    }
  });

  test('that rejects after it was abandoned disturbs nobody', async () => {
    let reject: (error: Error) => void = () => {};
    const stubborn = custom(
      () =>
        new Promise((_, no) => {
          reject = no;
        }),
    );
    const played = play(flowOf({ t: start, w: 'test.s' }, ['t > w']), 0, {
      registry: withOperators({ 'test.s': stubborn }),
    });
    played.run.cancel('stop');
    await played.host.runAll();
    expect(played.run.outcome?.status).toBe('cancelled');
    expect(played.events.some((e) => e.kind === 'node-abandoned' && e.node === 'w')).toBe(true);
    reject(new Error('late'));
    await played.host.flush();
    expect(played.events.at(-1)?.kind).toBe('run-finished');
  });
});

describe('a default of a param', () => {
  test('that is an expression is evaluated, also when another param has to be parsed per run', () => {
    const flow = flowOf(
      { t: start, r: { operator: 'core.respond', params: { status: '{{ input.code }}' } } },
      ['t > r'],
    );
    expect(play(flow, { code: 202 }).run.answer).toMatchObject({ status: 202, body: { code: 202 } });
  });

  test('that names ports makes them', () => {
    const flow = flowOf({ t: start, j: 'core.join' }, ['t > j.a', 't > j.b']);
    expect(bodyOf(play(flow, 1))).toEqual({ a: 1, b: 1 });
  });
});

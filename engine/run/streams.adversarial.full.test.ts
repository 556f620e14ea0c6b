import { describe, expect, test } from 'vitest';
import type { FlowNode, FlowSettings } from '#shared/flow.ts';
import type { StartOptions } from './state.ts';
import { FakeHost } from '../testing/fake-host.ts';
import { bodyOf, flowOf, play, type Played } from '../testing/play.ts';
import { listOf, StreamProbe, streamRegistry } from '../testing/stream-operators.ts';

/** What breaks streams if X happens in order Y? */
const start = 'trigger.manual';
const source = (params: Record<string, unknown>, more: Partial<FlowNode> = {}): FlowNode => ({
  operator: 'test.source',
  params,
  ...more,
});
const reduce = (value: string, initial?: unknown): FlowNode => ({
  operator: 'core.reduce',
  params: { value, ...(initial !== undefined && { initial }) },
});
const filter = (keep: string): FlowNode => ({
  operator: 'core.transform-stream',
  params: { mode: 'filter', keep },
});
const take = (count: number): FlowNode => ({
  operator: 'core.transform-stream',
  params: { mode: 'take', count },
});
const slow = (ms: number, more: Partial<FlowNode> = {}): FlowNode => ({
  operator: 'test.slow',
  params: { ms },
  ...more,
});
const count = reduce('{{ acc + 1 }}', 0);
const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

interface StreamPlayed extends Played {
  readonly probe: StreamProbe;
}

function flowing(
  nodes: Record<string, FlowNode | string>,
  edges: readonly string[],
  more: { settings?: FlowSettings; input?: unknown; host?: FakeHost } & Partial<StartOptions> = {},
): StreamPlayed {
  const probe = new StreamProbe();
  const { settings = {}, input = 0, ...options } = more;
  const played = play(flowOf({ t: start, ...nodes }, edges, settings), input, {
    registry: streamRegistry(probe),
    ...options,
  });
  return { ...played, probe };
}

async function ended(played: StreamPlayed): Promise<StreamPlayed> {
  await played.host.runAll();
  expect(played.run.outcome).toBeDefined();
  expect(played.host.pending, 'timers').toBe(0);
  expect([...played.probe.open], 'generators').toEqual([]);
  return played;
}

describe('a deadlock', () => {
  const countAndList = (n: number, settings = {}) =>
    flowing(
      { s: source({ items: n }), n: count, j: 'test.count_and_list' },
      ['t > s', 's > n', 's > j.items', 'n > j.count'],
      { settings },
    );

  test('of a count and a join of the same stream is resolved by a larger buffer', async () => {
    expect(bodyOf(await ended(countAndList(9_000)))).toEqual([9_000, range(9_000)]);
  });

  test('of a stream that is put behind itself is resolved by a larger buffer', async () => {
    const nodes = { s: source({ items: 500 }), m: 'core.map', c: 'core.concat', u: 'core.unstreamify' };
    const played = flowing(nodes, ['t > s', 's > c #0', 's > m', 'm > c #1', 'c > u']);
    expect(bodyOf(await ended(played))).toEqual([...range(500), ...range(500)]);
  });

  test('of a filtered stream zipped with itself is resolved by a larger buffer', async () => {
    const nodes = { s: source({ items: 3_000 }), f: filter('{{ item >= 1000 }}'), z: 'core.zip', n: count };
    const played = flowing(nodes, ['t > s', 's > f', 'f > z.a', 's > z.b', 'z > n']);
    expect(bodyOf(await ended(played))).toBe(2_000);
  });

  test('goes on when the waiting consumer itself makes room before it waits', async () => {
    const nodes = {
      s: source({ items: 130 }),
      f: filter('{{ index % 3 == 1 }}'),
      z: 'core.zip',
      n: count,
      m: 'core.map',
    };
    const edges = ['t > s', 's > f', 'f > z.a', 's > z.b', 's > m', 'z > n'];
    const played = flowing({ ...nodes, a: 'core.respond' }, [...edges, 'n > a'], {
      settings: { maxStreamBuffer: 101 },
    });
    expect(bodyOf(await ended(played))).toBe(43);
  });

  test('that needs more than the limit fails the run and names both edges', async () => {
    const played = await ended(countAndList(10_001));
    expect(played.run.outcome).toMatchObject({
      status: 'failed',
      error: { code: 'stream_buffer_full', node: 'j', via: 's' },
    });
    const message = played.run.outcome?.error?.message;
    expect(message).toMatch(/s\.out → j\.items is 10000 items behind/);
    expect(message).toMatch(/s\.out → n\.in/);
    expect((await ended(countAndList(9_999))).run.outcome?.status).toBe('ok');
  });

  test('keeps to the limit that the flow sets', async () => {
    const played = await ended(countAndList(200, { maxStreamBuffer: 100 }));
    expect(played.run.outcome?.error?.message).toMatch(/100 items behind/);
    expect(bodyOf(await ended(countAndList(200, { maxStreamBuffer: 201 })))).toEqual([200, range(200)]);
  });

  test('is none while a consumer is slow, and its buffer stays small', async () => {
    const nodes = { s: source({ items: 300 }), n: count, w: slow(5), m: count, j: 'core.join' };
    const played = flowing(nodes, ['t > s', 's > n', 's > w', 'w > m', 'n > j.a', 'm > j.b'], {
      settings: { maxStreamBuffer: 64 },
    });
    await played.host.advance(100);
    expect(played.probe.given.get('s')).toBeLessThan(100);
    expect(bodyOf(await ended(played))).toEqual({ a: 300, b: 300 });
  });

  test('is none while the caller is slow', async () => {
    const nodes = { s: source({ items: 300 }), m: 'core.map', n: count, l: 'core.log' };
    const played = flowing(nodes, ['t > s', 's > m', 's > n', 'n > l'], {
      settings: { maxStreamBuffer: 64 },
    });
    await played.host.runAll();
    expect(played.run.outcome).toBeUndefined();
    expect(played.probe.given.get('s')).toBeLessThan(100);
    expect(await listOf(bodyOf(played))).toEqual(range(300));
    await ended(played);
    expect(played.run.outcome?.status).toBe('ok');
  });

  test('for want of a slot starts the waiting step instead', async () => {
    const nodes = { s: source({ items: 20_000 }), a: count, b: count, j: 'core.join' };
    const played = flowing(nodes, ['t > s', 's > a', 's > b', 'a > j.a', 'b > j.b'], {
      settings: { concurrency: 1 },
    });
    expect(bodyOf(await ended(played))).toEqual({ a: 20_000, b: 20_000 });
  });
});

describe('a failure in the middle of a stream', () => {
  const broken = source({ items: 9, failAt: 3 });

  test('is each consumer’s own to handle, and names the producer', async () => {
    const calm = { onError: 'continue', fallback: { out: 'calm' } } as const;
    const nodes = {
      s: broken,
      a: { ...count, ...calm },
      b: { ...count, onError: 'route' } as FlowNode,
      m: 'core.merge',
      j: 'core.join',
    };
    const played = await ended(
      flowing(nodes, ['t > s', 's > a', 's > b', 'b > m #0', 'b.error > m #1', 'a > j.a', 'm > j.b']),
    );
    expect(bodyOf(played)).toMatchObject({ a: 'calm', b: { code: 'node_failed', node: 'b', via: 's' } });
    expect(played.events).toContainEqual(
      expect.objectContaining({ kind: 'node-failed', node: 's', handled: 'continue' }),
    );
    expect(played.run.outcome).toMatchObject({ status: 'ok', nodes: { failed: 3 } });
  });

  test('fails the run where one of them does not handle it', async () => {
    const calm = { onError: 'continue', fallback: { out: 'calm' } } as const;
    const nodes = { s: broken, a: { ...count, ...calm }, b: count, j: 'core.join' };
    const { run } = await ended(flowing(nodes, ['t > s', 's > a', 's > b', 'a > j.a', 'b > j.b']));
    expect(run.outcome).toMatchObject({
      status: 'failed',
      error: { node: 'b', via: 's', code: 'node_failed' },
    });
  });

  test('travels through operators in between and still names where it began', async () => {
    const nodes = { s: broken, m: 'core.map', f: filter('{{ true }}'), r: 'test.relay', n: count };
    const { run } = await ended(flowing(nodes, ['t > s', 's > m', 'm > f', 'f > r', 'r > n']));
    expect(run.outcome?.error).toMatchObject({ node: 'n', via: 's' });
  });

  test('behind which nobody reads disturbs nobody', async () => {
    const nodes = { s: broken, p: { operator: 'test.peek', params: { count: 3 } } };
    const { run, probe } = await ended(flowing(nodes, ['t > s', 's > p']));
    expect(run.outcome?.status).toBe('ok');
    expect(probe.given.get('s')).toBe(3);
  });

  test('of a stream that is read to its end for nobody fails the run', async () => {
    const { run } = await ended(
      flowing({ two: { operator: 'test.two', params: { fail: true } }, n: count }, ['t > two', 'two.a > n']),
    );
    expect(run.outcome).toMatchObject({ status: 'failed', error: { node: 'two', code: 'bad_input' } });
  });

  test('in an operator that passes an item on ends that stream, not the run, where it is handled', async () => {
    const calm = { onError: 'continue', fallback: { out: 'calm' } } as const;
    const nodes = {
      s: source({ items: 5 }),
      m: { operator: 'core.map', params: { value: '{{ 1 / (input < 3 ? 1 : {}.x) }}' } },
      a: { ...count, ...calm },
      b: count,
      j: 'core.join',
    };
    const played = await ended(flowing(nodes, ['t > s', 's > m', 'm > a', 's > b', 'a > j.a', 'b > j.b']));
    expect(bodyOf(played)).toEqual({ a: 'calm', b: 5 });
  });
});

describe('a failure before the first item', () => {
  const dead = { items: 3, failAt: 0 };

  test('is the producer’s own: route, continue and retry hold', async () => {
    const routed = flowing({ s: source(dead, { onError: 'route' }), n: count, e: 'core.map' }, [
      't > s',
      's > n',
      's.error > e',
    ]);
    expect(bodyOf(await ended(routed))).toMatchObject({ node: 's', code: 'node_failed' });
    const ignored = flowing({ s: source(dead, { onError: 'continue', fallback: {} }), n: count }, [
      't > s',
      's > n',
    ]);
    expect((await ended(ignored)).run.answer).toEqual({ kind: 'empty' });
    const retry = { attempts: 2, backoffMs: 5, factor: 1, jitter: 0 };
    const again = flowing({ s: source({ ...dead, once: true }, { retry }), n: count }, ['t > s', 's > n']);
    expect(bodyOf(await ended(again))).toBe(3);
  });

  test('on one output stops the stream on the other', async () => {
    const nodes = {
      s: source({ items: 4, failAt: 1 }),
      f: filter('{{ item > 2 }}'),
      n: { ...count, onError: 'continue', fallback: { out: 0 } } as FlowNode,
    };
    const { run } = await ended(flowing(nodes, ['t > s', 's > f', 'f > n']));
    expect(run.outcome?.error).toMatchObject({ node: 'f', via: 's' });
  });

  test('is a time-out when the first item is late, which the whole attempt shares', async () => {
    const late = flowing({ s: source({ ms: 50 }, { timeoutMs: 40 }), n: count }, ['t > s', 's > n']);
    expect((await ended(late)).run.outcome).toMatchObject({
      ms: 40,
      error: { code: 'node_timeout', node: 's' },
    });
    const later = flowing({ s: source({ ms: 30 }, { timeoutMs: 40 }), n: count }, ['t > s', 's > n']);
    expect(bodyOf(await ended(later))).toBe(3);
  });
});

describe('a producer', () => {
  const endless = source({ items: 1e9, ms: 1 });

  test('is told to stop within a tick when its consumers are gone', async () => {
    const played = flowing({ s: endless, p: take(3), u: 'core.unstreamify' }, ['t > s', 's > p', 'p > u']);
    expect(bodyOf(await ended(played))).toEqual([0, 1, 2]);
    expect(played.run.outcome?.ms).toBe(3);
  });

  test('goes on while one of its consumers reads', async () => {
    const nodes = {
      s: source({ items: 200, ms: 1 }),
      a: take(1),
      u: 'core.unstreamify',
      n: count,
      j: 'core.join',
    };
    const played = await ended(flowing(nodes, ['t > s', 's > a', 'a > u', 's > n', 'u > j.a', 'n > j.b']));
    expect(bodyOf(played)).toEqual({ a: [0], b: 200 });
  });

  test('is stopped through every operator in between, one that waits for its clock too', async () => {
    const nodes = {
      s: endless,
      r: { operator: 'test.relay', params: { ms: 1000 } },
      w: slow(7),
      p: take(1),
      u: 'core.unstreamify',
    };
    const played = await ended(flowing(nodes, ['t > s', 's > r', 'r > w', 'w > p', 'p > u']));
    expect(bodyOf(played)).toEqual([0]);
    expect(played.run.outcome?.ms).toBe(1008);
  });

  test('whose only consumer was skipped is stopped', async () => {
    const nodes = {
      s: endless,
      no: { operator: 'core.branch', params: { branches: [{ name: 'x', when: false }] } } as FlowNode,
      j: 'test.count_and_list',
    };
    const played = await ended(flowing(nodes, ['t > s', 't > no', 'no.x > j.count', 's > j.items']));
    expect(played.run.outcome).toMatchObject({ status: 'ok', nodes: { skipped: 1 } });
  });

  test('that does not listen is reported as abandoned and holds nothing up', async () => {
    const nodes = { s: source({ items: 5, failAt: 2, deafMs: 300 }), n: count };
    const played = flowing({ ...nodes }, ['t > s', 's > n']);
    await played.host.flush();
    played.run.cancel('stop');
    await played.host.runAll();
    expect(played.run.outcome).toMatchObject({ status: 'cancelled', ms: 100 });
    expect(played.events.filter((e) => e.kind === 'node-abandoned').map((e) => e.node)).toEqual(['s']);
    await new Promise((resolve) => setTimeout(resolve, 350));
    expect([...played.probe.open]).toEqual([]);
  });

  test('that gives one value for a stream is told so', async () => {
    const { run } = await ended(
      flowing(
        { s: source({}), l: { operator: 'core.transform-stream', params: { mode: 'filter' } }, n: count },
        ['t > s', 's > l', 'l > n'],
      ),
    );
    expect(run.outcome?.error).toMatchObject({ code: 'bad_params', node: 'l' });
  });
});

describe('the caller', () => {
  const endless = { s: source({ items: 1e9, ms: 1 }), m: 'core.map' };

  test('who has enough stops the run’s producers', async () => {
    const played = flowing(endless, ['t > s', 's > m']);
    await played.host.advance(5);
    const stream = bodyOf(played) as AsyncIterableIterator<unknown>;
    expect(await stream.next()).toEqual({ done: false, value: 0 });
    await stream.return?.();
    await ended(played);
    expect(played.run.outcome?.status).toBe('ok');
  });

  test('who goes away cancels all, while an item is on its way', async () => {
    const played = flowing(endless, ['t > s', 's > m']);
    await played.host.advance(5);
    const stream = bodyOf(played) as AsyncIterableIterator<unknown>;
    await stream.next();
    const next = stream.next();
    played.run.cancel('disconnect');
    await expect(next).rejects.toMatchObject({ code: 'run_cancelled' });
    await ended(played);
    expect(played.run.outcome).toMatchObject({ status: 'cancelled' });
  });

  test('who asks for several items at once gets them in order', async () => {
    const played = flowing({ s: source({ items: 3, ms: 2 }) }, ['t > s']);
    await played.host.advance(3);
    const stream = bodyOf(played) as AsyncIterableIterator<unknown>;
    const all = Promise.all([stream.next(), stream.next(), stream.next(), stream.next()]);
    await played.host.runAll();
    expect((await all).map((result) => result.value)).toEqual([0, 1, 2, undefined]);
  });

  test('gets the stream of a disabled last step', async () => {
    const played = flowing({ s: source({ items: 3 }), m: { operator: 'core.map', disabled: true } }, [
      't > s',
      's > m',
    ]);
    await played.host.flush();
    expect(await listOf(bodyOf(played))).toEqual([0, 1, 2]);
    await ended(played);
  });

  test('of a leaf with several streams gets an error, and nothing hangs', async () => {
    const { run } = await ended(flowing({ two: 'test.two' }, ['t > two']));
    expect(run.outcome).toMatchObject({ status: 'failed', error: { code: 'stream_not_read', node: 'two' } });
  });
});

describe('a lifted step', () => {
  test('retries, times out and falls back for each item by itself', async () => {
    const retry = { attempts: 2, backoffMs: 5, factor: 1, jitter: 0 };
    const nodes = {
      s: source({ items: 3 }),
      w: {
        operator: 'test.slow',
        params: { ms: '{{ input == 1 ? 50 : 10 }}' },
        timeoutMs: 30,
        retry,
        onError: 'continue',
        fallback: { out: 'late' },
      } as FlowNode,
      u: 'core.unstreamify',
    };
    const played = await ended(flowing(nodes, ['t > s', 's > w', 'w > u']));
    expect(bodyOf(played)).toEqual([0, 'late', 2]);
    expect(played.run.outcome?.ms).toBe(10 + 30 + 5 + 30 + 10);
  });

  test('whose producer fails is no failure of an item', async () => {
    const nodes = {
      s: source({ items: 5, failAt: 2 }),
      m: { operator: 'core.map', onError: 'continue', fallback: { out: 0 } } as FlowNode,
      n: count,
    };
    const { run } = await ended(flowing(nodes, ['t > s', 's > m', 'm > n']));
    expect(run.outcome?.error).toMatchObject({ node: 'n', via: 's' });
  });

  test('cancelled in the middle of an item tells that item’s call', async () => {
    const played = flowing({ s: source({ items: 3 }), w: slow(1000), n: count }, ['t > s', 's > w', 'w > n']);
    await played.host.advance(500);
    played.run.cancel('stop');
    await ended(played);
    expect(played.run.outcome).toMatchObject({ status: 'cancelled', ms: 500 });
  });
});

describe('size', () => {
  test('of 9,000 stream operators in a row overflows no stack, whether items are there or come', async () => {
    for (const ms of [0, 1]) {
      const nodes: Record<string, FlowNode | string> = { s: source({ items: 3, ms }) };
      const edges = ['t > s'];
      for (let i = 0; i < 9_000; i++) {
        nodes[`n${i}`] = 'core.map';
        edges.push(`${i === 0 ? 's' : `n${i - 1}`} > n${i}`);
      }
      const played = flowing({ ...nodes, u: 'core.unstreamify' }, [...edges, 'n8999 > u']);
      expect(bodyOf(await ended(played))).toEqual([0, 1, 2]);
    }
  });

  test('of 5,000 consumers side by side is no problem', async () => {
    const nodes: Record<string, FlowNode | string> = { s: source({ items: 100 }), m: 'core.merge' };
    const edges = ['t > s'];
    for (let i = 0; i < 5_000; i++) {
      nodes[`n${i}`] = count;
      edges.push(`s > n${i}`, `n${i} > m #${i}`);
    }
    expect(bodyOf(await ended(flowing(nodes, edges)))).toBe(100);
  });

  test('of a stream that never pauses lets other work go on', async () => {
    const host = new FakeHost();
    host.tick = 1;
    const played = flowing({ s: 'core.streamify', n: count }, ['t > s', 's > n'], {
      input: range(10_000),
      host,
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(played.run.outcome).toBeUndefined();
    expect(bodyOf(await ended(played))).toBe(10_000);
  });
});

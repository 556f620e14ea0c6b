import { describe, expect, test } from 'vitest';
import type { FlowNode, FlowSettings } from '#shared/flow.ts';
import { flowOf, play } from '../testing/play.ts';
import { Probe, taskRegistry } from '../testing/task-operators.ts';

/** Tests of unusual orders of events. */
const start = 'trigger.manual';
const delay = (ms: number, more: Partial<FlowNode> = {}): FlowNode => ({
  operator: 'logic.delay',
  params: { ms },
  ...more,
});
const stop = (message: string): FlowNode => ({ operator: 'logic.stop', params: { message } });

function tasks(nodes: Record<string, FlowNode>, edges: string[]) {
  const registry = taskRegistry(new Probe());
  const full = edges.map((edge) => edge.replace('t >', 't.x >'));
  return play(flowOf({ t: 'test.trigger', ...nodes }, full), 0, { registry });
}

describe('failures', () => {
  test('of two nodes in one turn fail the run once, with the first one', () => {
    const { run, events } = play(
      flowOf({ t: start, a: stop('first'), b: stop('second') }, ['t > a', 't > b']),
      1,
    );
    expect(run.outcome?.error).toMatchObject({ node: 'a', message: 'first' });
    expect(events.filter((e) => e.kind === 'node-failed')).toHaveLength(1);
    expect(events.filter((e) => e.kind === 'run-finished')).toHaveLength(1);
  });

  test('abort siblings that are waiting, and their ends come before the end of the run', async () => {
    const { run, host, events } = play(
      flowOf({ t: start, slow: delay(5000), soon: delay(10), fail: stop('no') }, [
        't > slow',
        't > soon',
        'soon > fail',
      ]),
      1,
    );
    await host.runAll();
    expect(run.outcome).toMatchObject({ status: 'failed', ms: 10 });
    const kinds = events.map((e) => `${e.kind}${'node' in e ? ` ${e.node}` : ''}`);
    expect(kinds.slice(-3)).toEqual(['node-failed fail', 'node-failed slow', 'run-finished']);
    expect(host.pending).toBe(0);
  });

  test('while a sibling waits for its next attempt call that attempt off', async () => {
    const retry = { attempts: 5, backoffMs: 1000, factor: 1, jitter: 0 };
    const { run, host } = tasks(
      {
        again: { operator: 'test.one_x', params: { attempts: [{ ms: 0, do: 'fail' }] }, retry },
        bad: { operator: 'test.one_x', params: { attempts: [{ ms: 10, do: 'fail' }] } },
      },
      ['t > again.in', 't > bad.in'],
    );
    await host.runAll();
    expect(run.outcome).toMatchObject({ status: 'failed', ms: 10, error: { node: 'bad' } });
    expect(host.pending).toBe(0);
  });

  test('in an error route fail the run like any other', () => {
    const { run } = tasks(
      {
        bad: { operator: 'test.one_x', params: { attempts: [{ ms: 0, do: 'fail' }] }, onError: 'route' },
        worse: { operator: 'test.one_x', params: { attempts: [{ ms: 0, do: 'fail' }] } },
      },
      ['t > bad.in', 'bad.error > worse.in'],
    );
    expect(run.outcome?.error?.node).toBe('worse');
  });
});

describe('a diamond', () => {
  const diamond = (arm: FlowNode, many: 'any' | 'all') =>
    tasks(
      {
        left: arm,
        right: { operator: 'test.one_x' },
        join: { operator: `test.${many}_x` },
      },
      ['t > left.in', 't > right.in', 'left.x > join.in', 'right.x > join.in'],
    );

  test('with one silent arm runs its any-join and skips its all-join', () => {
    const silent: FlowNode = { operator: 'test.one_x', params: { live: [] } };
    expect(diamond(silent, 'any').run.outcome?.nodes).toEqual({ ok: 4, failed: 0, skipped: 0 });
    expect(diamond(silent, 'all').run.outcome?.nodes).toEqual({ ok: 3, failed: 0, skipped: 1 });
  });
});

describe('cancelling', () => {
  test('in the turn in which the last node ends changes nothing', async () => {
    const { run, host } = play(flowOf({ t: start, a: delay(10) }, ['t > a']), 1);
    run.onEnd(() => run.cancel('stop'));
    await host.runAll();
    expect(run.outcome?.status).toBe('ok');
  });

  test('from within the answer stops the nodes behind it, although they are ready', async () => {
    const flow = flowOf({ t: start, d: delay(10), r: 'core.respond', z: 'core.map' }, [
      't > d',
      'd > r',
      'd > z',
    ]);
    const { run, host, events } = play(flow, 0);
    run.onAnswer(() => run.cancel('disconnect'));
    await host.runAll();
    expect(run.outcome?.status).toBe('cancelled');
    expect(run.answer?.kind).toBe('value');
    expect(events.some((e) => e.kind === 'node-started' && e.node === 'z')).toBe(false);
  });

  test('twice, or after the end, changes nothing', async () => {
    const { run, host, events } = play(flowOf({ t: start, a: delay(1000) }, ['t > a']), 1);
    run.cancel('stop');
    run.cancel('timeout');
    await host.runAll();
    run.cancel('shutdown');
    expect(run.outcome?.status).toBe('cancelled');
    expect(events.filter((e) => e.kind === 'run-finished')).toHaveLength(1);
  });

  test('by the time limit says which setting raises it', async () => {
    const { run, host } = play(flowOf({ t: start, a: delay(1000) }, ['t > a'], { timeoutMs: 100 }), 1);
    await host.runAll();
    expect(run.outcome).toMatchObject({ status: 'failed', ms: 100, error: { code: 'run_timeout' } });
    expect(run.outcome?.error?.message).toMatch(/settings.timeoutMs/);
  });

  test('by the time limit applies while its answer is streamed, if the limit is the flow’s own', async () => {
    const slow = (settings: FlowSettings) => flowOf({ t: start, a: delay(1000) }, ['t > a'], settings);
    const own = play(slow({ timeoutMs: 100 }), 1);
    expect(own.run.endClock()).toBe(true);
    await own.host.runAll();
    expect(own.run.outcome).toMatchObject({ status: 'failed', ms: 100, error: { code: 'run_timeout' } });
    const given = play(slow({}), 1, { timeoutMs: 100 });
    expect(given.run.endClock()).toBe(false);
    await given.host.runAll();
    expect(given.run.outcome).toMatchObject({ status: 'ok', ms: 1000 });
  });

  test('a stream that waits for its source ends the run and the source', async () => {
    const flow = flowOf({ t: start, s: 'core.streamify', d: delay(1000), u: 'core.unstreamify' }, [
      't > s',
      's > d',
      'd > u',
    ]);
    const { run, host } = play(flow, [1, 2, 3]);
    await host.advance(500);
    run.cancel('stop');
    await host.runAll();
    expect(run.outcome?.status).toBe('cancelled');
    expect(host.pending).toBe(0);
  });
});

describe('an attempt', () => {
  test('that ends in the grace time after its limit still counts as timed out', async () => {
    const { run, host } = tasks(
      { a: { operator: 'test.one_x', params: { attempts: [{ ms: 50, do: 'ok' }] }, timeoutMs: 49 } },
      ['t > a.in'],
    );
    await host.runAll();
    expect(run.outcome?.error).toMatchObject({ code: 'node_timeout', node: 'a' });
  });

  test('that is abandoned may be followed by one that works', async () => {
    const retry = { attempts: 2, backoffMs: 0, factor: 1, jitter: 0 };
    const { run, host } = tasks(
      {
        a: {
          operator: 'test.one_x',
          params: { attempts: [{ ms: 0, do: 'stubborn' }] },
          timeoutMs: 20,
          retry,
        },
      },
      ['t > a.in'],
    );
    await host.runAll();
    expect(run.outcome).toMatchObject({ status: 'ok', ms: 120 });
  });
});

describe('size', () => {
  test('of 9,998 nodes side by side into one join is no problem', () => {
    const nodes: Record<string, FlowNode | string> = { t: start, m: 'core.merge' };
    const edges: string[] = [];
    for (let i = 0; i < 9_998; i++) {
      nodes[`n${i}`] = 'core.map';
      edges.push(`t > n${i}`, `n${i} > m #${i}`);
    }
    const { run } = play(flowOf(nodes, edges), 'x');
    expect(run.outcome?.nodes).toEqual({ ok: 10_000, failed: 0, skipped: 0 });
  });
});

describe('followers', () => {
  test('that join at any moment all see the same sequence', async () => {
    const { run, host, events } = play(
      flowOf({ t: start, a: delay(10), b: delay(10) }, ['t > a', 'a > b']),
      1,
    );
    const views: unknown[][] = [];
    for (let at = 0; at < 25; at += 5) {
      const view: unknown[] = [];
      views.push(view);
      run.observe((event) => view.push(event));
      await host.advance(5);
    }
    await host.runAll();
    for (const view of views) expect(view).toEqual(events);
  });

  test('that leave receive nothing more', async () => {
    const { run, host } = play(flowOf({ t: start, a: delay(10) }, ['t > a']), 1);
    const view: unknown[] = [];
    const leave = run.observe((event) => view.push(event));
    const before = view.length;
    leave();
    await host.runAll();
    expect(view).toHaveLength(before);
  });
});

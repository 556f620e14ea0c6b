import { fc } from '../../tests/support/property.ts';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { FlowNode } from '#shared/flow.ts';
import { defineOperator, input, type Operator, output, WeftError } from '../base/operator.ts';
import { makeRegistry } from '../catalog/registry.ts';
import { askedWait, MAX_ASKED_WAIT_MS } from '../base/retry-after.ts';
import { FakeHost } from '../testing/fake-host.ts';
import { bodyOf, builtIns, flowOf, play } from '../testing/play.ts';

/** Fails at the first attempt, with a time to try again. */
function limited(data: unknown, seen: number[] = []): Operator {
  return defineOperator({
    title: 'Limited',
    doc: 'Turns the first attempt away.',
    icon: 'box',
    params: z.object({}),
    inputs: { in: input() },
    outputs: { out: output() },
    effects: 'read',
    lift: true,
    examples: [],
    run: async (call) => {
      seen.push(call.now());
      if (call.attempt > 1) return call.input;
      throw new WeftError('http_status', 'Too often.', { transient: true, data });
    },
  });
}

const retry = { attempts: 2, backoffMs: 50, factor: 1, jitter: 0 };

async function waits(data: unknown, node: Partial<FlowNode> = {}, host = new FakeHost()) {
  const operators = new Map([...builtIns.operators, ['test.limited', limited(data)]]);
  const registry = makeRegistry(operators);
  const flow = flowOf({ t: 'trigger.manual', a: { operator: 'test.limited', retry, ...node } }, ['t > a']);
  const played = play(flow, 'x', { registry, host });
  await host.runAll();
  expect(bodyOf(played)).toBe('x');
  return played.events.flatMap((event) => (event.kind === 'node-retrying' ? [event.delayMs] : []));
}

describe('before another attempt a step waits', () => {
  test('as long as its retry says, where nothing asks for more', async () => {
    expect(await waits(undefined)).toEqual([50]);
    expect(await waits({ retryAfter: '0' })).toEqual([50]);
    expect(await waits({ retryAfter: 'soon' })).toEqual([50]);
  });

  test('as long as the other side asked for, and the event says so', async () => {
    expect(await waits({ retryAfter: '3' })).toEqual([3000]);
    expect(await waits({ retryAfter: 2.5 })).toEqual([2500]);
    expect(await waits({ flow: 'called', node: 'ask', data: { retryAfter: '3' } })).toEqual([3000]);
  });

  test('until the time that the other side named', async () => {
    const host = new FakeHost();
    host.time = Date.UTC(2026, 1, 28, 23, 59, 58);
    expect(await waits({ retryAfter: 'Sun, 01 Mar 2026 00:00:05 GMT' }, {}, host)).toEqual([7000]);
  });

  test('no longer than its own time limit, or ten minutes', async () => {
    expect(await waits({ retryAfter: '3600' }, { timeoutMs: 4000 })).toEqual([4000]);
    expect(await waits({ retryAfter: '99999999999' })).toEqual([MAX_ASKED_WAIT_MS]);
    expect(await waits({ retryAfter: '3600' }, { timeoutMs: 10 })).toEqual([50]);
  });

  test('for each item of a stream by itself', async () => {
    const seen: number[] = [];
    const operators = new Map([...builtIns.operators, ['test.limited', limited({ retryAfter: '3' }, seen)]]);
    const flow = flowOf(
      {
        t: 'trigger.manual',
        s: 'core.streamify',
        a: { operator: 'test.limited', retry },
        c: 'core.unstreamify',
      },
      ['t > s', 's > a', 'a > c'],
    );
    const host = new FakeHost();
    const played = play(flow, ['x'], { registry: makeRegistry(operators), host });
    await host.runAll();
    expect(bodyOf(played)).toEqual(['x']);
    expect((seen[1] as number) - (seen[0] as number)).toBe(3000);
  });
});

test('a date in the form of HTTP is read as JavaScript reads it', () => {
  const date = fc.date({ min: new Date('1970-01-01'), max: new Date('9999-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(date, (at) => {
      const thrown = new WeftError('http_status', '', { data: { retryAfter: at.toUTCString() } });
      expect(askedWait(thrown, () => 0)).toBe(Math.floor(at.getTime() / 1000) * 1000);
    }),
  );
});

test('an error that says nothing of a wait, or throws when it is asked, asks for none', () => {
  const hostile = new Proxy(
    {},
    {
      get() {
        throw new Error('no');
      },
    },
  );
  const now = () => 0;
  expect(askedWait(new WeftError('node_failed', '', { data: hostile }), now)).toBe(0);
  expect(askedWait(new WeftError('node_failed', '', { data: { retryAfter: '-3' } }), now)).toBe(0);
  expect(askedWait(new WeftError('node_failed', '', { data: { retryAfter: {} } }), now)).toBe(0);
  expect(askedWait({ data: { retryAfter: '3' } }, now)).toBe(0);
});

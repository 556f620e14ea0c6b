import { describe, expect, test } from 'vitest';
import type { FlowNode } from '#shared/flow.ts';
import { testTools } from '../expr/testing/test-tools.ts';
import { compile, type Plan } from '../plan/compile.ts';
import { startRecorded } from '../replay/recording.ts';
import { replayRun } from '../replay/replaying.ts';
import { FakeHost } from '../testing/fake-host.ts';
import { bodyOf, builtIns, flowOf, play } from '../testing/play.ts';

const t = 'trigger.manual';
const map = (value: unknown): FlowNode => ({ operator: 'core.map', params: { value } });
const noon = Date.UTC(2026, 10, 27, 12);

function hostAt(time: number, tick = 0): FakeHost {
  return Object.assign(new FakeHost(), { time, tick });
}

describe('the clock of a run', () => {
  test('now() is its start in every node, clock() goes on', async () => {
    const host = hostAt(noon);
    const flow = flowOf(
      {
        t,
        a: map('{{ { now: now(), clock: clock() } }}'),
        wait: { operator: 'logic.delay', params: { ms: 60_000 } },
        b: map('{{ [input.now == now(), diff(clock(), input.clock, "seconds"), clock() == now()] }}'),
      },
      ['t > a', 'a > wait', 'wait > b'],
    );
    const played = play(flow, {}, { host });
    await host.runAll();
    expect(bodyOf(played)).toEqual([true, 60, false]);
  });

  test('a run that is resumed keeps its start', () => {
    const played = play(
      flowOf({ t, a: map('{{ now() }}') }, ['t > a']),
      {},
      { host: hostAt(noon), startedAt: noon - 3_600_000 },
    );
    expect(bodyOf(played)).toBe('2026-11-27T11:00:00.000Z');
  });

  test('a param that reads nothing else is not computed once for all runs', () => {
    const flow = flowOf({ t, a: map('{{ now() }}') }, ['t > a']);
    expect([noon, noon + 1].map((time) => bodyOf(play(flow, {}, { host: hostAt(time) })))).toEqual([
      '2026-11-27T12:00:00.000Z',
      '2026-11-27T12:00:00.001Z',
    ]);
  });

  test('the zone of the flow is that of its times', () => {
    const flow = {
      ...flowOf({ t, a: map('{{ startOf(now(), "day") }}') }, ['t > a']),
      settings: { timezone: 'Asia/Tokyo' },
    };
    expect(bodyOf(play(flow, {}, { host: hostAt(noon + 4 * 3_600_000) }))).toBe(
      '2026-11-28T00:00:00.000+09:00',
    );
  });
});

test('a replay has the times and random numbers of the run, and its zone', async () => {
  const flow = flowOf({ t, a: map('{{ [now(), clock(), clock(), random(), randomInt(1, 1000)] }}') }, [
    't > a',
  ]);
  const planIn = (timezone: string): Plan =>
    [...compile(flow, 'v', builtIns, { ...testTools, timezone }).plans.values()][0] as Plan;
  const plan = planIn('Europe/Oslo');
  const host = hostAt(noon, 7);
  const recorded = startRecorded(plan, { id: 'r', request: {}, output: 1, vars: {} }, host);
  await host.runAll();
  const record = JSON.parse(JSON.stringify(recorded.record())) as NonNullable<
    ReturnType<typeof recorded.record>
  >;
  expect(record.timezone).toBe('Europe/Oslo');
  const { difference, divergence } = await replayRun(
    planIn(record.timezone ?? ''),
    record,
    (fn) => void setImmediate(fn),
  );
  expect({ difference, divergence }).toEqual({ difference: undefined, divergence: undefined });
});

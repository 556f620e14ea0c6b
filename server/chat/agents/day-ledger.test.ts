import { expect, onTestFinished, test, vi } from 'vitest';
import { createMemoryState } from '../../execution/state/memory-state.ts';
import { DayLedger } from './day-ledger.ts';

const DAY = '2026-05-01:app:demo';

/** The ledgers of several servers on one state. */
function bed(count = 2) {
  const state = createMemoryState(Date.now);
  const asked = { reads: 0, isDown: false };
  const counting = {
    get: async (scope: string, key: string) => {
      asked.reads++;
      if (asked.isDown) throw new Error('down');
      return state.get(scope, key);
    },
    add: state.add.bind(state),
  };
  const servers = Array.from(
    { length: count },
    () => new DayLedger(DAY, { state: counting, warn: () => {} }),
  );
  onTestFinished(async () => {
    await Promise.all(servers.map((one) => one.close()));
  });
  const sum = async (what: string): Promise<number> =>
    ((await state.get('#agents', `${what}:${DAY}`)) as number | undefined) ?? 0;
  return { servers: servers as [DayLedger, DayLedger], asked, sum };
}

test('DL1: calls on several servers at once never reserve more than the limit', async () => {
  const { servers } = bed(4);
  const limits = { steps: 10, tokens: 95 };
  const calls = Array.from({ length: 15 }, () =>
    servers.map(async (one) => one.take({ steps: 1, tokens: 10 }, limits)),
  ).flat();
  const passed = await Promise.all(calls);
  const granted = passed.filter((one) => one === undefined).length;
  expect(granted).toBeGreaterThan(0);
  expect(granted).toBeLessThanOrEqual(9);
});

test('DL1: usage beyond an estimate counts on all servers', async () => {
  const {
    servers: [a, b],
    sum,
  } = bed();
  const limits = { tokens: 100 };
  expect(await a.take({ tokens: 10 }, limits)).toBeUndefined();
  expect(await a.grow({ tokens: 80 }, limits)).toBeUndefined();
  expect(await b.take({ tokens: 20 }, limits)).toBe('tokens');
  expect(await a.grow({ tokens: 30 }, limits)).toBe('tokens');
  a.release({ tokens: 120 });
  await a.add({ tokens: 120, cost: 0, steps: 1 });
  expect(await sum('tokens')).toBe(120);
  expect(b.used('tokens')).toBe(90);
});

test('DL1: no call starts on another server once the money is spent', async () => {
  const {
    servers: [a, b],
  } = bed();
  const limits = { cost: 1 };
  expect(await a.take({ steps: 1 }, limits)).toBeUndefined();
  expect(await b.take({ steps: 1 }, limits)).toBeUndefined();
  await a.add({ tokens: 5, cost: 1.2, steps: 1 });
  await b.add({ tokens: 5, cost: 0.1, steps: 1 });
  expect(await b.take({ steps: 1 }, limits)).toBe('cost');
  expect(await a.take({ steps: 1 }, limits)).toBe('cost');
  expect(b.grow({ tokens: 1 }, limits)).toBe('cost');
});

test('DL2: most calls find enough in the portion, and the unused rest is given back after a second', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const {
    servers: [a, b],
    asked,
    sum,
  } = bed();
  const limits = { steps: 1000 };
  for (let i = 0; i < 100; i++) {
    expect(await a.take({ steps: 1 }, limits)).toBeUndefined();
    a.release({ steps: 1 });
    await a.add({ tokens: 0, cost: 0, steps: 1 });
  }
  expect(asked.reads).toBeLessThan(5);
  expect(await sum('steps')).toBeGreaterThan(100);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await sum('steps')).toBe(100);
  expect(await b.take({ steps: 900 }, limits)).toBeUndefined();
  expect(await a.take({ steps: 1 }, limits)).toBe('steps');
});

test('DL2: a server that stops gives back its unused portion', async () => {
  const {
    servers: [a],
    sum,
  } = bed();
  await a.take({ steps: 1 }, { steps: 1000 });
  expect(await sum('steps')).toBe(50);
  a.release({ steps: 1 });
  await a.close();
  expect(await sum('steps')).toBe(0);
});

test('DL3: without the state nothing is granted beyond the portion', async () => {
  const {
    servers: [a],
    asked,
  } = bed();
  const limits = { steps: 40 };
  await a.take({ steps: 1 }, limits);
  asked.isDown = true;
  expect(a.take({ steps: 1 }, limits)).toBeUndefined();
  await expect(a.take({ steps: 1 }, limits)).rejects.toThrow('down');
  asked.isDown = false;
  expect(await a.take({ steps: 1 }, limits)).toBeUndefined();
});

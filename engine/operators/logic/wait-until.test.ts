import { expect, test } from 'vitest';
import { TestCall } from '../../testing/call.ts';
import type { WaitFor } from '../../base/operator.ts';
import waitUntil from './wait-until.ts';

/** The wait of the node, started at the time 1000. */
async function waits(params: object): Promise<WaitFor[]> {
  const waited: WaitFor[] = [];
  const call = Object.assign(new TestCall({ in: 'x' }, {}), {
    params,
    now: () => 1000,
    wait: async (what: WaitFor) => void waited.push(what),
  });
  expect(await waitUntil.run?.(call)).toBe('x');
  return waited;
}

test.each([
  [{ at: '1970-01-01T00:00:02Z' }, 2000],
  [{ at: '1970-01-01T01:00:02+01:00' }, 2000],
  [{ at: 2000 }, 2000],
  [{ for: '3s' }, 4000],
  [{ for: 1 }, 1001],
])('%j waits until %d', async (params, until) => {
  expect(await waits(params)).toEqual([{ kind: 'time', until }]);
});

test.each([{ at: 1000 }, { at: '1960-01-01' }, { for: 0 }])('%j goes on at once', async (params) => {
  expect(await waits(params)).toEqual([]);
});

test.each([
  [{}, 'bad_params'],
  [{ at: 1, for: 1 }, 'bad_params'],
  [{ at: '2026-13-01' }, 'bad_input'],
  [{ at: 8_640_000_000_000_001 }, 'bad_input'],
  [{ at: Number.POSITIVE_INFINITY }, 'bad_input'],
])('refuses %j', async (params, code) => {
  await expect(waits(params)).rejects.toMatchObject({ code });
});

import { expect, test } from 'vitest';
import { createMemoryWaits } from './testing/memory-waits.ts';
import type { DurableEnd } from './durable-runs.ts';
import type { StoredRun } from './port.ts';
import { EndReports } from './notify-ends.ts';
import { plainValues } from './testing/plain-values.ts';

const stored = { run: 'r', flow: 'f', version: 'v', input: '{"v":{}}', startedAt: 0, passes: 1 };
const ended: StoredRun = { ...stored, status: 'ok', endedAt: 1 };

/** A clock that advances on its own; the listener refuses the end `failures` times. */
function bed(failures: number) {
  const timers: number[] = [];
  const due: (() => void)[] = [];
  const logged: unknown[] = [];
  const reported: string[] = [];
  const tries: string[] = [];
  let kept: StoredRun | undefined = ended;
  const endReports = new EndReports({
    host: {
      timer(ms, fn) {
        timers.push(ms);
        due.push(fn);
        return () => {};
      },
    },
    log: { error: (...args: unknown[]) => void logged.push(args) },
    waits: createMemoryWaits(),
    view: (run) => run as unknown as DurableEnd,
    values: plainValues,
  });
  endReports.onEnd(({ run }) => {
    tries.push(run);
    if (tries.length <= failures) throw new Error('not now');
  });
  const engine = { get: async () => kept, told: async (run: string) => void reported.push(run) };
  return {
    endReports,
    timers,
    logged,
    reported,
    tries,
    start: () => endReports.report(ended, engine),
    /** Fires the next timer. */
    async pass(): Promise<void> {
      due.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
    forget(): void {
      kept = undefined;
    },
  };
}

test('an end that is not accepted is retried at growing intervals, and logged once', async () => {
  const { start, pass, timers, logged, reported } = bed(12);
  await start();
  for (let i = 0; i < 12; i++) await pass();
  expect(timers.slice(0, 4)).toEqual([5000, 10_000, 20_000, 40_000]);
  expect(timers.slice(-2)).toEqual([3_600_000, 3_600_000]);
  expect(timers).toHaveLength(12);
  expect(logged).toHaveLength(1);
  expect(reported).toEqual(['r']);
});

test('the end of a deleted run, or on a closed server, is no longer reported', async () => {
  const { start, pass, forget, timers, tries } = bed(9);
  await start();
  forget();
  await pass();
  expect([tries.length, timers.length]).toEqual([1, 1]);
  const other = bed(9);
  await other.start();
  other.endReports.close();
  await other.pass();
  expect([other.tries.length, other.timers.length]).toEqual([1, 1]);
});

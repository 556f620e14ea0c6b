import { createHash } from 'node:crypto';
import type { CodeCall, CodeService, Host } from '#engine';
import { createRateService } from '../../base/rates/rate-service.ts';
import { TestClock } from './test-clock.ts';

/** The world of a test: nothing outside, and the same clock, random values and ids every time. */
export interface TestHost extends Host {
  /** Removes timers that no run waits for any more. */
  close(): void;
}

/** 2026-01-01T00:00:00Z */
const NOW = 1_767_225_600_000;

/**
 * A wait of an hour takes no time, and no limit is exceeded because the machine is slow: see `TestClock`. `code` is the
 * sandbox; while it works in real time, the clock stands still. Its code sees that clock and has random numbers of its
 * own.
 */
export function createTestHost(code: CodeService | undefined, startsAt: number = NOW): TestHost {
  const clock = new TestClock(startsAt);
  let ids = 0;
  return {
    now: () => clock.now,
    random: seededRandom(),
    id: () => `00000000-0000-4000-8000-${String(++ids).padStart(12, '0')}`,
    timer: (ms, fn) => clock.timer(ms, fn),
    defer: (fn) => void setImmediate(fn),
    services: {
      rates: createRateService(() => clock.now),
      ...(code !== undefined && { code: heldBy(clock, code) }),
    },
    close: () => clock.close(),
  };
}

/** Random numbers by mulberry32, always from the same seed. */
function seededRandom(): () => number {
  let seed = 1;
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function heldBy(clock: TestClock, code: CodeService): CodeService {
  return {
    run: (call) => clock.during(() => code.run(inTest(call, clock.now))),
    async *stream(call) {
      const items = code.stream(inTest(call, clock.now))[Symbol.asyncIterator]();
      try {
        for (;;) {
          const item = await clock.during(() => items.next());
          if (item.done === true) return;
          yield item.value;
        }
      } finally {
        await items.return?.();
      }
    },
  };
}

/** The random numbers do not depend on the order in which nodes run. */
function inTest(call: CodeCall, now: number): CodeCall {
  const { idempotencyKey, index, attempt } = call.context;
  const digest = createHash('sha256').update(`${idempotencyKey} ${index} ${attempt}`).digest();
  return { ...call, simulated: { now, seed: digest.readInt32LE(0) } };
}

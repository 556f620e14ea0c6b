import type { RateService } from '#engine';
import { type AnyBuckets, createBuckets, type SharedBuckets } from './buckets.ts';
import { rateOf } from './call-rates.ts';

/** The most gates known at once; the least recently used are forgotten first. */
const MAX_GATES = 1000;
/** The most granted turns that are remembered by their holder. */
const MAX_TURNS = 10_000;

interface Turn {
  readonly buckets: AnyBuckets;
  /** When it comes, in Unix milliseconds. */
  readonly at: number;
}

/** The turns of rate gates. Without `shared` they are in memory only: after a restart each gate begins with its whole burst. */
export function createRateService(now: () => number, shared?: SharedBuckets): RateService {
  const gates = new Map<string, AnyBuckets>();
  const turns = new Map<string, Turn>();

  function gateOf(given: Parameters<typeof rateOf>[0]): AnyBuckets {
    const rate = rateOf(given);
    const name = JSON.stringify(rate);
    const gate = gates.get(name) ?? shared?.of('gate', rate) ?? createBuckets(rate, now);
    gates.delete(name);
    return kept(gates, name, gate, MAX_GATES);
  }

  return {
    async take({ name, rate, by, mayWaitMs }) {
      const holder = JSON.stringify([name, by]);
      const known = turns.get(holder);
      if (known) return { granted: true, waitMs: Math.max(0, known.at - now()) };
      const buckets = gateOf(rate);
      const taken = buckets.take(name, mayWaitMs);
      const { granted, waitMs } = taken instanceof Promise ? await taken : taken;
      if (granted) kept(turns, holder, { buckets, at: now() + waitMs }, MAX_TURNS);
      return { granted, waitMs };
    },
    giveBack({ name, by }) {
      const holder = JSON.stringify([name, by]);
      const turn = turns.get(holder);
      turns.delete(holder);
      turn?.buckets.giveBack(name, turn.at - now());
    },
  };
}

/** Adds to a map that is kept in the order of arrival, and removes the oldest beyond `most`. */
function kept<T>(map: Map<string, T>, name: string, value: T, most: number): T {
  map.set(name, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
  return value;
}

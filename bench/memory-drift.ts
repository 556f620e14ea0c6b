import { once } from 'node:events';
import { type Line, median } from './harness.ts';
import type { Server } from './servers.ts';

/** The memory of the server after it has released what nobody needs. */
export async function settledMemory({ child }: Pick<Server, 'child'>): Promise<NodeJS.MemoryUsage> {
  child.send('settle');
  const [usage] = (await once(child, 'message')) as [NodeJS.MemoryUsage];
  return usage;
}

/** From the first third after a warm-up (a quarter of all values) to the last third, in percent; the values are in MB. */
export function driftLine(name: string, values: readonly number[], atMost: number): Line {
  const warm = values.slice(Math.ceil(values.length / 4));
  const third = Math.floor(warm.length / 3);
  const early = median(warm.slice(0, third));
  const late = median(warm.slice(-third));
  return {
    name,
    figure: (late / early - 1) * 100,
    unit: '%',
    bar: { kind: 'at most', value: atMost },
    note: `from ${early.toFixed(1)} MB after the warm-up to ${late.toFixed(1)} MB`,
  };
}

import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Both halves together, in bytes; V8's own limit is twice as much. */
const ENOUGH = 32 * 1024 * 1024;
const LOOK_MS = 250;

/**
 * Lets V8's young generation grow under load, which `index.js` prevented while modules were loaded, but only up to a
 * limit: a larger one costs memory and saves no time (docs/decisions/0008-heap-growth.md).
 */
export function letYoungGenerationGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
  const timer = setInterval(() => {
    if (size() < ENOUGH) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    clearInterval(timer);
  }, LOOK_MS);
  timer.unref();
}

function size(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;
}

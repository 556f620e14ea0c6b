import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Both halves together, in bytes; V8 alone would go to twice as much. */
const ENOUGH = 32 * 1024 * 1024;
const LOOK_MS = 250;

/**
 * Lets V8's young generation grow under load, which `index.js` forbade while everything was loaded, but only so far: beyond that
 * it costs memory and saves no time (docs/decisions/0008-heap-growth.md).
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

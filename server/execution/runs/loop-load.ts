import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Whether the process falls behind with its work. */
export interface LoopLoad {
  readonly late: boolean;
  close(): void;
}

const SAMPLE_MS = 1000;
const RESOLUTION_MS = 20;
const LATE_MS = 500;

/** Checks once a second how late the event loop was. One long pause is no overload; two bad seconds in a row are. */
export function watchLoop(): LoopLoad {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  const load = createLateness();
  const timer = setInterval(() => {
    load.sample(histogram.count === 0 ? SAMPLE_MS : histogram.mean / 1e6 - RESOLUTION_MS);
    histogram.reset();
  }, SAMPLE_MS);
  timer.unref();
  return {
    get late() {
      return load.late;
    },
    close() {
      clearInterval(timer);
      histogram.disable();
    },
  };
}

/** Late after two samples in a row above the limit, until the first one below it. */
export function createLateness(limitMs = LATE_MS): { readonly late: boolean; sample(delayMs: number): void } {
  let bad = 0;
  return {
    get late() {
      return bad >= 2;
    },
    sample(delayMs) {
      bad = delayMs > limitMs ? bad + 1 : 0;
    },
  };
}

import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { RunHub } from './context.ts';

/** Prometheus' view of the process and its runs. Counts are read when asked for, so that requests pay nothing for them. */
export function createMetrics(runs: RunHub): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'weft_runs_in_flight',
    help: 'Runs that have started and not ended.',
    registers: [registry],
    collect() {
      this.set(runs.inFlight);
    },
  });
  return registry;
}

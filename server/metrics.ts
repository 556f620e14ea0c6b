import { collectDefaultMetrics, Gauge, Counter, Registry } from 'prom-client';
import type { RunHub } from './context.ts';

/** How a run ended, as the label `status` of `weft_runs_finished_total`. */
const endings = ['ok', 'failed', 'cancelled'] as const;

/** Prometheus' view of the process and its runs. Counts are read when asked for, so that requests pay nothing for them. */
export function createMetrics(runs: Pick<RunHub, 'stats'>): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  new Gauge({
    name: 'weft_runs_in_flight',
    help: 'Runs that have started and not ended.',
    registers,
    collect() {
      this.set(runs.stats().inFlight);
    },
  });
  new Counter({
    name: 'weft_runs_finished_total',
    help: 'Runs that have ended, by how.',
    labelNames: ['status'],
    registers,
    collect() {
      const stats = runs.stats();
      this.reset();
      for (const status of endings) this.inc({ status }, stats[status]);
    },
  });
  addCount(
    'weft_runs_refused_total',
    'Runs that were refused because the server was full or stopping.',
    'refused',
  );
  addCount('weft_runs_dropped_total', 'Runs whose history could not be kept whole.', 'dropped');
  addCount(
    'weft_runs_unlisted_total',
    'Runs that went well and are in no list, since there were over a thousand in that second.',
    'unlisted',
  );
  return registry;

  function addCount(name: string, help: string, field: 'refused' | 'dropped' | 'unlisted'): void {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(runs.stats()[field]);
      },
    });
  }
}

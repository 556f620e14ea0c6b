import { Counter, Gauge, type Registry } from 'prom-client';
import type { DeadLetters } from '../../../execution/after-runs/dead-letters.ts';
import type { ErrorFlow } from '../../../execution/after-runs/error-flow.ts';

export interface CallMetricDeps {
  readonly errorFlow: Pick<ErrorFlow, 'stats'>;
  readonly deadLetters: Pick<DeadLetters, 'count'>;
}

/** Metrics of everything that follows a run. */
export function addCallMetrics(registers: Registry[], calls: CallMetricDeps): void {
  new Counter({
    name: 'weft_error_flows_total',
    help: 'Failed runs for which an error flow was started, and those for which it was not: too many failed in a second, or the error flow could not start.',
    labelNames: ['result'],
    registers,
    collect() {
      this.reset();
      const { started, dropped } = calls.errorFlow.stats();
      this.inc({ result: 'started' }, started);
      this.inc({ result: 'dropped' }, dropped);
    },
  });
  new Gauge({
    name: 'weft_dead_letters',
    help: 'Durable runs that failed and were neither retried nor dropped.',
    // All processes count the same ones.
    aggregator: 'max',
    registers,
    async collect() {
      this.set(await counted(() => calls.deadLetters.count()));
    },
  });
}

/** Metrics are needed most when something is wrong: one that cannot be counted must not hide the others. */
async function counted(count: () => Promise<number>): Promise<number> {
  try {
    return await count();
  } catch {
    return Number.NaN;
  }
}

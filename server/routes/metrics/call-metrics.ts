import { Counter, Gauge, type Registry } from 'prom-client';
import type { DeadLetters } from '../../after-runs/dead-letters.ts';
import type { ErrorFlow } from '../../after-runs/error-flow.ts';

export interface CallMetricDeps {
  readonly errorFlow: Pick<ErrorFlow, 'stats'>;
  readonly deadLetters: Pick<DeadLetters, 'count'>;
}

/** What comes after runs, as numbers. */
export function addCallMetrics(registers: Registry[], calls: CallMetricDeps): void {
  new Counter({
    name: 'weft_error_flows_total',
    help: 'Failed runs for which an error flow was started, and those for which it was not: too many in a second, or it could not start.',
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
    help: 'Durable runs that failed and that nobody has tried again or dropped.',
    registers,
    collect() {
      this.set(counted(() => calls.deadLetters.count()));
    },
  });
}

/** Metrics are asked for when something is wrong: what cannot be counted then must not keep the others back. */
function counted(count: () => number): number {
  try {
    return count();
  } catch {
    return Number.NaN;
  }
}

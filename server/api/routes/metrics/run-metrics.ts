import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Context } from '../context.ts';
import { BUCKETS, MAX_NAMES, OTHER, type TimeCounts } from '../../../execution/runs/run-counts.ts';

export interface RunMetricDeps {
  readonly runs: Pick<Context['runs'], 'stats'>;
  readonly durable: Pick<Context['durable'], 'waiting'>;
  readonly modelUsage: Pick<Context['modelUsage'], 'byModel'>;
}

type Counts = () => Iterable<readonly [name: string, count: number]>;

/** Durations of runs by flow, failures by operator, and the usage of models. */
export function addRunMetrics(registers: Registry[], { runs, durable, modelUsage }: RunMetricDeps): void {
  // The constructor adds the metric to the registry.
  void new RunTimes(registers, () => runs.stats().flows);
  new Gauge({
    name: 'weft_runs_waiting',
    help: 'Durable runs that wait for people or for a future time.',
    // All processes count the same ones.
    aggregator: 'max',
    registers,
    collect() {
      this.set(durable.waiting);
    },
  });
  addCounter(
    'weft_node_failures_total',
    'Nodes that failed, handled or not.',
    'operator',
    () => runs.stats().failures,
  );
  addCounter('weft_model_input_tokens_total', 'Tokens sent to models.', 'model', () =>
    spentOf(({ tokens }) => tokens.input),
  );
  addCounter('weft_model_output_tokens_total', 'Tokens that models wrote.', 'model', () =>
    spentOf(({ tokens }) => tokens.output),
  );
  addCounter('weft_model_cost_dollars_total', 'Cost of models with a known price.', 'model', () =>
    spentOf(({ cost }) => cost ?? 0),
  );
  new Counter({
    name: 'weft_traces_dropped_total',
    help: 'Traced runs whose spans could not be sent.',
    registers,
    collect() {
      this.reset();
      this.inc(runs.stats().untraced);
    },
  });

  type Spent = ReturnType<typeof modelUsage.byModel> extends ReadonlyMap<string, infer S> ? S : never;
  function spentOf(read: (spent: Spent) => number): Iterable<readonly [string, number]> {
    return [...modelUsage.byModel()].map(([model, spent], i) => [i < MAX_NAMES ? model : OTHER, read(spent)]);
  }

  function addCounter(name: string, help: string, label: string, counts: Counts): void {
    new Counter({
      name,
      help,
      labelNames: [label],
      registers,
      collect() {
        this.reset();
        for (const [value, count] of counts()) this.inc({ [label]: value }, count);
      },
    });
  }
}

const NAME = 'weft_run_duration_seconds';
const DESCRIPTION = { name: NAME, help: 'Duration of runs, by flow.', labelNames: ['flow'] as const };

/** A histogram over counts from elsewhere: runs must not wait for a library that only metrics need. */
class RunTimes extends Histogram<'flow'> {
  private readonly flows: () => ReadonlyMap<string, TimeCounts>;
  /** The same histogram without counts, for its name and type. */
  private readonly described = new Histogram({ ...DESCRIPTION, registers: [] });

  constructor(registers: Registry[], flows: () => ReadonlyMap<string, TimeCounts>) {
    super({ ...DESCRIPTION, registers });
    this.flows = flows;
  }

  override async get(): ReturnType<Histogram<'flow'>['get']> {
    const values = [...this.flows()].flatMap(([flow, counts]) => valuesOf(flow, counts));
    return { ...(await this.described.get()), values };
  }

  /** The library builds its text from this; its types omit it. */
  getForPromString(): ReturnType<Histogram<'flow'>['get']> {
    return this.get();
  }
}

/** Cumulative buckets, as Prometheus defines them: each one includes those below it. */
function valuesOf(flow: string, { buckets, count, sumMs }: TimeCounts) {
  let sum = 0;
  const bounds = [...BUCKETS.map((ms) => ms / 1000), '+Inf'];
  return [
    ...bounds.map((le, i) => {
      sum += buckets[i] ?? 0;
      return { metricName: `${NAME}_bucket`, labels: { flow, le }, value: sum };
    }),
    { metricName: `${NAME}_sum`, labels: { flow }, value: sumMs / 1000 },
    { metricName: `${NAME}_count`, labels: { flow }, value: count },
  ];
}

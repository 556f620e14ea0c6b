import { collectDefaultMetrics, Gauge, Counter, Registry } from 'prom-client';
import { addCallMetrics, type CallMetricDeps } from './call-metrics.ts';
import { addDiskMetrics } from './disk-metrics.ts';
import type { Context } from '../context.ts';
import type { OriginCounts } from '../../../base/outbound/places.ts';
import { addRunMetrics, type RunMetricDeps } from './run-metrics.ts';
import { uncaughtCounts } from '../../../base/process/last-net.ts';
import type { CallRates } from '../../../base/rates/call-rates.ts';
import { MAX_NAMES, OTHER } from '../../../execution/runs/run-counts.ts';
import type { CodeStats } from '../../../integrations/sandbox/stats.ts';

interface MetricDeps extends Pick<Context, 'codeStats' | 'outboundCounts'>, RunMetricDeps {
  readonly config: Pick<Context['config'], 'data'>;
  readonly host: Pick<Context['host'], 'now'>;
  readonly calls: CallMetricDeps;
  readonly rates: Pick<CallRates, 'refused'>;
  readonly nodes?: Pick<Context['nodes'], 'doubtedNotices'>;
}

/** The end of a run, as the label `status` of `weft_runs_finished_total`. */
const endings = ['ok', 'failed', 'cancelled'] as const;

/**
 * Prometheus' view of the process, its runs and its code. Counts are read only on demand, so they cost other requests
 * nothing.
 */
export function createMetrics(deps: MetricDeps): Registry {
  const { runs, durable, codeStats, modelUsage, calls, rates, outboundCounts, nodes, config, host } = deps;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  new Gauge({
    name: 'weft_runs_in_flight',
    help: 'Runs in progress.',
    registers,
    collect() {
      this.set(runs.stats().inFlight);
    },
  });
  new Counter({
    name: 'weft_runs_finished_total',
    help: 'Runs that have ended, by status.',
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
  addCount(
    'weft_runs_dropped_total',
    'Runs whose history is incomplete because it could not be stored.',
    'dropped',
  );
  addCount(
    'weft_run_values_lost_total',
    'Large values of recorded runs that were truncated, and recordings that were not stored.',
    'lostValues',
  );
  addUncaughtMetric(registers);
  addRunMetrics(registers, { runs, durable, modelUsage });
  addCallMetrics(registers, calls);
  addRateMetrics(registers, rates);
  addDiskMetrics(registers, config.data, host.now);
  if (outboundCounts) addOutboundMetrics(registers, outboundCounts);
  if (codeStats) addCodeMetrics(registers, codeStats);
  if (nodes?.doubtedNotices) addNoticeMetrics(registers, nodes.doubtedNotices);
  return registry;

  function addCount(name: string, help: string, field: 'refused' | 'dropped' | 'lostValues'): void {
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

function addUncaughtMetric(registers: Registry[]): void {
  new Counter({
    name: 'weft_uncaught_errors_total',
    help: 'Errors that nobody handled: rejected promises, after which the server goes on, and exceptions, after which it stops.',
    labelNames: ['kind'],
    registers,
    collect() {
      this.reset();
      for (const [kind, count] of Object.entries(uncaughtCounts())) this.inc({ kind }, count);
    },
  });
}

function addNoticeMetrics(registers: Registry[], doubted: () => ReadonlyMap<string, number>): void {
  new Counter({
    name: 'weft_notices_unproven_total',
    help: 'Notices on the shared database that no server with its secrets key is proven to have sent just now, by the reason. They clear and count nothing.',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset();
      for (const [reason, count] of doubted()) this.inc({ reason }, count);
    },
  });
}

/** The most refused by name, the others together. */
function addRateMetrics(registers: Registry[], rates: MetricDeps['rates']): void {
  new Counter({
    name: 'weft_rate_limited_total',
    help: 'Calls that were refused because a limit was reached: of a trigger, form, chat, page or API key (kind), by flow or app.',
    labelNames: ['kind', 'of'],
    registers,
    collect() {
      this.reset();
      const most = rates.refused().toSorted((a, b) => b.count - a.count);
      most.forEach(({ kind, of = '', count }, i) =>
        this.inc({ kind, of: i < MAX_NAMES ? of : OTHER }, count),
      );
    },
  });
}

/** The busiest origins by name, the others together: flows choose origins, so there may be any number. */
function addOutboundMetrics(registers: Registry[], counts: () => OriginCounts[]): void {
  const busiest = (): OriginCounts[] =>
    counts().sort((a, b) => b.calls + b.streams + b.queued - (a.calls + a.streams + a.queued));
  new Gauge({
    name: 'weft_outbound_open',
    help: 'Outbound requests that have a connection, by origin and by whether their answer is streamed.',
    labelNames: ['origin', 'kind'],
    registers,
    collect() {
      this.reset();
      busiest().forEach(({ origin: name, calls, streams }, i) => {
        const origin = i < MAX_NAMES ? name : OTHER;
        this.inc({ origin, kind: 'calls' }, calls);
        this.inc({ origin, kind: 'streams' }, streams);
      });
    },
  });
  new Gauge({
    name: 'weft_outbound_queued',
    help: 'Outbound requests that wait for a connection, by origin.',
    labelNames: ['origin'],
    registers,
    collect() {
      this.reset();
      busiest().forEach(({ origin, queued }, i) =>
        this.inc({ origin: i < MAX_NAMES ? origin : OTHER }, queued),
      );
    },
  });
}

function addCodeMetrics(registers: Registry[], stats: () => CodeStats): void {
  const counter = (name: string, help: string, field: 'calls' | 'lostHosts') =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(stats()[field]);
      },
    });
  const gauge = (name: string, help: string, field: 'open' | 'hosts') =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(stats()[field]);
      },
    });
  counter('weft_code_calls_total', 'Calls of code nodes that have started.', 'calls');
  gauge('weft_code_calls_open', 'Calls of code nodes that are waiting or in progress.', 'open');
  gauge('weft_code_hosts', 'Sandbox processes that exist.', 'hosts');
  counter(
    'weft_code_hosts_lost_total',
    'Sandbox processes that ended by themselves or had to be killed; new ones take their place.',
    'lostHosts',
  );
  new Counter({
    name: 'weft_code_errors_total',
    help: 'Calls of code nodes that failed, by the code of their error.',
    labelNames: ['code'],
    registers,
    collect() {
      this.reset();
      for (const [code, count] of stats().errors) this.inc({ code }, count);
    },
  });
}

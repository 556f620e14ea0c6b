import type { FastifyBaseLogger } from 'fastify';
import type { Asker, Outcome, Run } from '#engine';
import { outermostNode } from '#engine/check';
import type { Flow } from '#shared/flow.ts';
import { lazy } from '../../base/parts/lazy.ts';
import type { RunRequest } from '../../flows/service/run-request.ts';
import type { ProviderHttp } from '../../base/outbound/client.ts';
import type { RunTrace, TracedRun } from './spans.ts';
import { createTraceSampler } from './sampler.ts';
import { newSpanId, nodeSpanId, readTraceparent, writeTraceparent } from './trace-context.ts';
import type { Config } from '../../base/config/config.ts';

/** Where traces are sent, and which runs are sampled. */
interface TracingSettings {
  /** Base address of a receiver of OTLP over HTTP. */
  readonly endpoint: string;
  readonly service: string;
  readonly sampler: Config['tracesSampler'];
  readonly ratio: number;
}

/**
 * Traces of runs.
 * TR1. A run that is not sampled costs one call and leaves nothing behind.
 * TR2. Spans are made from the events of finished runs, a while later; no run and no answer waits for them.
 * TR3. A part of another run is in that run's trace, or in none.
 * TR4. Spans that cannot be sent are dropped and counted; the library that sends them is loaded with the first traced
 *      run.
 */
export interface Tracing {
  /** Whether this run is traced. Call it once, at its start. */
  begin(run: string, request: RunRequest): boolean;
  ended(request: RunRequest, run: Run, outcome: Outcome): void;
  /** The `traceparent` of requests by a node of a traced run. */
  headerFor(by: Asker): string | undefined;
  /** The number of traced runs whose spans were not sent. */
  readonly dropped: number;
  /** Sends the remaining spans. */
  close(): Promise<void>;
}

const BATCH_MS = 200;
/** The most runs that wait to become spans. */
const MAX_WAITING = 1000;

interface FlowTrace {
  readonly trace: RunTrace;
  readonly flow: Flow;
}

/** The span of a node; what a node in a body asks for belongs to the node around it, since nodes in bodies have none. */
function spanIdOf({ trace, flow }: FlowTrace, node: string): string {
  return nodeSpanId(trace, outermostNode(flow, node));
}

export function createTracing(settings: TracingSettings, log: Pick<FastifyBaseLogger, 'warn'>): Tracing {
  return new RunTracing(settings, log);
}

class RunTracing implements Tracing {
  dropped = 0;
  private readonly settings: TracingSettings;
  private readonly log: Pick<FastifyBaseLogger, 'warn'>;
  private readonly sample: ReturnType<typeof createTraceSampler>;
  /** The traces of runs in progress. */
  private readonly traces = new Map<string, FlowTrace>();
  private waiting: TracedRun[] = [];
  private timer: NodeJS.Timeout | undefined = undefined;
  private readonly sink = lazy(async () =>
    (await import('./span-sink.ts')).openSpanSink(this.settings, this.log),
  );

  constructor(settings: TracingSettings, log: Pick<FastifyBaseLogger, 'warn'>) {
    this.settings = settings;
    this.log = log;
    this.sample = createTraceSampler(settings.sampler, settings.ratio);
  }

  begin(run: string, request: RunRequest): boolean {
    // A durable run that continues stays in its trace.
    if (this.traces.has(run)) return true;
    const trace = request.part ? this.traceOfPart(request.part.parent) : this.newTrace(request);
    if (trace !== undefined) this.traces.set(run, { trace, flow: request.flow.flow });
    return trace !== undefined;
  }

  private traceOfPart({ id, node }: { id: string; node?: string }): RunTrace | undefined {
    const above = this.traces.get(id);
    if (above === undefined) return undefined;
    const parentId = node === undefined ? above.trace.spanId : spanIdOf(above, node);
    return { traceId: above.trace.traceId, spanId: newSpanId(), parentId };
  }

  private newTrace({ request: { headers } }: RunRequest): RunTrace | undefined {
    const caller = readTraceparent((headers as Record<string, unknown> | undefined)?.['traceparent']);
    const traceId = this.sample(caller);
    return traceId === undefined ? undefined : { traceId, spanId: newSpanId(), parentId: caller?.spanId };
  }

  ended(request: RunRequest, run: Run, outcome: Outcome): void {
    const trace = this.traces.get(run.id)?.trace;
    if (trace === undefined) return;
    this.traces.delete(run.id);
    if (this.waiting.length >= MAX_WAITING) {
      this.dropped++;
      return;
    }
    this.waiting.push({ trace, request, run, outcome });
    this.timer ??= setTimeout(() => void this.hand(), BATCH_MS);
  }

  headerFor({ run, node }: Asker): string | undefined {
    const found = this.traces.get(run);
    return found && writeTraceparent({ traceId: found.trace.traceId, spanId: spanIdOf(found, node) });
  }

  async close(): Promise<void> {
    await this.hand();
    await (await this.sink.loading?.catch(() => undefined))?.close();
  }

  /** Makes spans of the waiting runs. Never rejects. */
  private async hand(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const runs = this.waiting;
    if (runs.length === 0) return;
    this.waiting = [];
    try {
      (await this.sink()).take(runs);
    } catch (error) {
      this.dropped += runs.length;
      this.log.warn({ err: error, runs: runs.length }, 'traces of runs could not be made');
    }
  }
}

/** Requests of nodes of traced runs name their span; a `traceparent` that the flow sets itself is kept. */
export function tracedHttp(http: ProviderHttp, tracing: Pick<Tracing, 'headerFor'>): ProviderHttp {
  return {
    send(request, by, signal, near) {
      const header = tracing.headerFor(by);
      if (header === undefined || 'traceparent' in request.headers)
        return http.send(request, by, signal, near);
      return http.send(
        { ...request, headers: { ...request.headers, traceparent: header } },
        by,
        signal,
        near,
      );
    },
  };
}

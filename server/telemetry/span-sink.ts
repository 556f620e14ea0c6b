import { setTimeout as pause } from 'node:timers/promises';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace';
import type { FastifyBaseLogger } from 'fastify';
import { version } from '../http/version.ts';
import { spansOf } from './spans.ts';
import type { TracedRun, TracingSettings } from './tracing.ts';

export interface SpanSink {
  take(runs: readonly TracedRun[]): void;
  close(): Promise<void>;
}

/** A receiver that is away is told once in so many milliseconds. */
const TELL_EVERY = 60_000;
const QUEUED_SPANS = 20_000;
const BATCH_DELAY_MS = 1000;
/** What the last batch may take, in milliseconds. */
const LAST_MS = 1000;

/** Sends spans over OTLP/HTTP, in batches. Everything of OpenTelemetry is behind this file. */
export function openSpanSink(
  { endpoint, service }: TracingSettings,
  log: Pick<FastifyBaseLogger, 'warn'>,
): SpanSink {
  let toldAt = Number.NEGATIVE_INFINITY;
  const tell = (error: unknown): void => {
    if (Date.now() - toldAt < TELL_EVERY) return;
    toldAt = Date.now();
    log.warn({ err: error, endpoint }, 'spans could not be sent; check OTEL_EXPORTER_OTLP_ENDPOINT');
  };
  setGlobalErrorHandler(tell);
  const resource = resourceFromAttributes({ 'service.name': service, 'service.version': version });
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` });
  const processor = new BatchSpanProcessor({
    exporter,
    maxQueueSize: QUEUED_SPANS,
    scheduledDelayMillis: BATCH_DELAY_MS,
  });
  return {
    take(runs) {
      for (const run of runs) for (const span of spansOf(run, resource)) processor.onEnd(span);
    },
    // A receiver that is away is tried for longer than a server may take to stop.
    close: () => Promise.race([processor.shutdown().catch(tell), pause(LAST_MS, undefined, { ref: false })]),
  };
}

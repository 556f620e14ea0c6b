import { setTimeout as pause } from 'node:timers/promises';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor } from '@opentelemetry/sdk-trace';
import type { FastifyBaseLogger } from 'fastify';
import { version } from '../../access/http/version.ts';
import { spansOf, type TracedRun } from './spans.ts';

/** Takes ended runs as spans of OpenTelemetry. */
export interface SpanSink {
  take(runs: readonly TracedRun[]): void;
  close(): Promise<void>;
}

/** An unreachable receiver is logged at most once in this many milliseconds. */
const LOG_EVERY_MS = 60_000;
const QUEUED_SPANS = 20_000;
const BATCH_DELAY_MS = 1000;
/** How long the last batch may take, in milliseconds. */
const LAST_MS = 1000;

/** Sends spans over OTLP/HTTP, in batches. Only this file uses OpenTelemetry's exporter. */
export function openSpanSink(
  { endpoint, service }: { readonly endpoint: string; readonly service: string },
  log: Pick<FastifyBaseLogger, 'warn'>,
): SpanSink {
  let loggedAt = Number.NEGATIVE_INFINITY;
  const report = (error: unknown): void => {
    if (Date.now() - loggedAt < LOG_EVERY_MS) return;
    loggedAt = Date.now();
    log.warn({ err: error, endpoint }, 'spans could not be sent; check OTEL_EXPORTER_OTLP_ENDPOINT');
  };
  setGlobalErrorHandler(report);
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
    // An unreachable receiver is retried for longer than a server may take to stop.
    close: () =>
      Promise.race([processor.shutdown().catch(report), pause(LAST_MS, undefined, { ref: false })]),
  };
}

import { type Attributes, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { millisToHrTime } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { Outcome, Run } from '#engine';
import type { Tokens } from '#shared/run-event.ts';
import { type NodeTimes, nodeTimes } from '../history/timeline/node-times.ts';
import { version } from '../../access/http/version.ts';
import type { RunRequest } from '../../flows/service/run-request.ts';
import { nodeSpanId, type TraceContext } from './trace-context.ts';

/** The position of a run in its trace. */
export interface RunTrace extends TraceContext {
  readonly parentId: string | undefined;
}

/** A traced run that is over. */
export interface TracedRun {
  readonly trace: RunTrace;
  readonly request: RunRequest;
  readonly run: Run;
  readonly outcome: Outcome;
}

const SCOPE = { name: 'weft', version };

interface Draft {
  readonly name: string;
  readonly kind: SpanKind;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  /** Unix milliseconds. */
  readonly start: number;
  readonly end: number;
  readonly attributes: Attributes;
  readonly events: ReadableSpan['events'];
  /** Code of the error. */
  readonly error: string | undefined;
}

/** A span for the run and one for each node that ran: codes, counts and names, but no values and no messages. */
export function spansOf(traced: TracedRun, resource: Resource): ReadableSpan[] {
  const { run, outcome } = traced;
  const end = run.startedAt + outcome.ms;
  const { nodes } = nodeTimes(run.events(), end);
  const drafts = [runDraft(traced, end), ...nodes.map((node) => nodeDraft(traced, node))];
  return drafts.map((draft) => spanOf(draft, resource));
}

function runDraft({ trace, request, run, outcome }: TracedRun, end: number): Draft {
  const isServer = request.source === 'http' || request.source === 'chat' || request.source === 'mcp';
  return {
    ...trace,
    name: `run ${run.flow}`,
    kind: isServer ? SpanKind.SERVER : SpanKind.INTERNAL,
    start: run.startedAt,
    end,
    attributes: {
      'weft.flow': run.flow,
      'weft.version': run.version,
      'weft.run': run.id,
      'weft.trigger': run.trigger,
      'weft.source': request.source,
      'weft.status': outcome.status,
      ...(outcome.spent && spentAttributes(outcome.spent)),
    },
    events: [],
    error: outcome.error?.code,
  };
}

function nodeDraft({ trace, request, run }: TracedRun, times: NodeTimes): Draft {
  const { node, start, end, attempts, status, waits, tokens, cost, model, error } = times;
  const operator = request.flow.flow.nodes[node]?.operator ?? 'unknown';
  return {
    name: `${operator} ${node}`,
    kind: SpanKind.INTERNAL,
    traceId: trace.traceId,
    spanId: nodeSpanId(trace, node),
    parentId: trace.spanId,
    start,
    end,
    attributes: {
      'weft.flow': run.flow,
      'weft.version': run.version,
      'weft.node': node,
      'weft.operator': operator,
      'weft.attempt': attempts,
      'weft.status': status,
      ...(model !== undefined && modelAttributes(operator, model)),
      ...(tokens && spentAttributes({ tokens, cost })),
    },
    events: waits.map((wait) => ({
      name: wait.kind === 'retry' ? 'retry' : 'wait',
      time: millisToHrTime(wait.start),
      attributes: { 'weft.wait_ms': wait.ms },
      droppedAttributesCount: 0,
    })),
    error,
  };
}

function spentAttributes({ tokens, cost }: { tokens: Tokens; cost?: number | undefined }): Attributes {
  return {
    'gen_ai.usage.input_tokens': tokens.input,
    'gen_ai.usage.output_tokens': tokens.output,
    ...(tokens.cached !== undefined && { 'gen_ai.usage.cache_read.input_tokens': tokens.cached }),
    ...(cost !== undefined && { 'weft.cost': cost }),
  };
}

/** The attributes of a node, in the terms of OpenTelemetry's semantic conventions. */
function modelAttributes(operator: string, model: string): Attributes {
  const [provider = ''] = model.split('/');
  return {
    'gen_ai.operation.name': operations[operator] ?? 'chat',
    'gen_ai.provider.name': provider,
    'gen_ai.response.model': model.slice(provider.length + 1),
  };
}

const operations: Readonly<Record<string, string>> = {
  'agent.run': 'invoke_agent',
  'model.embed': 'embeddings',
};

function spanOf(draft: Draft, resource: Resource): ReadableSpan {
  const { name, kind, traceId, spanId, parentId, start, end, attributes, events, error } = draft;
  const context = (id: string) => ({ traceId, spanId: id, traceFlags: TraceFlags.SAMPLED });
  return {
    name,
    kind,
    spanContext: () => context(spanId),
    ...(parentId !== undefined && { parentSpanContext: context(parentId) }),
    startTime: millisToHrTime(start),
    endTime: millisToHrTime(end),
    duration: millisToHrTime(end - start),
    ended: true,
    status:
      error === undefined ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: error },
    attributes: error === undefined ? attributes : { ...attributes, 'error.type': error },
    events,
    links: [],
    resource,
    instrumentationScope: SCOPE,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

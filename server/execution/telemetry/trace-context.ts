import { createHash, randomBytes } from 'node:crypto';

/** A position in a trace, in the terms of W3C Trace Context: hexadecimal, in lower case. */
export interface TraceContext {
  /** 32 digits. */
  readonly traceId: string;
  /** 16 digits: the span itself. */
  readonly spanId: string;
}

/** A caller's statement about the trace that its request belongs to. */
export interface CallerTrace extends TraceContext {
  readonly isSampled: boolean;
}

const HEADER = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const NONE = /^0+$/;

/** Reads a `traceparent` header; undefined if it is missing or malformed. */
export function readTraceparent(header: unknown): CallerTrace | undefined {
  const [, traceId, spanId, flags] = typeof header === 'string' ? (HEADER.exec(header.trim()) ?? []) : [];
  if (traceId === undefined || spanId === undefined || NONE.test(traceId) || NONE.test(spanId))
    return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags as string, 16) & 1) === 1 };
}

/** The header of a sampled trace. */
export function writeTraceparent({ traceId, spanId }: TraceContext): string {
  return `00-${traceId}-${spanId}-01`;
}

export function newSpanId(): string {
  return randomBytes(8).toString('hex');
}

/** The span id of a node of a run: derived, so that nothing is stored while the run is in progress. */
export function nodeSpanId(run: TraceContext, node: string): string {
  return createHash('sha256').update(`${run.traceId}${run.spanId}${node}`).digest('hex').slice(0, 16);
}

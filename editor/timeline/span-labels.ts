import type { TimelineSpan } from '#shared/run-timeline.ts';
import { countText, durationText } from '../ui/format.ts';

type Wait = TimelineSpan['waits'][number];
/** The usage of models: tokens, and the cost in US dollars. Each is absent if it is unknown. */
export type SpentFields = Pick<TimelineSpan, 'tokens' | 'cost'>;

const WAITS: Readonly<Record<Wait['kind'], string>> = {
  turn: 'for a free slot',
  retry: 'before another attempt',
  queue: 'for a busy connection',
  outside: 'for an answer or a time',
};

/** `1,200 tokens in, 80 out`; undefined for none. */
export function tokensText({ tokens }: SpentFields): string | undefined {
  if (tokens === undefined) return undefined;
  const cached = tokens.cached === undefined ? '' : ` (${tokens.cached.toLocaleString('en')} from the cache)`;
  return `${countText(tokens.input, 'token')} in${cached}, ${tokens.output.toLocaleString('en')} out`;
}

/** `$0.0021`: with as many digits as necessary; undefined if the cost is unknown. */
export function costText({ cost }: SpentFields): string | undefined {
  if (cost === undefined) return undefined;
  return cost === 0 || cost >= 0.01 ? `$${cost.toFixed(2)}` : `$${Number(cost.toPrecision(2))}`;
}

/** All details of a span, the most interesting first. */
export function spanFacts(span: TimelineSpan): string[] {
  const { start, ms, selfMs, waits, attempts, critical, model, error } = span;
  const waited = [...Map.groupBy(waits, ({ kind }) => kind)].map(
    ([kind, of]) => `${durationText(of.reduce((sum, wait) => sum + wait.ms, 0))} waiting ${WAITS[kind]}`,
  );
  const facts = [
    durationText(ms),
    critical && 'on the critical path',
    selfMs < ms && `${durationText(selfMs)} of its own`,
    ...waited,
    `from ${durationText(start)} on`,
    attempts > 1 && countText(attempts, 'attempt'),
    tokensText(span),
    costText(span),
    model,
    error,
  ];
  return facts.filter((fact): fact is string => typeof fact === 'string');
}

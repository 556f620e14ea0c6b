import type { FlowNode } from '#shared/flow.ts';
import { measureText } from './measure.ts';

/** How a node behaves beside what its operator does, in one line: `3 attempts · 30 s · for each item`. Empty for the usual. */
export function behaviourText(node: FlowNode | undefined): string {
  const { retry, timeoutMs, onError, cache, each, disabled } = node ?? {};
  const parts = [
    disabled && 'disabled',
    each && 'for each item',
    retry && `${retry.attempts} attempts`,
    timeoutMs !== undefined && `at most ${measureText(timeoutMs, 'ms')}`,
    onError === 'continue' && 'goes on with a fallback',
    onError === 'route' && 'goes on at its error output',
    cache && `reuses outputs${cache.ttlMs === undefined ? '' : ` for ${measureText(cache.ttlMs, 'ms')}`}`,
  ];
  return parts.filter(Boolean).join(' · ');
}

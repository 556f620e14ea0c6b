import type { FlowNode } from '#shared/flow.ts';
import type { Original } from '../original.ts';
import { only } from './mapping.ts';

type Params = Record<string, unknown>;

/** Rounds that the server itself stores, which need no node. */
const KEPT_ROUNDS = 10;

/** A node that limits the history; undefined without params for one. */
export function historyNode(params: Params | undefined): FlowNode | undefined {
  return params && { operator: 'prompt.history', params };
}

/** The history mode of an operator, as params of `prompt.history`; undefined if the server does the same anyway. */
export function historyOf(from: Original): Params | undefined {
  const mode = from.text('history_merge_mode') ?? 'none';
  if (mode === 'window') return rounds(from);
  if (mode === 'token')
    return { mode, ...only(from.number('max_token_limit'), (maxTokens) => ({ maxTokens })) };
  return { mode: 'none' };
}

/** First and last rounds to keep; if it names neither, it keeps all. */
export function rounds(from: Original): Params | undefined {
  const first = from.number('keep_start_rounds');
  const start = first ?? 0;
  const end = from.number('keep_end_rounds') ?? (first === undefined ? KEPT_ROUNDS : 0);
  if (start === 0 && end === KEPT_ROUNDS) return undefined;
  return { mode: 'window', keepStartRounds: start, keepEndRounds: end };
}

import type { OperatorInfo } from '#shared/catalog.ts';
import type { FlowNode } from '#shared/flow.ts';
import type { Env } from '../expr/index.ts';
import type { NodeCall } from '../run/call.ts';
import { templateEvaluator } from './params.ts';

/** What `cache` of a node means for its step. */
export interface StepCache {
  readonly ttlMs: number;
  /** What stands for the input; without it params and inputs do. */
  readonly key: ((call: NodeCall) => unknown) | undefined;
  /** Why nothing can be kept, whatever the input. */
  readonly refused: string | undefined;
  /** Why the step gives what was laid down for it, and never asks the cache (`engine/partial`). */
  readonly given?: string;
}

/** Undefined for a node without `cache`. */
export function compileCache(
  { cache }: FlowNode,
  info: OperatorInfo,
  env: Env<NodeCall>,
  streams: boolean,
): StepCache | undefined {
  if (cache === undefined) return undefined;
  const field = { pattern: '', path: 'cache.key', schema: undefined };
  const key = cache.key === undefined ? undefined : templateEvaluator(cache.key, field, env).evaluate;
  // Such params are functions, which cannot be compared.
  const isLazy = info.lazyParams.length > 0 && key === undefined;
  const refused = streams ? 'stream' : isLazy ? 'lazy-params' : undefined;
  return { ttlMs: cache.ttlMs ?? Number.POSITIVE_INFINITY, key, refused };
}

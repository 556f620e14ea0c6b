import type { OperatorInfo } from '#shared/catalog.ts';
import type { FlowNode } from '#shared/flow.ts';
import type { Env } from '../expr/index.ts';
import { templateEvaluator } from './params.ts';
import type { StepCache, StepScope } from './plan.ts';

/** Undefined for a node without `cache`. */
export function compileCache(
  { cache }: FlowNode,
  info: OperatorInfo,
  env: Env<StepScope>,
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

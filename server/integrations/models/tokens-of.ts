import type { ModelSpent } from '#engine';
import type { TokenUsage } from '#shared/chat-item.ts';

/** The tokens of a call as runs report them. */
export function tokensOf(usage: TokenUsage): ModelSpent['tokens'] {
  const {
    inputTokens: input,
    outputTokens: output,
    cachedTokens: cached,
    reasoningTokens: reasoning,
  } = usage;
  return {
    input,
    output,
    ...(cached !== undefined && { cached }),
    ...(reasoning !== undefined && { reasoning }),
  };
}

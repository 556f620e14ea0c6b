import type { TokenUsage } from '#shared/chat-item.ts';
import type { ModelPrices } from '#shared/model-provider.ts';

const PER_MILLION = 1_000_000;

/** The cost of a call in US dollars; undefined for a model without prices. */
export function costOf(prices: ModelPrices | undefined, usage: TokenUsage): number | undefined {
  if (prices === undefined) return undefined;
  const { inputTokens, outputTokens } = usage;
  const cached = prices.cached === undefined ? 0 : Math.min(usage.cachedTokens ?? 0, inputTokens);
  const sent = (inputTokens - cached) * prices.input + cached * (prices.cached ?? 0);
  return (sent + outputTokens * prices.output) / PER_MILLION;
}

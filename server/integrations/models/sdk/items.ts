import type { ChatItem, FinishReason, TokenUsage } from '#shared/chat-item.ts';
import { parseKeepingDigits } from '#shared/lost-digits.ts';
import { brokenOff, ToldError } from './model-error.ts';
import type { StreamPart } from './types.ts';

/** One part of an answer as an item; undefined for parts that nobody needs. Throws the error that the part reports. */
export function itemOf(part: StreamPart, model: string): ChatItem | undefined {
  switch (part.type) {
    case 'text-delta':
    case 'reasoning-delta':
      if (part.delta === '') return undefined;
      return { type: part.type === 'text-delta' ? 'text' : 'reasoning', text: part.delta };
    case 'tool-call': {
      const { toolCallId: id, toolName: name, input } = part;
      return { type: 'tool-call', call: { id, name, arguments: parsed(input) } };
    }
    case 'finish':
      return { type: 'finish', reason: reasonOf(part.finishReason), usage: usageOf(part.usage), model };
    case 'error':
      throw part.error instanceof Error ? part.error : new ToldError(part.error);
    default:
      return undefined;
  }
}

type Finish = Extract<StreamPart, { type: 'finish' }>;

/** An answer that ends without a reason was cut off, whatever the connection says. */
function reasonOf({ unified, raw }: Finish['finishReason']): FinishReason {
  if (unified === 'error' || unified === 'interrupted' || (unified === 'other' && raw === undefined))
    throw brokenOff();
  return unified === 'other' ? 'stop' : unified;
}

function usageOf({ inputTokens, outputTokens }: Finish['usage']): TokenUsage {
  const { cacheRead: cachedTokens } = inputTokens;
  return {
    inputTokens: inputTokens.total ?? 0,
    outputTokens: outputTokens.total ?? 0,
    ...(cachedTokens !== undefined && cachedTokens > 0 && { cachedTokens }),
  };
}

/** Some models call tools without arguments with an empty text. */
function parsed(input: string): unknown {
  if (input.trim() === '') return {};
  try {
    return parseKeepingDigits(input);
  } catch {
    return input;
  }
}

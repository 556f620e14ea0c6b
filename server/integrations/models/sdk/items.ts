import type { ChatItem, FinishReason, TokenUsage } from '#shared/chat-item.ts';
import { parseKeepingDigits } from '#shared/lost-digits.ts';
import { ThoughtKeeper } from './kept-thoughts.ts';
import { brokenOff, StreamError } from './model-error.ts';
import type { StreamPart } from './types.ts';

/** The items of one answer of a model, by its full name. Throws the errors that its parts report. */
export async function* itemsOf(parts: AsyncIterable<StreamPart>, model: string): AsyncGenerator<ChatItem> {
  const keeper = new ThoughtKeeper(model);
  let refuses = false;
  let finished = false;
  for await (const part of parts) {
    keeper.take(part);
    if (part.type === 'raw') refuses = isRefusal(part.rawValue);
    finished ||= part.type === 'finish';
    const item = itemOf(part, model);
    if (item === undefined) continue;
    if (item.type === 'tool-call') keeper.called(item.call, (part as ToolCallPart).providerMetadata);
    yield refuses && item.type === 'text' ? { ...item, refusal: true } : item;
  }
  if (!finished) throw brokenOff();
}

type ToolCallPart = Extract<StreamPart, { type: 'tool-call' }>;

/** Whether the text of a chunk, or of a whole answer, is a refusal. Only OpenAI distinguishes the two. */
function isRefusal(raw: unknown): boolean {
  const { choices } = (raw ?? {}) as { choices?: readonly unknown[] };
  const [choice] = Array.isArray(choices) ? choices : [];
  const { delta, message } = (choice ?? {}) as { delta?: object; message?: object };
  const { refusal } = (delta ?? message ?? {}) as { refusal?: unknown };
  return typeof refusal === 'string' && refusal !== '';
}

/** Undefined for parts that are not needed. */
function itemOf(part: StreamPart, model: string): ChatItem | undefined {
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
      throw part.error instanceof Error ? part.error : new StreamError(part.error);
    default:
      return undefined;
  }
}

type Finish = Extract<StreamPart, { type: 'finish' }>;

/** An answer that ends without a reason was cut off, whatever the state of the connection. */
function reasonOf({ unified, raw }: Finish['finishReason']): FinishReason {
  if (unified === 'error' || unified === 'interrupted' || (unified === 'other' && raw === undefined))
    throw brokenOff();
  return unified === 'other' ? 'stop' : unified;
}

function usageOf({ inputTokens, outputTokens }: Finish['usage']): TokenUsage {
  const { cacheRead: cachedTokens } = inputTokens;
  const { reasoning: reasoningTokens } = outputTokens;
  return {
    inputTokens: inputTokens.total ?? 0,
    outputTokens: outputTokens.total ?? 0,
    ...(cachedTokens !== undefined && cachedTokens > 0 && { cachedTokens }),
    ...(reasoningTokens !== undefined && reasoningTokens > 0 && { reasoningTokens }),
  };
}

/** Parses the arguments of a call; some models send an empty text for a tool without arguments. */
function parsed(input: string): unknown {
  if (input.trim() === '') return {};
  try {
    return parseKeepingDigits(input);
  } catch {
    return input;
  }
}

import { type Spent, WeftError } from '#engine';
import type { ChatItem, TokenUsage, ToolCall } from '#shared/chat-item.ts';
import { FLOW_PREFIX } from '#shared/chat-names.ts';
import { MAX_ANSWER } from '../../access/answers/serialise.ts';
import type { Chat } from './chat.ts';
import { type Completion, finishWord } from './chunks.ts';
import { createPlainText } from './vis.ts';

const NO_USAGE = { inputTokens: 0, outputTokens: 0 };

/** Collects an answer: its text for the conversation, and the facts for its end. */
export interface Said {
  /** Throws `value_too_large` above the size limit of answers, because the whole text is kept until the end. */
  take(item: ChatItem): void;
  /** Its plain text. */
  readonly text: string;
  readonly reasoning: string;
  /** The part of the text that is a refusal, for OpenAI clients, which show it in another way. */
  readonly refusal: string;
  readonly calls: readonly ToolCall[];
  /** The answering model, as far as the items have reported it. */
  readonly model: string | undefined;
  end(): Pick<Completion, 'finish' | 'usage'>;
}

/** The facts about a chat that the end of an answer depends on. */
export interface SaidIn {
  readonly run: Pick<Chat['run'], 'spending'>;
  readonly request: Pick<Chat['request'], 'tools' | 'openai'>;
}

/** For answers outside a chat, which report no tool calls and know no run. */
export const OUTSIDE_CHATS: SaidIn = {
  run: {},
  request: { tools: undefined, openai: false },
};

export function createSaid({ run, request: { tools, openai } }: SaidIn): Said {
  const plain = createPlainText();
  const calls: ToolCall[] = [];
  let reasoning = '';
  let refusal = '';
  let size = 0;
  let last: Extract<ChatItem, { type: 'finish' }> | undefined;
  let model: string | undefined;
  return {
    take(item) {
      size += sizeOf(item);
      if (size > MAX_ANSWER) throw new WeftError('value_too_large', 'The answer is larger than 10 MB.');
      plain.take(item);
      // The chunks of a flow contain the flow's name, not a model's.
      const named = item.type === 'finish' || item.type === 'speaker' ? item.model : null;
      if (named && !named.startsWith(FLOW_PREFIX)) model = named;
      if (item.type === 'finish') last = item;
      else if (item.type === 'reasoning') reasoning += item.text;
      else if (openai && isRefusal(item)) refusal += item.text;
      else if (item.type === 'tool-call' && tools !== undefined) calls.push(item.call);
    },
    get text() {
      return plain.whole();
    },
    get reasoning() {
      return reasoning;
    },
    get refusal() {
      return refusal;
    },
    calls,
    get model() {
      return model;
    },
    end: () => ({
      // The provider ended a refusal like any other answer.
      finish: refusal === '' ? finishWord(last?.reason, { calls: calls.length > 0, openai }) : 'stop',
      usage: usageOf(run.spending?.total) ?? last?.usage ?? NO_USAGE,
    }),
  };
}

export function isRefusal(item: ChatItem): item is Extract<ChatItem, { type: 'text' }> {
  return item.type === 'text' && item.refusal === true;
}

/** The size of the item in memory, in characters. */
function sizeOf(item: ChatItem): number {
  if (item.type === 'text' || item.type === 'reasoning') return item.text.length;
  if (item.type === 'plan') return item.plan.messages.reduce((sum, { markdown }) => sum + markdown.length, 0);
  if (item.type === 'references' || item.type === 'chart') return JSON.stringify(item).length;
  return item.type === 'tool-call' ? (JSON.stringify(item.call.arguments) ?? '').length : 0;
}

/** The usage of all model calls, which the items of a flow need not report. */
function usageOf(spent: Spent | undefined): TokenUsage | undefined {
  if (spent === undefined) return undefined;
  const { input, output, cached, reasoning } = spent.tokens;
  return {
    inputTokens: input,
    outputTokens: output,
    ...(cached !== undefined && { cachedTokens: cached }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
  };
}

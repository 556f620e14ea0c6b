import { WeftError } from '#engine';
import type { ChatItem, ToolCall } from '#shared/chat-item.ts';
import { MAX_ANSWER } from '../triggers/serialise.ts';
import { type Completion, finishWord } from './chunks.ts';
import { createPlainText } from './vis.ts';

const NO_USAGE = { inputTokens: 0, outputTokens: 0 };

/** What an answer has said so far, for the conversation and the answer's end. */
export interface Said {
  /** Throws `value_too_large` when there is more than an answer may hold: all of it is kept until the end. */
  take(item: ChatItem): void;
  /** Its plain text. */
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ToolCall[];
  end(): Pick<Completion, 'finish' | 'usage'>;
}

/** `tools`: the client sent tools, so calls are for it. */
export function createSaid(tools: boolean): Said {
  const plain = createPlainText();
  const calls: ToolCall[] = [];
  let reasoning = '';
  let size = 0;
  let last: Extract<ChatItem, { type: 'finish' }> | undefined;
  return {
    take(item) {
      size += sizeOf(item);
      if (size > MAX_ANSWER) throw new WeftError('value_too_large', 'The answer is larger than 10 MB.');
      plain.take(item);
      if (item.type === 'finish') last = item;
      else if (item.type === 'reasoning') reasoning += item.text;
      else if (item.type === 'tool-call' && tools) calls.push(item.call);
    },
    get text() {
      return plain.whole();
    },
    get reasoning() {
      return reasoning;
    },
    calls,
    end: () => ({ finish: finishWord(last?.reason, calls.length > 0), usage: last?.usage ?? NO_USAGE }),
  };
}

/** Characters that stay in memory for the item. */
function sizeOf(item: ChatItem): number {
  if (item.type === 'text' || item.type === 'reasoning') return item.text.length;
  if (item.type === 'plan') return item.plan.messages.reduce((sum, { markdown }) => sum + markdown.length, 0);
  return item.type === 'tool-call' ? (JSON.stringify(item.call.arguments) ?? '').length : 0;
}

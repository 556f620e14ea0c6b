import type { ChatItem, ToolCall } from '#shared/chat-item.ts';
import { type Completion, finishWord } from './chunks.ts';
import { createPlainText } from './vis.ts';

const NO_USAGE = { inputTokens: 0, outputTokens: 0 };

/** What an answer has said so far, for the conversation and the answer's end. */
export interface Said {
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
  let last: Extract<ChatItem, { type: 'finish' }> | undefined;
  return {
    take(item) {
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

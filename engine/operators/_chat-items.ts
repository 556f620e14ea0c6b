import type { ChatItem } from '#shared/chat-item.ts';
import { isRecord } from '#shared/json.ts';
import { WeftError } from '../base/operator.ts';
import { reading } from './_record.ts';

type Fields = Readonly<Record<string, unknown>>;

const hasText = ({ text }: Fields): boolean => typeof text === 'string';
const anything = (): boolean => true;

/** The required fields of an answer's items. Fields that no code here reads may hold anything. */
const fitting: Readonly<Record<ChatItem['type'], (item: Fields) => boolean>> = {
  text: hasText,
  reasoning: hasText,
  'tool-call': ({ call }) => isRecord(call),
  'tool-result': anything,
  waiting: anything,
  plan: anything,
  speaker: anything,
  references: anything,
  chart: anything,
  file: ({ file }) => isRecord(file),
  finish: ({ usage }) => isRecord(usage),
};

/** An item of an answer's stream; a plain text counts as a text item. Throws `bad_input`. */
export function chatItem(item: unknown): ChatItem {
  if (typeof item === 'string') return { type: 'text', text: item };
  if (reading(() => isRecord(item) && isChatItem(item))) return item as ChatItem;
  throw new WeftError(
    'bad_input',
    'The stream holds something that is not part of an answer: give the items of a model, or texts.',
  );
}

function isChatItem(item: Fields): boolean {
  const type = String(item['type']);
  return Object.hasOwn(fitting, type) && fitting[type as ChatItem['type']](item);
}

type Finish = Extract<ChatItem, { type: 'finish' }>;

/** Tokens by OpenAI's names. */
export function openAiUsage({
  usage: { inputTokens, outputTokens },
}: Finish): Readonly<Record<string, number>> {
  const total = inputTokens + outputTokens;
  return { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: total };
}

/** Why an answer ended, in OpenAI's words. */
export function openAiReason({ reason }: Finish): string {
  if (reason === 'tool-calls') return 'tool_calls';
  return reason === 'content-filter' ? 'content_filter' : reason;
}

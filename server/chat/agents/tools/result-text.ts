import type { ChatItem } from '#shared/chat-item.ts';
import { isStream } from '#shared/json.ts';
import { createItemReader, valueText } from '../../service/items.ts';
import { toJson } from '../../../access/answers/serialise.ts';

/** The most characters of a streamed result that are read. */
const MAX_TEXT = 1_000_000;

/** The result of a run as text for a model: a text unchanged, a stream as its text, any other value as JSON. */
export async function resultText(result: unknown): Promise<string> {
  if (!isStream(result)) {
    const value = valueText(result);
    return typeof value === 'string' ? value : value === undefined ? 'null' : toJson(value);
  }
  return streamText(result);
}

/** Hears of values while they arrive. */
export interface Listener {
  /** Called with each value: the number of values, and the text so far. */
  readonly read?: (count: number, text: string) => void;
  /** Called with values that are no text. */
  readonly other?: (item: ChatItem) => void;
}

/** The text of a stream, as far as it is read. */
export async function streamText(
  stream: AsyncIterable<unknown>,
  { read, other }: Listener = {},
): Promise<string> {
  const reader = createItemReader();
  let text = '';
  let count = 0;
  const take = (items: readonly ChatItem[]): void => {
    for (const item of items)
      if (item.type === 'text') text += item.text;
      else other?.(item);
  };
  for await (const value of stream) {
    take(reader.read(value));
    read?.(++count, text);
    if (text.length > MAX_TEXT) return text.slice(0, MAX_TEXT);
  }
  take(reader.end());
  return text;
}

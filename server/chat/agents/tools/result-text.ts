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
  const reader = createItemReader();
  let text = '';
  for await (const value of result) {
    text += saidIn(reader.read(value));
    if (text.length > MAX_TEXT) return text.slice(0, MAX_TEXT);
  }
  return text + saidIn(reader.end());
}

function saidIn(items: ReturnType<ReturnType<typeof createItemReader>['read']>): string {
  return items.map((item) => (item.type === 'text' ? item.text : '')).join('');
}

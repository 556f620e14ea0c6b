import { WeftError } from '../base/operator.ts';
import { forEachItem } from './_streams.ts';

/**
 * All items of a stream, in order. Ends with the signal even if the stream is silent: the stream is closed, but nobody waits
 * for that. Throws `too_many_items`, and `bad_input` if the value is not a stream.
 */
export async function collectStream(
  stream: unknown,
  maxItems: number,
  signal: AbortSignal,
  help = 'raise maxItems to take more',
): Promise<unknown[]> {
  const items: unknown[] = [];
  await forEachItem(stream, signal, (item) => {
    if (items.length === maxItems) throw tooMany(maxItems, help);
    items.push(item);
  });
  return items;
}

function tooMany(maxItems: number, help: string): WeftError {
  return new WeftError('too_many_items', `The stream gave more than ${maxItems} items; ${help}.`);
}

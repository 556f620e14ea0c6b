import { z } from 'zod';
import { defineOperator, END, input, ItemStream, output, WeftError } from '../../base/operator.ts';
import { reading, unreadable } from '../_record.ts';

export default defineOperator({
  title: 'List to stream',
  doc: 'Sends the items of a list one by one, as a stream. The next node works on the first item while the others wait.',
  icon: 'list-start',
  summary: 'a list, item by item',
  synonyms: 'split out, split items, item lists, iterate list, explode, array to stream',
  purpose: 'data',
  params: z.object({}),
  inputs: { in: input({ doc: 'A list.', schema: z.array(z.unknown()) }) },
  outputs: { out: output({ kind: 'stream', doc: 'Its items, in order.' }) },
  infer: { outputs: { out: { itemOf: { input: 'in' } } } },
  effects: 'pure',
  examples: [
    { title: 'Three items', inputs: { in: [1, 2, 3] }, outputs: { out: [1, 2, 3] } },
    { title: 'An empty list is an empty stream', inputs: { in: [] }, outputs: { out: [] } },
    { title: 'Not a list', inputs: { in: 'abc' }, error: 'bad_input' },
  ],
  run({ input: list }) {
    if (!reading(() => Array.isArray(list)))
      throw new WeftError('bad_input', 'The input is not a list, so it has no items to send.');
    return new ListStream(list);
  },
});

/** Read by index, since a list may have its own iterator. */
class ListStream extends ItemStream {
  private readonly list: readonly unknown[];
  private at = 0;
  private over = false;

  constructor(list: readonly unknown[]) {
    super();
    this.list = list;
  }

  poll(): unknown {
    try {
      return this.over || this.at >= this.list.length ? END : this.list[this.at++];
    } catch {
      throw unreadable();
    }
  }

  whenReady(): void {
    // Nobody ever waits: an item or the end is always available.
  }

  close(): undefined {
    this.over = true;
  }
}

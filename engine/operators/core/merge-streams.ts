import { z } from 'zod';
import { defineOperator, END, manyInput, output, PENDING } from '../../base/operator.ts';
import { JoinedStream } from '../_streams.ts';

export default defineOperator({
  title: 'Merge streams',
  doc: 'Combines several streams into one: each item is passed on as soon as it arrives, whichever stream it comes from. If several streams have an item, they take turns.',
  icon: 'merge',
  summary: 'streams, as items arrive',
  synonyms: 'interleave streams, merge items',
  purpose: 'data',
  params: z.object({}),
  inputs: { in: manyInput('any', { kind: 'stream', doc: 'The streams; edges may be put into an order.' }) },
  outputs: { out: output({ kind: 'stream', doc: 'The items in the order in which they arrive.' }) },
  infer: { outputs: { out: { itemOf: { input: 'in' } } } },
  effects: 'pure',
  examples: [
    { title: 'Two streams', inputs: { in: [['a'], ['b']] }, outputs: { out: ['a', 'b'] } },
    { title: 'No items', inputs: { in: [[], []] }, outputs: { out: [] } },
  ],
  run: ({ input: streams }) => new MergedStream(streams),
});

class MergedStream extends JoinedStream {
  /** The stream that is polled first. */
  private turn = 0;

  poll(): unknown {
    const { sources, pending } = this;
    pending.length = 0;
    for (let i = 0; i < sources.length; i++) {
      const at = (this.turn + i) % sources.length;
      const source = sources[at];
      const item = source?.poll();
      if (source && item === PENDING) pending.push(source);
      else if (item !== END) {
        this.turn = at + 1;
        return item;
      }
    }
    return pending.length > 0 ? PENDING : END;
  }
}

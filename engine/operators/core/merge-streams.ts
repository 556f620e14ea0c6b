import { z } from 'zod';
import { defineOperator, END, manyInput, output, PENDING } from '../../operator.ts';
import { JoinedStream } from '../_streams.ts';

export default defineOperator({
  title: 'Merge streams',
  doc: 'Makes one stream of several: each item goes on as soon as it is there, whichever stream it comes from. Where several have one they take turns.',
  icon: 'merge',
  params: z.object({}),
  inputs: { in: manyInput('any', { kind: 'stream', doc: 'The streams; edges may be put into an order.' }) },
  outputs: { out: output({ kind: 'stream', doc: 'The items in the order in which they come.' }) },
  infer: { outputs: { out: { itemOf: { input: 'in' } } } },
  effects: 'pure',
  examples: [
    { title: 'Two streams', inputs: { in: [['a'], ['b']] }, outputs: { out: ['a', 'b'] } },
    { title: 'No items', inputs: { in: [[], []] }, outputs: { out: [] } },
  ],
  run: ({ input: streams }) => new MergedStream(streams),
});

class MergedStream extends JoinedStream {
  /** The stream that is asked first. */
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

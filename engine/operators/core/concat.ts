import { z } from 'zod';
import { defineOperator, END, manyInput, output, PENDING } from '../../base/operator.ts';
import { JoinedStream } from '../_streams.ts';

export default defineOperator({
  title: 'Concat',
  doc: 'Puts streams one after the other, in edge order: the second starts when the first has ended.',
  icon: 'arrow-right-to-line',
  summary: 'streams, one after the other',
  synonyms: 'append streams, chain streams',
  purpose: 'data',
  params: z.object({}),
  inputs: { in: manyInput('any', { kind: 'stream', doc: 'The streams; edges may be put into an order.' }) },
  outputs: { out: output({ kind: 'stream', doc: 'All items of the first stream, then those of the next.' }) },
  infer: { outputs: { out: { itemOf: { input: 'in' } } } },
  effects: 'pure',
  examples: [
    { title: 'Two streams', inputs: { in: [[1, 2], [3]] }, outputs: { out: [1, 2, 3] } },
    { title: 'An empty one between', inputs: { in: [[1], [], [2]] }, outputs: { out: [1, 2] } },
  ],
  run: ({ input: streams }) => new ConcatStream(streams),
});

class ConcatStream extends JoinedStream {
  private at = 0;

  poll(): unknown {
    for (let source = this.sources[this.at]; source !== undefined; source = this.sources[++this.at]) {
      const item = source.poll();
      if (item === PENDING) this.pending[0] = source;
      if (item !== END) return item;
    }
    return END;
  }
}

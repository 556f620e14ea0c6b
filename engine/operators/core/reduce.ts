import { z } from 'zod';
import { defineOperator, input, lazy, output, WeftError } from '../../base/operator.ts';
import { forEachItem } from '../_streams.ts';

export default defineOperator({
  title: 'Reduce',
  doc: 'Folds a stream into one value: each item is combined with the value so far. The first item is the start, unless there is an initial value.',
  icon: 'sigma',
  summary: '{value}[ from {initial}]',
  synonyms: 'fold, accumulate, running total, accumulator',
  purpose: 'data',
  params: z.object({
    value: lazy(
      'Combines the value so far and the next item: an expression over `acc`, `item` and `index`.',
    ).meta({ widget: 'value' }),
    initial: z
      .unknown()
      .optional()
      .describe(
        'The start value, which is also the result of an empty stream. Without it the first item is the start.',
      )
      .meta({ widget: 'value' }),
  }),
  inputs: { in: input<AsyncIterable<unknown>>({ kind: 'stream', doc: 'A stream.' }) },
  outputs: { out: output({ doc: 'The value after the last item.' }) },
  infer: {
    outputs: {
      out: {
        union: [
          { param: 'value' },
          { byParam: { name: 'initial', cases: { absent: { input: 'in' } }, else: { param: 'initial' } } },
        ],
      },
    },
    item: { input: 'in' },
  },
  effects: 'pure',
  examples: [
    { title: 'A sum', params: { value: '{{ acc + item }}' }, inputs: { in: [1, 2, 3] }, outputs: { out: 6 } },
    {
      title: 'A count',
      params: { value: '{{ acc + 1 }}', initial: 0 },
      inputs: { in: ['a', 'b'] },
      outputs: { out: 2 },
    },
    {
      title: 'One item is the result',
      params: { value: '{{ acc + item }}' },
      inputs: { in: [7] },
      outputs: { out: 7 },
    },
    {
      title: 'Nothing to start with',
      params: { value: '{{ acc + item }}' },
      inputs: { in: [] },
      error: 'empty_stream',
    },
  ],
  async run({ input: stream, params, signal }) {
    const { value, initial } = params;
    const local = { acc: initial, item: undefined as unknown, index: 0 };
    let started = initial !== undefined;
    await forEachItem(stream, signal, (item) => {
      local.item = item;
      local.acc = started ? value(local) : item;
      started = true;
      local.index++;
    });
    if (!started)
      throw new WeftError('empty_stream', 'The stream had no items and there is no `initial` value.');
    return local.acc;
  },
});

import { z } from 'zod';
import { defineOperator, optionalInput, output } from '../../base/operator.ts';
import { itemsOfAnswer } from '../_answer.ts';

export default defineOperator({
  title: 'Join answers',
  doc: 'Merges the two branches of Stream or whole: it passes on the stream, or turns the whole answer into a stream of its parts.',
  icon: 'merge',
  summary: 'the whole answer',
  synonyms: 'join stream, collect answer, merge answers',
  params: z.object({}),
  inputs: {
    stream: optionalInput<AsyncIterable<unknown>>({ kind: 'stream', doc: 'The items of a streamed answer.' }),
    whole: optionalInput({ doc: 'A whole answer: that of Ask a model, or a text.' }),
  },
  outputs: { out: output({ kind: 'stream', doc: 'The items of the answer.' }) },
  effects: 'pure',
  examples: [
    {
      title: 'A stream came',
      inputs: { stream: [{ type: 'text', text: 'Hi' }] },
      outputs: { out: [{ type: 'text', text: 'Hi' }] },
    },
    {
      title: 'A whole answer came',
      inputs: {
        whole: {
          text: 'Hi',
          finishReason: 'stop',
          usage: { inputTokens: 1, outputTokens: 1 },
          model: 'demo/echo',
        },
      },
      outputs: {
        out: [
          { type: 'text', text: 'Hi' },
          {
            type: 'finish',
            reason: 'stop',
            usage: { inputTokens: 1, outputTokens: 1 },
            model: 'demo/echo',
          },
        ],
      },
    },
    { title: 'No answer', inputs: { whole: { name: 'Ada' } }, error: 'bad_input' },
  ],
  run: ({ inputs: { stream, whole } }) => stream ?? sent(itemsOfAnswer(whole)),
});

async function* sent(items: readonly unknown[]): AsyncGenerator<unknown> {
  yield* items;
}

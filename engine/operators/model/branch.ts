import { z } from 'zod';
import { defineOperator, input, output } from '../../base/operator.ts';
import { readRequest } from '../_chat-request.ts';

export default defineOperator({
  title: 'Stream or whole',
  doc: 'Sends a request to `stream` if its caller wants the answer piece by piece, otherwise to `whole`. Join answers merges the two branches again.',
  icon: 'split',
  summary: 'stream or whole',
  synonyms: 'is stream, streaming or not',
  params: z.object({}),
  inputs: { in: input({ doc: 'A chat message or a request; its `stream` decides.' }) },
  outputs: {
    stream: output({ doc: 'The input, if the answer is wanted piece by piece.' }),
    whole: output({ doc: 'The input, if the answer is wanted whole.' }),
  },
  infer: { outputs: { stream: { input: 'in' }, whole: { input: 'in' } } },
  effects: 'pure',
  exclusive: true,
  examples: [
    {
      title: 'Piece by piece',
      inputs: { in: { messages: 'Hello', stream: true } },
      outputs: { stream: { messages: 'Hello', stream: true } },
    },
    { title: 'Whole', inputs: { in: 'Hello' }, outputs: { whole: 'Hello' } },
    { title: 'No message', inputs: { in: 5 }, error: 'bad_input' },
  ],
  run: ({ input: value }) => (readRequest(value).stream ? { stream: value } : { whole: value }),
});

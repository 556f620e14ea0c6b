import { z } from 'zod';
import type { ChatItem } from '#shared/chat-item.ts';
import { defineOperator, input, output } from '../../base/operator.ts';
import { type Finish, logUsage, modelCallOf, modelParams, toolParams } from '../_model-call.ts';
import { PipedStream } from '../_streams.ts';

export default defineOperator({
  title: 'Stream a model',
  doc: 'Asks a model and passes its answer on piece by piece, as it arrives. The items are texts, reasoning and tool calls; the last one has the reason why it ended and its usage.',
  icon: 'audio-lines',
  summary: '[{model}][ · “{prompt}”]',
  synonyms: 'stream llm, streaming, stream answer, token by token, stream gpt',
  params: z.object({ ...modelParams, ...toolParams }),
  options: {
    Input: ['files', 'documents'],
    Answer: ['temperature', 'maxTokens', 'topP', 'stop'],
    Tools: ['toolChoice'],
  },
  inputs: {
    in: input({ doc: 'A chat message, a request, a list of messages or a text; any value with `prompt`.' }),
  },
  outputs: { out: output({ kind: 'stream', doc: 'The items of the answer.' }) },
  effects: 'read',
  examples: [
    {
      title: 'The demo model says it back',
      params: { model: 'demo/echo', system: 'Be brief.' },
      inputs: { in: 'Hello there' },
      outputs: {
        out: [
          { type: 'text', text: 'Hello' },
          { type: 'text', text: ' there' },
          {
            type: 'finish',
            reason: 'stop',
            usage: { inputTokens: 4, outputTokens: 2 },
            model: 'demo/echo',
          },
        ],
      },
    },
    { title: 'No message', params: { model: 'demo/echo' }, inputs: { in: 5 }, error: 'bad_input' },
  ],
  run(call) {
    const asked = modelCallOf(call.params, call.input);
    const items = call.service('models').chat(asked, call.asker, call.signal);
    return new PipedStream(items, {
      take(item, emit) {
        if ((item as ChatItem).type === 'finish') logUsage(call, item as Finish);
        emit(item);
      },
    });
  },
});

import { z } from 'zod';
import { defineOperator, input, output } from '../../base/operator.ts';
import { requestOf, modelParams, toolParams } from '../_model-call.ts';

export default defineOperator({
  title: 'Model request',
  doc: 'Makes a request for a model from a chat message, a list of messages or a text, with its own instructions and settings.',
  icon: 'mail-plus',
  summary: '[{model}][ · “{prompt}”]',
  synonyms: 'build request, model parameters',
  params: z.object({
    ...modelParams,
    ...toolParams,
    stream: z
      .boolean()
      .optional()
      .describe('Whether the answer is wanted piece by piece; by default as in the request.'),
  }),
  options: {
    Input: ['files', 'documents'],
    Answer: ['temperature', 'maxTokens', 'topP', 'stop', 'stream'],
    Tools: ['toolChoice'],
  },
  inputs: { in: input({ doc: 'A chat message, a list of messages or a text; any value with `prompt`.' }) },
  outputs: {
    out: output({ doc: 'The request: `text`, `messages`, `history`, `model`, `stream` and the settings.' }),
  },
  effects: 'pure',
  lift: true,
  examples: [
    {
      title: 'Instructions for a text',
      params: { model: 'demo/echo', system: 'Be brief.', temperature: 0 },
      inputs: { in: 'Hello' },
      outputs: {
        out: {
          text: 'Hello',
          messages: [
            { role: 'system', content: 'Be brief.' },
            { role: 'user', content: 'Hello' },
          ],
          history: [],
          model: 'demo/echo',
          temperature: 0,
        },
      },
    },
    {
      title: 'The body of an OpenAI client',
      params: {},
      inputs: {
        in: {
          model: 'demo/chat',
          messages: [
            { role: 'user', content: 'One' },
            { role: 'assistant', content: 'Two' },
            { role: 'user', content: [{ type: 'text', text: 'Three' }] },
          ],
          max_tokens: 5,
          stream: true,
        },
      },
      outputs: {
        out: {
          text: 'Three',
          messages: [{ role: 'user', content: 'Three' }],
          history: [
            { role: 'user', content: 'One' },
            { role: 'assistant', content: 'Two' },
          ],
          model: 'demo/chat',
          maxTokens: 5,
          stream: true,
        },
      },
    },
    { title: 'No message', inputs: { in: { name: 'Ada' } }, error: 'bad_input' },
  ],
  run: ({ params, input: value }) => requestOf(params, value),
});

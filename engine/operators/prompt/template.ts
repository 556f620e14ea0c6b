import { z } from 'zod';
import { defineOperator, input, output } from '../../base/operator.ts';
import { requestOf } from '../_model-call.ts';

export default defineOperator({
  title: 'Prompt',
  doc: 'Writes a prompt: instructions, and a message with values filled in. Earlier messages stay between them.',
  icon: 'notebook-pen',
  summary: '“{user}”',
  synonyms: 'prompt template, system prompt, messages, few shot',
  params: z.object({
    system: z
      .string()
      .default('You are a helpful assistant.')
      .describe('The instructions, with {{ expressions }} where values go; empty for none.')
      .meta({ widget: 'textarea' }),
    user: z
      .string()
      .optional()
      .describe('The message, with {{ expressions }} where values go; by default the one in the input.')
      .meta({ widget: 'textarea' }),
  }),
  inputs: { in: input({ doc: 'A chat message, a request or a text; any value with `user`.' }) },
  outputs: {
    out: output({ doc: 'The request for a model: `text`, `messages`, `history` and the settings.' }),
  },
  effects: 'pure',
  lift: true,
  examples: [
    {
      title: 'Values in a message',
      params: { system: 'Translate to {{ input.language }}.', user: '{{ input.words }}' },
      inputs: { in: { language: 'French', words: 'Good morning' } },
      outputs: {
        out: {
          text: 'Good morning',
          messages: [
            { role: 'system', content: 'Translate to French.' },
            { role: 'user', content: 'Good morning' },
          ],
          history: [],
        },
      },
    },
    {
      title: 'Instructions for a chat',
      params: { system: 'Be brief.' },
      inputs: { in: { text: 'Hello', messages: [{ role: 'user', content: 'Hello' }], history: [] } },
      outputs: {
        out: {
          text: 'Hello',
          messages: [
            { role: 'system', content: 'Be brief.' },
            { role: 'user', content: 'Hello' },
          ],
          history: [],
        },
      },
    },
    { title: 'No message', inputs: { in: { name: 'Ada' } }, error: 'bad_input' },
  ],
  run: ({ params: { system, user }, input: value }) => requestOf({ system, prompt: user }, value),
});

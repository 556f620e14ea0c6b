import { z } from 'zod';
import { defineOperator, input, output } from '../../base/operator.ts';
import { answerSchema, askModel } from '../_answer.ts';
import { modelCallOf, modelParams, toolParams } from '../_model-call.ts';

export default defineOperator({
  title: 'Ask a model',
  doc: 'Asks a model and waits for its whole answer: its text, its tool calls, why it ended, and its number of tokens. In a chat, “Stream a model” shows the answer word by word.',
  icon: 'bot-message-square',
  summary: '[{model}][ · “{prompt}”]',
  synonyms:
    'llm, chatgpt, gpt, openai, ai, claude, anthropic, gemini, ollama, mistral, chat, chat model, completion, language model, prompt model, generate text, basic llm chain, translate, agent model',
  params: z.object({ ...modelParams, ...toolParams }),
  options: {
    Input: ['files', 'documents'],
    Answer: ['temperature', 'maxTokens', 'topP', 'stop'],
    Tools: ['toolChoice'],
  },
  inputs: {
    in: input({ doc: 'A chat message, a request, a list of messages or a text; any value with `prompt`.' }),
  },
  outputs: { out: output({ doc: 'The answer; its text is in `text`.', schema: answerSchema }) },
  effects: 'read',
  lift: true,
  examples: [
    {
      title: 'The demo model says it back',
      params: { model: 'demo/echo', system: 'Be brief.' },
      inputs: { in: 'Hello there' },
      outputs: {
        out: {
          text: 'Hello there',
          finishReason: 'stop',
          usage: { inputTokens: 4, outputTokens: 2 },
          model: 'demo/echo',
        },
      },
    },
    {
      title: 'A message made from the input',
      params: { model: 'demo/echo', prompt: 'Greet {{ input.name }}' },
      inputs: { in: { name: 'Ada' } },
      outputs: {
        out: {
          text: 'Greet Ada',
          finishReason: 'stop',
          usage: { inputTokens: 2, outputTokens: 2 },
          model: 'demo/echo',
        },
      },
    },
    { title: 'No message', params: { model: 'demo/echo' }, inputs: { in: 5 }, error: 'bad_input' },
  ],
  run: async (call) => await askModel(call, modelCallOf(call.params, call.input)),
});

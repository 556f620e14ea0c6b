import { z } from 'zod';
import { defineOperator, input, literal, output, WeftError } from '../../base/operator.ts';
import { askModel } from '../_answer.ts';
import { modelCallOf, modelParams } from '../_model-call.ts';
import { readJson } from '../_read-json.ts';

export default defineOperator({
  title: 'Ask for JSON',
  doc: 'Asks a model for a value that matches a JSON Schema, and passes that value on. An answer that does not match is an error, which `retry` tries again.',
  icon: 'braces',
  summary: '[{model}][ · “{prompt}”]',
  synonyms:
    'structured output, json mode, extract, information extractor, parameter extractor, classifier, text classifier, question classifier, classify, sentiment, output parser, function calling, extraction',
  params: z.object({
    ...modelParams,
    schema: literal(
      z
        .record(z.string(), z.unknown())
        .describe('JSON Schema of the value; most models require an object.')
        .meta({ widget: 'schema' }),
    ),
  }),
  options: { Input: ['files', 'documents'], Answer: ['temperature', 'maxTokens', 'topP', 'stop'] },
  inputs: {
    in: input({ doc: 'A chat message, a request, a list of messages or a text; any value with `prompt`.' }),
  },
  outputs: { out: output({ doc: 'The value.' }) },
  infer: { outputs: { out: { schemaIn: 'schema' } } },
  effects: 'read',
  lift: true,
  examples: [
    {
      title: 'Fields from a text',
      params: {
        model: 'demo/echo',
        system: 'Take the order out of the text.',
        schema: {
          type: 'object',
          required: ['item', 'count'],
          properties: { item: { type: 'string', examples: ['tea'] }, count: { type: 'integer', minimum: 2 } },
        },
      },
      inputs: { in: 'Two teas, please.' },
      outputs: { out: { item: 'tea', count: 2 } },
    },
    {
      title: 'No message',
      params: { model: 'demo/echo', schema: { type: 'object' } },
      inputs: { in: 5 },
      error: 'bad_input',
    },
  ],
  async run(call) {
    const { schema, ...params } = call.params;
    const { text, finishReason } = await askModel(call, { ...modelCallOf(params, call.input), schema });
    if (finishReason === 'length')
      throw new WeftError('model_bad_answer', 'The answer was cut off before its end; raise `maxTokens`.');
    return readJson(text, (first) => call.log('warn', `The answer has ${first}; such numbers become texts.`));
  },
});

import { z } from 'zod';
import { defineOperator, input, output, WeftError } from '../../base/operator.ts';
import { listOf } from '../_list.ts';
import { reading } from '../_record.ts';
import { modelParams } from '../_model-call.ts';

/** Most texts per call. */
const MAX_TEXTS = 10_000;

export default defineOperator({
  title: 'Embed',
  doc: 'Turns a text into a vector of numbers, or a list of texts into a list of vectors, so that texts with similar meaning can be found by distance.',
  icon: 'waypoints',
  summary: '[{model}]',
  synonyms: 'embedding, embeddings, vector, vectorize, vectorise',
  params: z.object({
    model: modelParams.model.describe(
      'The embedding model as <provider>/<model>; by default the first one of the providers.',
    ),
    dimensions: z
      .int()
      .min(1)
      .max(100_000)
      .optional()
      .describe('Length of each vector, for models that can make shorter ones.'),
  }),
  inputs: { in: input({ doc: 'A text, or a list of texts.' }) },
  outputs: { out: output({ doc: 'A vector, or a list of vectors in the order of the texts.' }) },
  effects: 'read',
  examples: [
    { title: 'No texts, no vectors', inputs: { in: [] }, outputs: { out: [] } },
    { title: 'Not a text', inputs: { in: 5 }, error: 'bad_input' },
  ],
  async run(call) {
    const given = call.input;
    const texts = textsOf(given);
    if (texts.length === 0) return [];
    const { model, dimensions } = call.params;
    const asked = { model, texts, ...(dimensions !== undefined && { dimensions }) };
    const { vectors, usage } = await call.service('models').embed(asked, call.asker, call.signal);
    call.signal.throwIfAborted();
    call.log('info', `${texts.length} texts embedded with ${usage.inputTokens} tokens`, usage);
    return typeof given === 'string' ? vectors[0] : vectors;
  },
});

function textsOf(value: unknown): readonly string[] {
  const texts = typeof value === 'string' ? [value] : listOf(value);
  if (texts.length > MAX_TEXTS) throw bad(`a list of more than ${MAX_TEXTS} texts; embed it in parts`);
  if (reading(() => texts.every((text) => typeof text === 'string'))) return texts as readonly string[];
  throw bad('neither a text nor a list of texts');
}

function bad(what: string): WeftError {
  return new WeftError('bad_input', `The input is ${what}.`);
}

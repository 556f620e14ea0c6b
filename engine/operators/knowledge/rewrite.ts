import { isRecord, textOrJson } from '#shared/json.ts';
import { z } from 'zod';
import { type Call, defineOperator, input, output, WeftError } from '../../base/operator.ts';
import { askModel } from '../_answer.ts';
import { modelParams } from '../_model-call.ts';
import { framed } from '../_passages.ts';
import { readJson } from '../_read-json.ts';
import { reading } from '../_record.ts';

export default defineOperator({
  title: 'Rewrite question',
  doc: 'Lets a model put a question into other words, so that a search finds what the question’s own words do not. Retrieve takes the list and ranks what all of them find together.',
  icon: 'text-search',
  summary: '{count} ways[ · {model}]',
  synonyms: 'query expansion, multi query, rephrase question',
  params: z.object({
    model: modelParams.model,
    count: z.int().min(1).max(9).default(3).describe('How many other wordings.'),
    language: z
      .string()
      .max(50)
      .default('')
      .describe('The language of the wordings, such as English; by default that of the question.'),
    keep: z.boolean().default(true).describe('Whether the question itself is the first of the list.'),
  }),
  inputs: {
    in: input({ doc: 'A question, or { query, context }: the question and what was said before.' }),
  },
  outputs: { out: output({ doc: 'The wordings; none twice.', schema: z.array(z.string()) }) },
  effects: 'read',
  lift: true,
  examples: [
    {
      title: 'Other wordings',
      params: { model: 'demo/echo', count: 1 },
      inputs: { in: 'How long does tea steep?' },
      outputs: { out: ['How long does tea steep?', 'steeping time of tea'] },
    },
    { title: 'Not a question', params: { model: 'demo/echo' }, inputs: { in: 5 }, error: 'bad_input' },
  ],
  async run(call): Promise<string[]> {
    const { query, context } = questionIn(call.input);
    const { count, language, model, keep } = call.params;
    const tongue = language === '' ? 'the language of the question' : language;
    const task = `You write ${count} other wordings of the question for a search in documents, each of which finds something else: synonyms, words of the trade, a part of the question. Do not answer it. In ${tongue}. Answer with JSON only: {"queries": ["…"]}.`;
    const items = { type: 'string', examples: ['steeping time of tea'] };
    const queries = { type: 'array', minItems: 1, items };
    const schema = {
      type: 'object',
      required: ['queries'],
      properties: { queries },
      additionalProperties: false,
    };
    const messages = framed(task, { question: query, ...(context !== '' && { before: context }) });
    const { text } = await askModel(call as Call, { model, messages, schema });
    const made = wordingsIn(readJson(text)).slice(0, count);
    return [...new Set(keep ? [query, ...made] : made)];
  },
});

function questionIn(given: unknown): { readonly query: string; readonly context: string } {
  const [query, context] = reading(() =>
    isRecord(given) ? [given['query'], given['context']] : [given, ''],
  );
  if (typeof query !== 'string' || query.trim() === '')
    throw new WeftError('bad_input', 'The input is neither a question nor an object with a `query`.');
  const before = textOrJson(context ?? '');
  return { query: query.trim().slice(0, 10_000), context: before.slice(0, 20_000).toWellFormed() };
}

function wordingsIn(value: unknown): string[] {
  const list = isRecord(value) ? value['queries'] : value;
  const texts = Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : [];
  const made = texts.map((text) => text.trim().slice(0, 1000)).filter((text) => text !== '');
  if (made.length > 0) return made;
  throw new WeftError('model_bad_answer', 'The model has given no wordings of the question.');
}

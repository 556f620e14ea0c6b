import { isRecord } from '#shared/json.ts';
import { z } from 'zod';
import { type Call, defineOperator, input, output, WeftError } from '../../base/operator.ts';
import { askModel } from '../_answer.ts';
import { lexicalScores } from '../_citations.ts';
import { listOf } from '../_list.ts';
import { modelParams } from '../_model-call.ts';
import { framed, MAX_PASSAGE, type Passage, passagesOf } from '../_passages.ts';
import { readJson } from '../_read-json.ts';
import { calledFlow, runFlow } from '../_sub-flow.ts';

const params = z.object({
  question: z
    .string()
    .max(10_000)
    .default('{{ input.question }}')
    .describe('The question that the passages should answer.')
    .meta({ widget: 'textarea' }),
  hits: z
    .unknown()
    .default('{{ input.hits }}')
    .describe('The passages: what Retrieve has found, chunks or texts; 100 at most.')
    .meta({ widget: 'value' }),
  by: z
    .enum(['words', 'model', 'flow'])
    .default('words')
    .describe(
      'words: by the words of the question, without any model. model: a model reads and scores them. flow: a flow takes { question, passages } and gives a list of numbers, one for each.',
    ),
  model: modelParams.model.meta({ when: { param: 'by', is: ['model'] } }),
  flow: calledFlow.flow.optional().meta({ when: { param: 'by', is: ['flow'] } }),
  trigger: calledFlow.trigger.meta({ when: { param: 'by', is: ['flow'] } }),
  limit: z.int().min(1).max(100).default(3).describe('Most passages to keep.'),
  minScore: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe('Passages with a lower score are left out; by words and by a model the best has 1 at most.'),
});

export default defineOperator({
  title: 'Rerank',
  doc: 'Puts passages that a search has found into a better order, and keeps the best: by the words of the question, by a model that reads them, or by a flow. Equal texts are kept once. Retrieve more than you need, then rerank.',
  icon: 'arrow-down-wide-narrow',
  summary: 'by {by}, best {limit}',
  synonyms: 'reranker, cohere rerank, reorder hits, score passages',
  params,
  options: { Order: ['model', 'flow', 'trigger', 'minScore'] },
  inputs: { in: input({ doc: 'Usually { question, hits }; expressions read it as `input`.' }) },
  outputs: {
    out: output({
      doc: 'The passages as they were given, the best first; those that are objects with the new `score`.',
      schema: z.array(z.unknown()),
    }),
  },
  effects: 'write',
  idempotent: true,
  examples: [
    {
      title: 'By words',
      params: { limit: 1 },
      inputs: {
        in: {
          question: 'How long does green tea steep?',
          hits: [
            { text: 'Black tea steeps four minutes.', score: 1 },
            { text: 'Green tea steeps two minutes.', score: 0.9 },
          ],
        },
      },
      outputs: { out: [{ text: 'Green tea steeps two minutes.', score: 1 }] },
    },
    {
      title: 'By a model',
      params: { by: 'model', model: 'demo/echo', limit: 2 },
      inputs: { in: { question: 'tea', hits: ['Green tea.', 'Black tea.', 'Green tea.'] } },
      outputs: { out: ['Green tea.', 'Black tea.'] },
    },
    { title: 'Nothing found', inputs: { in: { question: 'tea', hits: [] } }, outputs: { out: [] } },
    { title: 'Not passages', inputs: { in: { question: 'tea', hits: [5] } }, error: 'bad_input' },
  ],
  async run(call): Promise<unknown[]> {
    const { hits, limit, minScore } = call.params;
    const passages = distinct(passagesOf(hits));
    if (passages.length === 0) return [];
    const scores = await scoresOf(call, passages);
    const ranked = passages.map(({ given }, at) => ({ given, score: scores[at] ?? 0 }));
    // Equal scores stay in their order.
    ranked.sort((a, b) => b.score - a.score);
    return ranked
      .filter(({ score }) => score >= minScore)
      .slice(0, limit)
      .map(({ given, score }) => (isRecord(given) ? { ...given, score } : given));
  },
});

type Asked = Call<z.output<typeof params>>;

function distinct(passages: readonly Passage[]): Passage[] {
  const seen = new Set<string>();
  return passages.filter(({ text }) => !seen.has(text) && seen.add(text));
}

async function scoresOf(call: Asked, passages: readonly Passage[]): Promise<readonly number[]> {
  const { by, question } = call.params;
  const texts = passages.map(({ text }) => text);
  if (by === 'words') return lexicalScores(question, texts);
  if (by === 'model') return scoredByModel(call, texts);
  return numbersIn(await scoredByFlow(call, texts), texts.length, 'bad_input', 'The flow');
}

const TASK = `You judge how well each passage helps to answer the question. Answer with JSON only: {"scores": [a number from 0 to 10 for each passage, in their order]}.`;

async function scoredByModel(call: Asked, texts: readonly string[]): Promise<number[]> {
  const { question, model } = call.params;
  const cut = texts.map((text, at) => ({ passage: at + 1, text: text.slice(0, MAX_PASSAGE).toWellFormed() }));
  // No limits: a score out of range is brought into it below.
  const scores = { type: 'array', minItems: texts.length, maxItems: texts.length, items: { type: 'number' } };
  const schema = {
    type: 'object',
    required: ['scores'],
    properties: { scores },
    additionalProperties: false,
  };
  const messages = framed(TASK, { question, passages: cut });
  const { text } = await askModel(call as Call, { model, messages, temperature: 0, schema });
  const read = readJson(text);
  const given = numbersIn(
    isRecord(read) ? read['scores'] : read,
    texts.length,
    'model_bad_answer',
    'The model',
  );
  return given.map((number) => Math.min(1, Math.max(0, number / 10)));
}

function scoredByFlow(call: Asked, passages: readonly string[]): unknown {
  const { flow, trigger, question } = call.params;
  if (flow === undefined)
    throw new WeftError('bad_input', 'To rerank by a flow, name it in the param `flow`.');
  const { idempotencyKey: key, signal } = call;
  return runFlow(call as Call, { flow, trigger, input: { question, passages }, key, signal });
}

function numbersIn(value: unknown, count: number, code: string, who: string): number[] {
  const list = Array.isArray(value) ? listOf(value) : [];
  const numbers = Array.from({ length: list.length }, (_, at) => list[at]);
  const isRight =
    numbers.length === count && numbers.every((one) => typeof one === 'number' && Number.isFinite(one));
  if (isRight) return numbers as number[];
  throw new WeftError(code, `${who} has to give a list of ${count} numbers, one for each passage.`);
}

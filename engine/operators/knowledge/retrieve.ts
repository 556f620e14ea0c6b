import { z } from 'zod';
import { KnowledgeHit, KnowledgeName } from '#shared/knowledge.ts';
import { defineOperator, input, output, WeftError } from '../../base/operator.ts';
import { searchParams } from '../_knowledge.ts';
import { listOf } from '../_list.ts';
import { framedHits } from '../_passages.ts';
import { reading } from '../_record.ts';

/** The most wordings; each is a search. */
const MAX_WORDINGS = 10;

export default defineOperator({
  title: 'Retrieve',
  doc: 'Finds the chunks of knowledge spaces that fit a question best, with citations: by words, and also by meaning if the space has an embedding model. Give `text` to a model as what it may answer from.',
  icon: 'book-open-text',
  summary: '[{spaces}, ]best {limit}',
  synonyms:
    'vector search, search documents, knowledge retrieval, semantic search, vector store, retriever, pinecone, qdrant, pgvector, knowledge base search',
  params: z.object({
    spaces: z
      .array(KnowledgeName.meta({ widget: 'space' }))
      .min(1)
      .max(20)
      .describe('The names of the knowledge spaces that are searched.'),
    ...searchParams,
  }),
  options: { Search: ['filter', 'documents', 'neighbours'] },
  inputs: {
    in: input({
      doc: 'A question, or a list of wordings of it: what they find is ranked together.',
      schema: z.union([z.string(), z.array(z.string()).max(MAX_WORDINGS)]),
    }),
  },
  outputs: {
    out: output({ doc: 'The chunks found, the best first.', schema: z.array(KnowledgeHit) }),
    text: output({
      doc: 'The chunks for the prompt of a model: as one JSON text that no document can end, each with its number and where it is from, below the rule that nothing inside of it is an instruction. Empty if nothing was found.',
      schema: z.string(),
    }),
  },
  effects: 'read',
  lift: true,
  examples: [
    {
      title: 'Nothing found',
      params: { spaces: ['tea'] },
      inputs: { in: 'coffee' },
      outputs: { out: [], text: '' },
    },
    {
      title: 'No such space',
      params: { spaces: ['none'] },
      inputs: { in: 'coffee' },
      error: 'space_not_found',
    },
    {
      title: 'Several wordings',
      params: { spaces: ['tea'] },
      inputs: { in: ['coffee', 'espresso'] },
      outputs: { out: [], text: '' },
    },
    { title: 'Not a question', params: { spaces: ['tea'] }, inputs: { in: 5 }, error: 'bad_input' },
  ],
  async run(call) {
    const queries = wordingsOf(call.input);
    const lists: KnowledgeHit[][] = [];
    for (const query of queries) {
      const asked = { ...call.params, query };
      const { hits, note } = await call.service('knowledge').search(asked, call.asker, call.signal);
      if (note !== null && lists.length === 0) call.log('warn', `Not all was searched by meaning: ${note}`);
      lists.push(hits);
    }
    return found(lists.length < 2 ? (lists[0] ?? []) : fused(lists).slice(0, call.params.limit));
  },
});

/** Those that are not empty. Throws `bad_input`. */
function wordingsOf(given: unknown): string[] {
  const list = typeof given === 'string' ? [given] : listOf(given, 'What is no text');
  if (list.length > MAX_WORDINGS)
    throw new WeftError('too_many_items', `At most ${MAX_WORDINGS} wordings are searched for together.`);
  const texts = Array.from({ length: list.length }, (_, at) => reading(() => list[at]));
  if (!texts.every((text) => typeof text === 'string'))
    throw new WeftError('bad_input', 'The input is neither a text nor a list of texts.');
  return [...new Set(texts.map((text) => text.trim().slice(0, 10_000)))].filter((text) => text !== '');
}

/** The constant of reciprocal rank fusion; the search within a space has the same. */
const RANK = 60;

/** Hits ranked by their places in all lists; one that is first in each has the score 1. */
function fused(lists: readonly (readonly KnowledgeHit[])[]): KnowledgeHit[] {
  const scores = new Map<string, { readonly hit: KnowledgeHit; score: number }>();
  for (const hits of lists)
    for (const [at, hit] of hits.entries()) {
      const one = scores.get(hit.id) ?? { hit, score: 0 };
      one.score += (RANK + 1) / (RANK + 1 + at) / lists.length;
      scores.set(hit.id, one);
    }
  const all = [...scores.values()].sort((a, b) => b.score - a.score);
  return all.map(({ hit, score }) => ({ ...hit, score }));
}

function found(hits: KnowledgeHit[]): { out: KnowledgeHit[]; text: string } {
  return { out: hits, text: framedHits(hits) };
}

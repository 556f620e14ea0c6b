import { modelOf, spaceOf, tellPart } from '../agents/parts.ts';
import type { Context } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import { following, type Port } from '../graph.ts';
import { itemwise } from '../items.ts';
import { gives, type Given } from '../job.ts';

/** Stores of vectors as knowledge spaces. */

function required(context: Context): Port {
  const input = context.input();
  if (input === undefined) throw new NotHere('nothing leads to it');
  return input;
}

function absorbParts(context: Context): void {
  const { job } = context;
  for (const { step } of context.allParts()) {
    tellPart(context, step, 'the knowledge space', 'The space says how documents are split and embedded.');
    for (const { step: inner } of job.parts.get(step.name) ?? [])
      tellPart(context, inner, 'the knowledge space');
  }
}

function store(context: Context): Given {
  const { params, step } = context;
  const mode = params.text('mode') ?? 'retrieve';
  params.skip(...STORE_PARAMS);
  if (mode === 'insert') return insert(context, spaceOf(context, step));
  if (mode === 'load') return load(context, spaceOf(context, step));
  throw new NotHere(`its mode is “${mode}”`, [
    'knowledge.retrieve',
    'a knowledge space as a tool of agent.run',
  ]);
}

/** Where each store has its index, and what the space says itself. */
const STORE_PARAMS = [
  'pineconeIndex',
  'qdrantCollection',
  'tableName',
  'memoryKey',
  'embeddingBatchSize',
  'includeDocumentMetadata',
  'mongoCollection',
  'weaviateCollection',
  'milvusCollection',
  'collection',
  'vectorIndexName',
  'embedding',
  'metadata_field',
];

/** A node that makes a text of each item. */
function textOf(context: Context, input: Port, hint: string, value: string): Port {
  const id = itemwise(
    context,
    input,
    { operator: 'core.map', params: { value } },
    { hint: `${context.step.name} ${hint}` },
  );
  return context.port(id, 'out', { card: input.card });
}

function insert(context: Context, space: string): Given {
  const { step, job } = context;
  const input = required(context);
  const text = textOf(context, input, 'document', documentOf(context, input));
  absorbParts(context);
  const place = input.card === 'many' ? ' {{ index }}' : '';
  const params = { space, name: `${step.name} {{ run.id }}${place}` };
  const id = itemwise(context, text, { operator: 'knowledge.load', params }, { atOnce: 1 });
  job.report.use('knowledge', space, id);
  return gives(
    context.port(id, 'out', {
      card: input.card,
      mayBeEmpty: input.mayBeEmpty,
      ...following(input, step.name),
    }),
  );
}

/** The document that the loader makes of an item: a file, an expression, or all of it. */
function documentOf(context: Context, input: Port): string {
  const parameters = context.parts('ai_document')[0]?.parameters ?? {};
  const { jsonData, jsonMode, dataType } = parameters;
  if (jsonMode === 'expressionData' && jsonData !== undefined)
    return context.text(jsonData, context.reads(input));
  return dataType === 'binary' ? '{{ input?.data }}' : '{{ toJson(input) }}';
}

function load(context: Context, space: string): Given {
  const { params, step, job } = context;
  const input = required(context);
  absorbParts(context);
  const question = context.text(params.get('prompt') ?? '', context.reads(input));
  const asked = textOf(context, input, 'question', question);
  const found = { spaces: [space], limit: params.number('topK') ?? 4 };
  const id = itemwise(context, asked, { operator: 'knowledge.retrieve', params: found });
  job.report.use('knowledge', space, id);
  const ranked = rerank(context, input, asked, id);
  const each =
    '(input ?? []).map(one => ({ document: { pageContent: one?.text, metadata: one }, score: one?.score }))';
  const value = input.card === 'many' ? `input.flatMap(input => ${each})` : each;
  const made = context.add(`${step.name} items`, {
    operator: 'core.map',
    params: { value: `{{ ${value} }}` },
  });
  context.wire(`${ranked}.out`, `${made}.in`);
  return gives(context.port(made, 'out', { card: 'many', mayBeEmpty: true, aligned: new Set([step.name]) }));
}

/** The node behind a search that ranks its passages again, by the words of the question. */
function rerank(context: Context, input: Port, asked: Port, found: string): string {
  const [ranker] = context.parts('ai_reranker');
  if (!context.params.flag('useReranker') || ranker === undefined) return found;
  const limit = Math.min(100, Math.max(1, Math.trunc(Number(ranker.parameters['topN'] ?? 3)) || 3));
  const at = input.card === 'many' ? '?.[index]' : '';
  return itemwise(
    context,
    context.port(found, 'out', { card: input.card }),
    {
      operator: 'knowledge.rerank',
      params: { question: `{{ ${asked.expr}${at} }}`, hits: '{{ input }}', limit },
    },
    { hint: `${context.step.name} ranked` },
  );
}

function questions(context: Context): Given {
  const { params, step } = context;
  const input = required(context);
  const space = retrieved(context);
  const model = modelOf(context);
  absorbParts(context);
  params.skip('promptType');
  const given = params.get('text') ?? params.get('query') ?? '={{ $json.chatInput }}';
  const asked = textOf(context, input, 'question', context.text(given, context.reads(input)));
  const found = itemwise(
    context,
    asked,
    { operator: 'knowledge.retrieve', params: { spaces: [space] } },
    { hint: `${step.name} passages` },
  );
  const at = input.card === 'many' ? '?.[index]' : '';
  const call = {
    ...(model !== undefined && { model }),
    system: 'Answer the question from the passages. If they do not answer it, say so.',
    prompt: `{{ input }}\n\nQuestion: {{ ${asked.expr}${at} }}`,
  };
  const id = itemwise(context, context.port(found, 'text', { card: input.card }), {
    operator: 'model.chat',
    params: call,
  });
  const made = context.add(`${step.name} item`, {
    operator: 'core.map',
    params: { value: '{{ { response: input.text } }}' },
    ...(input.card === 'many' && { each: {} }),
  });
  context.wire(`${id}.out`, `${made}.in`);
  return gives(context.port(made, 'out', { card: input.card, ...following(input, step.name) }));
}

/** The space that stands for the store behind the retriever. */
function retrieved(context: Context): string {
  const { job, step } = context;
  const [retriever] = context.parts('ai_retriever');
  const behind = retriever ? (job.parts.get(retriever.name) ?? []) : [];
  const inner = behind.find(({ kind }) => kind === 'ai_vectorStore')?.step;
  const parts = inner ? [inner, ...(job.parts.get(inner.name) ?? []).map((one) => one.step)] : [];
  for (const part of parts) tellPart(context, part, 'the knowledge space');
  return spaceOf(context, inner ?? retriever ?? step);
}

const KINDS = [
  'Pinecone',
  'Supabase',
  'Qdrant',
  'InMemory',
  'PGVector',
  'MongoDBAtlas',
  'Weaviate',
  'Milvus',
  'Redis',
  'ChromaDB',
];

export const knowledgeEntries: readonly Entry[] = [
  ...KINDS.map(
    (name): Entry => ({
      kind: `vectorStore${name}`,
      word: 'close',
      becomes: '`knowledge.load`, `knowledge.retrieve`, or a tool',
      difference:
        'A knowledge space of Weft takes the place of the store; its documents have to be loaded again.',
      convert: store,
    }),
  ),
  {
    kind: 'chainRetrievalQa',
    word: 'close',
    becomes: '`knowledge.retrieve` and `model.chat`',
    difference: 'A knowledge space takes the place of the retriever.',
    convert: questions,
  },
];

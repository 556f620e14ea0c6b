import { z } from 'zod';
import type { KnowledgeChunk, KnowledgeDocument } from '#shared/knowledge.ts';
import type { SplitChange } from '#shared/split-document.ts';
import { isRecord } from '#shared/json.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { OpenKnowledge } from './open-knowledge.ts';
import { ChunkParameters, documentOf, shownDocument, spaceOf } from './original.ts';
import type { StoredSpace } from './store.ts';

/** The older formats of spaces and documents of DB-GPT, which its web page reads: ids are numbers, pages are `data`, `total`, `page`. */

const text = z.string().nullish();
const count = z.int();
const id = z.union([z.int(), z.string().regex(/^\d+$/)]).transform((given) => String(given));

export const SpaceFilter = z.object({ name: text, vector_type: text, owner: text });
export const NamedSpace = z.object({ name: z.string().min(1) });

export const Space = z.object({
  id: count,
  name: z.string(),
  vector_type: z.string(),
  desc: z.string(),
  context: z.string().nullable(),
  owner: z.string(),
  gmt_created: z.string(),
  gmt_modified: z.string(),
  docs: count.describe('Its documents.'),
});

export function olderSpace(space: StoredSpace): z.output<typeof Space> {
  const { sys_code: _, ...fields } = spaceOf(space);
  const { createdAt, updatedAt, documents: docs } = space;
  return {
    ...fields,
    id: Number(space.id),
    gmt_created: isoOf(createdAt),
    gmt_modified: isoOf(updatedAt),
    docs,
  };
}

/** A time with microseconds and without a zone. */
function isoOf(time: string): string {
  return `${time.slice(0, 23)}000`;
}

// ---------------------------------------------------------------------------------------------------- arguments

/** The settings in `context` of a space, with defaults for missing ones. */
const DEFAULTS = {
  embedding: {
    topk: 5,
    recall_score: 0.3,
    recall_type: 'TopK',
    model: '',
    chunk_size: 100,
    chunk_overlap: 50,
  },
  prompt: { max_token: 2000, scene: '', template: '' },
  summary: { max_iteration: 5, concurrency_limit: 3 },
};

export const Arguments = z.looseObject({});
export const ArgumentGiven = z.object({
  argument: z.string().max(100_000).describe('A JSON object, as text.'),
});

export function argumentsOf({ extra, model, split }: StoredSpace): Record<string, unknown> {
  const { size: chunk_size, overlap: chunk_overlap } = split;
  const embedding = { ...DEFAULTS.embedding, model: model ?? '', chunk_size, chunk_overlap };
  return objectIn(extra['context']) ?? { ...DEFAULTS, embedding };
}

function objectIn(json: string | null | undefined): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(json ?? '');
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The settings for splitting documents in these arguments. Throws `invalid_request` for a text that is no JSON object. */
export function splitIn(argument: string): SplitChange | undefined {
  const read = objectIn(argument);
  if (read === undefined)
    throw new ServiceError('invalid_request', '`argument` must be the text of a JSON object.', {
      param: 'argument',
    });
  const given = z
    .object({
      embedding: z.object({ chunk_size: z.coerce.number(), chunk_overlap: z.coerce.number() }).partial(),
    })
    .safeParse(read).data?.embedding;
  return splitBy(given?.chunk_size, given?.chunk_overlap);
}

/** Values are limited to their range, as in the newer routes. */
function splitBy(
  size: number | null | undefined,
  overlap: number | null | undefined,
): SplitChange | undefined {
  if (!size) return undefined;
  const most = Math.min(20_000, Math.max(20, Math.round(size)));
  return { size: most, overlap: Math.min(most - 1, 10_000, Math.max(0, Math.round(overlap ?? 0))) };
}

// ---------------------------------------------------------------------------------------------------- documents

export const DocumentFilter = z.object({
  doc_name: text,
  doc_type: text,
  status: text,
  doc_ids: z.array(id).max(1000).nullish(),
  page: z.coerce.number().int().min(1).default(1),
  page_size: z.coerce.number().int().min(1).max(1000).default(20),
});

export const Document = z.object({
  id: count,
  doc_name: z.string(),
  doc_type: z.string(),
  space: z.string(),
  chunk_size: count.describe('The number of its chunks.'),
  status: z.string(),
  last_sync: z.string(),
  content: z.string(),
  result: z.string(),
  vector_ids: z.string(),
  summary: z.string(),
  gmt_created: z.string(),
  gmt_modified: z.string(),
});

export const DocumentPage = z.object({ data: z.array(Document), total: count.nullable(), page: count });
export const DocumentAdded = z.object({
  doc_name: z.string().min(1),
  doc_type: z.string(),
  content: text,
  source: text,
});
export const NamedDocument = z.object({ doc_name: z.string().min(1) });

async function olderDocument(
  opened: OpenKnowledge,
  document: KnowledgeDocument,
  space: string,
): Promise<z.output<typeof Document>> {
  const { doc_source: _, space_id: __, ...fields } = await shownDocument(opened, document);
  return { ...fields, space, vector_ids: '', summary: '', gmt_modified: fields.last_sync };
}

type Filter = z.output<typeof DocumentFilter>;

/** The newest first. */
export async function documentPage(
  opened: OpenKnowledge,
  space: StoredSpace,
  filter: Filter,
): Promise<z.output<typeof DocumentPage>> {
  const { doc_ids, page, page_size } = filter;
  const shown = (documents: readonly KnowledgeDocument[]) =>
    Promise.all(documents.map((document) => olderDocument(opened, document, space.name)));
  if (doc_ids?.length) {
    const found = await Promise.all(doc_ids.map((one) => opened.store.document(one)));
    const own = found.filter((one) => one !== undefined && one.space === space.id) as KnowledgeDocument[];
    return { data: await shown(own), total: null, page };
  }
  const fitting = (await allDocuments(opened, space.id)).reverse().filter((document) => {
    const { doc_name, doc_type, status } = documentOf(document);
    return (
      (!filter.doc_name || doc_name === filter.doc_name) &&
      (!filter.doc_type || doc_type === filter.doc_type) &&
      (!filter.status || status === filter.status)
    );
  });
  const data = await shown(fitting.slice((page - 1) * page_size, page * page_size));
  return { data, total: fitting.length, page };
}

const PAGE = 1000;

async function allDocuments(opened: OpenKnowledge, space: string): Promise<KnowledgeDocument[]> {
  const all: KnowledgeDocument[] = [];
  for (;;) {
    const { items, total } = await opened.documents(space, { offset: all.length, limit: PAGE });
    all.push(...items);
    if (items.length === 0 || all.length >= total) return all;
  }
}

// --------------------------------------------------------------------------------------------- reading documents

export const SyncBody = z.object({
  doc_ids: z.array(id).min(1).max(1000),
  chunk_size: z.coerce.number().nullish(),
  chunk_overlap: z.coerce.number().nullish(),
});

export const SyncBatch = z
  .array(z.object({ doc_id: id, chunk_parameters: ChunkParameters.nullish() }))
  .min(1)
  .max(1000);

export const syncSplit = ({
  chunk_size,
  chunk_overlap,
}: z.output<typeof SyncBody>): SplitChange | undefined => splitBy(chunk_size, chunk_overlap);

/** Loads documents of a space again; all are looked up before the first is loaded. */
export async function syncAll(
  opened: OpenKnowledge,
  space: StoredSpace,
  asked: readonly { readonly id: string; readonly split: SplitChange | undefined }[],
): Promise<number[]> {
  for (const one of asked)
    if ((await opened.document(one.id)).space !== space.id)
      throw new ServiceError(
        'knowledge_document_not_found',
        `There is no document with the id ${one.id} in ${space.name}.`,
      );
  for (const one of asked) await opened.sync(one.id, one.split);
  return asked.map((one) => Number(one.id));
}

// -------------------------------------------------------------------------------------------------------- chunks

export const ChunkFilter = z.object({
  document_id: id.nullish(),
  doc_name: text,
  page: z.coerce.number().int().min(1).default(1),
  page_size: z.coerce.number().int().min(1).max(1000).default(20),
});

export const Chunk = z.object({
  id: count,
  document_id: count,
  doc_name: z.string(),
  doc_type: z.string(),
  content: z.string(),
  meta_info: z.string(),
  gmt_created: z.string(),
  gmt_modified: z.string(),
});
export const ChunkPage = z.object({ data: z.array(Chunk), summary: z.string(), total: count, page: count });

export function olderChunk(
  { id: own, text: content, page, heading }: KnowledgeChunk,
  document: KnowledgeDocument,
): z.output<typeof Chunk> {
  const { id: document_id, doc_name, doc_type, gmt_created, last_sync } = documentOf(document);
  const meta_info = JSON.stringify({
    ...document.metadata,
    ...(page !== null && { page }),
    ...(heading !== '' && { heading }),
  });
  return {
    id: Number(own),
    document_id,
    doc_name,
    doc_type,
    content,
    meta_info,
    gmt_created,
    gmt_modified: last_sync,
  };
}

/** The document whose chunks are requested. */
export async function chunkedDocument(
  opened: OpenKnowledge,
  space: StoredSpace,
  { document_id, doc_name }: z.output<typeof ChunkFilter>,
): Promise<KnowledgeDocument> {
  const found = document_id
    ? await opened.document(document_id)
    : await opened.store.documentNamed(space.id, doc_name ?? '');
  if (found?.space === space.id) return found;
  throw new ServiceError('knowledge_document_not_found', `There is no such document in ${space.name}.`);
}

// --------------------------------------------------------------------------------------------------------- search

export const Query = z.object({
  query: z.string().min(1).max(10_000),
  top_k: z.int().min(1).max(100).default(5),
});
export const QueryAnswer = z.object({
  response: z.array(z.object({ text: z.string(), source: z.string(), score: z.number() })),
});

// ----------------------------------------------------------------------------------------------------- strategies

const size = [
  ['chunk_size', 'int', 512, 'The size of the data chunks used in processing.'],
  ['chunk_overlap', 'int', 50, 'The amount of overlap between adjacent data chunks.'],
] as const;
const separator = [['separator', 'string', '\\n', 'chunk separator']] as const;

export const Strategy = z.object({
  strategy: z.string(),
  name: z.string(),
  description: z.string(),
  parameters: z.array(
    z.object({
      param_name: z.string(),
      param_type: z.string(),
      default_value: z.union([z.string(), count, z.boolean()]),
      description: z.string(),
    }),
  ),
  suffix: z.array(z.string()),
  type: z.array(z.enum(['TEXT', 'DOCUMENT', 'URL'])),
});

const ALL = ['pdf', 'docx', 'html', 'md', 'csv', 'xlsx', 'json', 'xml', 'txt'];
const EVERY: ('TEXT' | 'DOCUMENT' | 'URL')[] = ['DOCUMENT', 'TEXT', 'URL'];
const FILES: typeof EVERY = ['DOCUMENT'];
const merge = ['enable_merge', 'boolean', false, 'Whether to merge according to the chunk_size.'] as const;

/** The texts of DB-GPT. */
export const STRATEGIES: z.output<typeof Strategy>[] = [
  { strategy: 'CHUNK_BY_SIZE', name: 'chunk size', parameters: named(size), suffix: ALL, type: EVERY },
  { strategy: 'CHUNK_BY_PAGE', name: 'page', parameters: [], suffix: ['pdf'], type: FILES },
  {
    strategy: 'CHUNK_BY_PARAGRAPH',
    name: 'paragraph',
    parameters: named(separator),
    suffix: ['docx'],
    type: FILES,
  },
  {
    strategy: 'CHUNK_BY_SEPARATOR',
    name: 'separator',
    parameters: named([...separator, merge]),
    suffix: ALL,
    type: EVERY,
  },
  {
    strategy: 'CHUNK_BY_MARKDOWN_HEADER',
    name: 'markdown header',
    parameters: [],
    suffix: ['md'],
    type: FILES,
  },
].map((one) => ({ ...one, description: `split document by ${one.name}` }));

type Parameter = readonly [name: string, type: string, value: string | number | boolean, description: string];

function named(parameters: readonly Parameter[]) {
  return parameters.map(([param_name, param_type, default_value, description]) => {
    return { param_name, param_type, default_value, description };
  });
}

import { z } from 'zod';
import { type KnowledgeDocument, KnowledgeName, type SpaceBody } from '#shared/knowledge.ts';
import type { SplitChange, SplitSettings } from '#shared/split-document.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { DocumentGiven as Given, OpenKnowledge } from './open-knowledge.ts';
import { typeOfDocument } from './read-document.ts';
import type { StoredSpace } from './store.ts';

/** The formats of spaces and documents of DB-GPT, as its clients read and send them. Texts are never null: its clients refuse that. */

/** Ids are numbers; clients of v0.5.6 and the newest clients also accept them as text. */
const id = z.union([z.int(), z.string().regex(/^\d*$/)]).transform((given) => String(given));
const text = z.string().nullish();

export const Space = z.object({
  id: z.string(),
  name: z.string(),
  vector_type: z.string(),
  desc: z.string(),
  owner: z.string(),
  context: z.string().nullable(),
  sys_code: z.string().nullable(),
});

export const SpaceGiven = z.object({
  id: id.nullish().transform((given) => given || undefined),
  name: KnowledgeName.nullish(),
  vector_type: text,
  desc: text,
  owner: text,
  context: text,
});
type SpaceGiven = z.output<typeof SpaceGiven>;

export const Document = z.object({
  id: z.int(),
  doc_name: z.string(),
  doc_type: z.string(),
  content: z.string(),
  doc_source: z.string(),
  space_id: z.string(),
  status: z.enum(['TODO', 'RUNNING', 'FINISHED', 'FAILED']),
  result: z.string(),
  chunk_size: z.int(),
  last_sync: z.string(),
  gmt_created: z.string(),
});

export const DocumentGiven = z.object({
  doc_name: KnowledgeName,
  doc_type: z
    .string()
    .toUpperCase()
    .pipe(z.enum(['DOCUMENT', 'TEXT', 'URL'])),
  space_id: id,
  content: text,
  doc_source: text,
});

export const ChunkParameters = z.object({
  chunk_strategy: text,
  chunk_size: z.coerce.number().int().nullish(),
  chunk_overlap: z.coerce.number().int().nullish(),
  separator: text,
});

const Sync = z.object({ doc_id: id, chunk_parameters: ChunkParameters.nullish() });
export const SyncGiven = z.union([z.array(Sync).min(1).max(1000), Sync]);

export const PageQuery = z.object({
  page: z.coerce.number().int().min(1).default(1),
  page_size: z.coerce.number().int().min(1).max(1000).default(20),
});

export function pageOf<T extends z.ZodType>(item: T) {
  const count = z.int();
  return z.object({
    items: z.array(item),
    total_count: count,
    total_pages: count,
    page: count,
    page_size: count,
  });
}

export function paged({ page, page_size }: z.output<typeof PageQuery>) {
  return {
    offset: (page - 1) * page_size,
    limit: page_size,
    page: <T>(items: T[], total_count: number) => {
      return { items, total_count, total_pages: Math.ceil(total_count / page_size), page, page_size };
    },
  };
}

export function spaceOf({
  id: own,
  name,
  description: desc,
  owner,
  extra,
}: StoredSpace): z.output<typeof Space> {
  const { vector_type, context = null } = extra;
  return { id: own, name, vector_type: vector_type ?? 'VectorStore', desc, owner, context, sys_code: null };
}

export function spaceBody(given: SpaceGiven): SpaceBody {
  if (!given.name) throw new ServiceError('invalid_request', 'A space needs a `name`.', { param: 'name' });
  return { ...changeBody(given), name: given.name };
}

/** Fields that are null stay unchanged. */
export function changeBody({ name, desc, owner }: SpaceGiven): Partial<SpaceBody> {
  return {
    ...(name && { name }),
    ...(isGiven(desc) && { description: desc }),
    ...(isGiven(owner) && { owner }),
  };
}

export function extraOf({ vector_type, context }: SpaceGiven): StoredSpace['extra'] {
  return { ...(isGiven(vector_type) && { vector_type }), ...(isGiven(context) && { context }) };
}

function isGiven(given: string | null | undefined): given is string {
  return given !== null && given !== undefined;
}

const KINDS = { file: 'DOCUMENT', text: 'TEXT', url: 'URL' } as const;
const STATES = {
  waiting: 'TODO',
  reading: 'RUNNING',
  embedding: 'RUNNING',
  ready: 'FINISHED',
  failed: 'FAILED',
} as const;

/** A document with its text, in the format of DB-GPT. */
export async function shownDocument(
  { store }: Pick<OpenKnowledge, 'store'>,
  document: KnowledgeDocument,
): Promise<z.output<typeof Document>> {
  const source = document.kind === 'text' ? await store.source(document.id) : undefined;
  return documentOf(document, source && new TextDecoder().decode(source.content));
}

/** `content` is the text of a document that was created from text, else its address, else its name. */
export function documentOf(document: KnowledgeDocument, text?: string): z.output<typeof Document> {
  const { status, problem, updatedAt, createdAt } = document;
  return {
    id: Number(document.id),
    doc_name: document.name,
    doc_type: KINDS[document.kind],
    content: document.url ?? text ?? document.name,
    doc_source: document.url ?? '',
    space_id: document.space,
    status: STATES[status],
    result: problem?.message ?? (status === 'ready' ? 'document embedding success' : ''),
    chunk_size: document.chunks,
    last_sync: timeOf(updatedAt),
    gmt_created: timeOf(createdAt),
  };
}

function timeOf(iso: string): string {
  return iso.slice(0, 19).replace('T', ' ');
}

/** Throws `invalid_request` for a document without content. */
export function documentGiven(
  { doc_name: name, doc_type, content }: z.output<typeof DocumentGiven>,
  file: { readonly name: string; readonly type: string; readonly content: Uint8Array } | undefined,
): Given {
  const lacks = (what: string) =>
    new ServiceError('invalid_request', `A document of the type ${doc_type} needs ${what}.`, {
      param: 'content',
    });
  if (doc_type === 'DOCUMENT') {
    if (file === undefined) throw lacks('a file as `doc_file`');
    // The extension determines the format, and the given name may have none.
    const type = /\.\w+$/.test(name) ? file.type : typeByName(file.name, file.type);
    return { name, kind: 'file', content: file.content, type };
  }
  if (!content) throw lacks('its `content`');
  if (doc_type === 'TEXT')
    return { name, kind: 'text', type: 'text/markdown', content: new TextEncoder().encode(content) };
  if (!/^https?:$/.test(URL.parse(content)?.protocol ?? ''))
    throw lacks('an address of `http` or `https` as its `content`');
  return { name, kind: 'url', content: { url: content } };
}

function typeByName(name: string, type: string): string {
  return typeOfDocument(name, new Uint8Array(), type);
}

const STRATEGIES: Readonly<Record<string, SplitSettings['by']>> = {
  CHUNK_BY_SIZE: 'sentences',
  CHUNK_BY_PAGE: 'pages',
  CHUNK_BY_PARAGRAPH: 'separator',
  CHUNK_BY_SEPARATOR: 'separator',
  CHUNK_BY_MARKDOWN_HEADER: 'headings',
};

/**
 * The settings that a sync requests; values that DB-GPT would refuse are limited to their range. Undefined: the settings of the
 * space.
 */
export function splitOf(given: z.output<typeof ChunkParameters> | null | undefined): SplitChange | undefined {
  const by = STRATEGIES[given?.chunk_strategy ?? ''];
  if (!given || by === undefined) return undefined;
  const size = Math.min(20_000, Math.max(20, given.chunk_size ?? 512));
  const overlap = Math.min(10_000, Math.max(0, given.chunk_overlap ?? 50));
  const separator = given.separator?.slice(0, 100).replaceAll('\\n', '\n') || '\n';
  return { by, size, overlap, separator };
}

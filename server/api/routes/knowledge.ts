import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { parseExactly } from '#shared/lost-digits.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { readBody } from '../../access/http/read-body.ts';
import type { OpenKnowledge } from '../../integrations/knowledge/open-knowledge.ts';
import { formOf } from '../../integrations/knowledge/read-form.ts';
import { readPart } from '../../base/requests/read-part.ts';
import { audit } from '../../access/security/audit.ts';
import type { Context } from './context.ts';
import { addRoutes, defineRoute } from './define-route.ts';

const api = () => import('#shared/knowledge.ts');
const split = () => import('#shared/split-document.ts');

/** Largest upload: a document, and the form around it. */
export const MAX_UPLOAD_BYTES = 51_000_000;

const tag = 'Knowledge';
const pageQuery = () =>
  z.object({
    offset: z.coerce.number().int().min(0).default(0).describe('How many to leave out.'),
    limit: z.coerce.number().int().min(1).max(1000).default(100).describe('Most to return.'),
  });
const page = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item), total: z.int() });

/** The fields of a space that callers see. */
const shown = <T extends { readonly extra: unknown }>({ extra: _, ...space }: T): Omit<T, 'extra'> => space;

const spaces = [
  defineRoute({
    method: 'GET',
    url: '/api/v1/knowledge/spaces',
    scope: 'knowledge:read',
    tag,
    summary: 'List all knowledge spaces, the oldest first.',
    guide: 'knowledge',
    answer: async () => z.array((await api()).KnowledgeSpace),
    handle: async ({ knowledge }) => (await (await knowledge.opened()).spaces()).map(shown),
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/knowledge/spaces',
    scope: 'knowledge:write',
    tag,
    summary: 'Create a knowledge space.',
    guide: 'knowledge',
    body: async () => (await api()).SpaceBody,
    answer: async () => (await api()).KnowledgeSpace,
    status: 201,
    errors: ['space_name_taken', 'storage_failed'],
    async handle(ctx, { request, body }) {
      const made = await (await ctx.knowledge.opened()).addSpace(body);
      audit(ctx, request, 'knowledge space made', { space: made.name });
      return shown(made);
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/knowledge/spaces/:space',
    scope: 'knowledge:read',
    tag,
    summary: 'Get a knowledge space by its id.',
    answer: async () => (await api()).KnowledgeSpace,
    errors: ['space_not_found'],
    handle: async ({ knowledge }, { params }) => shown(await (await knowledge.opened()).space(params.space)),
  }),

  defineRoute({
    method: 'PUT',
    url: '/api/v1/knowledge/spaces/:space',
    scope: 'knowledge:write',
    tag,
    summary:
      'Update a knowledge space; absent fields stay as they are. With another model its documents are embedded again; another `split` counts for documents that are loaded or synchronised later.',
    body: async () => (await api()).SpaceBody.partial(),
    answer: async () => (await api()).KnowledgeSpace,
    errors: ['space_not_found', 'space_name_taken', 'storage_failed'],
    async handle(ctx, { request, params, body }) {
      const changed = await (await ctx.knowledge.opened()).changeSpace(params.space, body);
      audit(ctx, request, 'knowledge space changed', { space: changed.name });
      return shown(changed);
    },
  }),

  defineRoute({
    method: 'DELETE',
    url: '/api/v1/knowledge/spaces/:space',
    scope: 'knowledge:write',
    tag,
    summary: 'Delete a knowledge space with all of its documents.',
    answer: () => z.null(),
    errors: ['space_not_found', 'storage_failed'],
    async handle(ctx, { request, params }) {
      const { name } = await (await ctx.knowledge.opened()).removeSpace(params.space);
      audit(ctx, request, 'knowledge space removed', { space: name });
      return null;
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/knowledge/spaces/:space/search',
    scope: 'knowledge:read',
    tag,
    summary: 'Search a knowledge space: by words, and also by meaning if it has an embedding model.',
    guide: 'knowledge',
    body: async () => (await api()).KnowledgeSearch,
    answer: async () => (await api()).KnowledgeResult,
    errors: ['space_not_found'],
    async handle({ knowledge }, { request, params, body }) {
      const opened = await knowledge.opened();
      const space = await opened.space(params.space);
      const by = { flow: 'knowledge', version: '', run: `search-${request.id}`, node: space.id };
      return opened.searchIn([space], body, { ...by, operator: 'knowledge.retrieve' }, closed(request));
    },
  }),
];

const documents = [
  defineRoute({
    method: 'GET',
    url: '/api/v1/knowledge/spaces/:space/documents',
    scope: 'knowledge:read',
    masked: true,
    tag,
    summary: 'List the documents of a knowledge space, the oldest first, with the progress of their loading.',
    query: pageQuery,
    answer: async () => page((await api()).KnowledgeDocument),
    errors: ['space_not_found'],
    handle: async ({ knowledge }, { params, query }) =>
      (await knowledge.opened()).documents(params.space, query),
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/knowledge/spaces/:space/documents',
    scope: 'knowledge:write',
    masked: true,
    tag,
    summary:
      'Load a document: a file as `file` in a form, or a text or an address as JSON. A document of the same name is replaced. The answer comes at once; get the document to see when it is ready.',
    guide: 'knowledge',
    body: async () => (await api()).DocumentBody,
    uploads: ['multipart/form-data'],
    bodyLimit: () => MAX_UPLOAD_BYTES,
    answer: async () => (await api()).KnowledgeDocument,
    status: 202,
    errors: ['space_not_found', 'file_too_large', 'storage_failed'],
    async handle(ctx, { request, params }) {
      const given = await givenIn(request);
      const document = await (await ctx.knowledge.opened()).put(params.space, given);
      audit(ctx, request, 'document loaded', { space: params.space, document: document.name });
      return document;
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/knowledge/documents/:document',
    scope: 'knowledge:read',
    masked: true,
    tag,
    summary: 'Get a document: its status, progress and problem.',
    answer: async () => (await api()).KnowledgeDocument,
    errors: ['knowledge_document_not_found'],
    handle: async ({ knowledge }, { params }) => (await knowledge.opened()).document(params.document),
  }),

  defineRoute({
    method: 'PUT',
    url: '/api/v1/knowledge/documents/:document',
    scope: 'knowledge:write',
    tag,
    summary: 'Change the metadata of a document, by which searches can be limited.',
    body: async () => (await api()).DocumentChange,
    answer: async () => (await api()).KnowledgeDocument,
    errors: ['knowledge_document_not_found', 'storage_failed'],
    async handle(ctx, { request, params, body }) {
      const changed = await (await ctx.knowledge.opened()).changeDocument(params.document, body);
      audit(ctx, request, 'document changed', { space: changed.space, document: changed.name });
      return changed;
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/knowledge/documents/:document/chunks',
    scope: 'knowledge:read',
    tag,
    summary: 'List the chunks of a document, in its order.',
    query: pageQuery,
    answer: async () => page((await api()).KnowledgeChunk),
    errors: ['knowledge_document_not_found'],
    handle: async ({ knowledge }, { params, query }) =>
      (await knowledge.opened()).chunks(params.document, query),
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/knowledge/documents/:document/sync',
    scope: 'knowledge:write',
    tag,
    summary:
      'Read a document again: fetch its address, split it by these settings if there are any, embed what changed.',
    body: async () => (await split()).SplitChange,
    bodyOptional: true,
    answer: async () => (await api()).KnowledgeDocument,
    status: 202,
    errors: ['knowledge_document_not_found', 'storage_failed'],
    handle: async ({ knowledge }, { params, body }) => (await knowledge.opened()).sync(params.document, body),
  }),

  defineRoute({
    method: 'DELETE',
    url: '/api/v1/knowledge/documents/:document',
    scope: 'knowledge:write',
    tag,
    summary: 'Delete a document with its chunks and vectors.',
    answer: () => z.null(),
    errors: ['knowledge_document_not_found', 'storage_failed'],
    async handle(ctx, { request, params }) {
      const { name, space } = await (await ctx.knowledge.opened()).removeDocument(params.document);
      audit(ctx, request, 'document removed', { space, document: name });
      return null;
    },
  }),
];

/** `/api/v1/knowledge`: spaces, documents, search. */
export default async function knowledgeRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  app.addContentTypeParser(/^multipart\/form-data/i, (request, _payload, done) =>
    readBody(request, request.routeOptions.bodyLimit, done),
  );
  addRoutes(app, ctx, [...spaces, ...documents]);
  const { default: original } = await import('./knowledge-original.ts');
  addRoutes(app, ctx, original);
  const { default: older } = await import('./knowledge-older.ts');
  addRoutes(app, ctx, older);
}

/** Ends with the caller's connection. */
function closed({ raw }: FastifyRequest): AbortSignal {
  const stop = new AbortController();
  raw.socket.once('close', () => stop.abort(new Error('the caller is gone')));
  return stop.signal;
}

type Given = Parameters<OpenKnowledge['put']>[1];

/** Throws `invalid_request` unless it is a file, a text or an address. */
async function givenIn(request: FastifyRequest): Promise<Given> {
  const { DocumentBody } = await api();
  const form = await formOf(request);
  if (form === undefined) return givenOf(readPart(DocumentBody, request.body, 'body'));
  const { file, fields } = form;
  if (file === undefined) throw refused('Send the document in a field named `file`.');
  const json = (name: string): unknown =>
    fields[name] === undefined ? undefined : parsed(name, fields[name]);
  const {
    name,
    metadata,
    split: how,
  } = readPart(
    DocumentBody,
    { name: fields['name'] ?? file.name, metadata: json('metadata'), split: json('split') },
    'body',
  );
  return {
    name: name ?? file.name,
    kind: 'file',
    content: file.content,
    type: file.type,
    metadata,
    split: how,
  };
}

function givenOf(body: z.output<Awaited<ReturnType<typeof api>>['DocumentBody']>): Given {
  const { name, text, url, metadata, split: how } = body;
  if ((text === undefined) === (url === undefined))
    throw refused('Send either `text` or `url`, or a form with a `file`.');
  if (url !== undefined)
    return { name: name ?? url.slice(0, 200), kind: 'url', content: { url }, metadata, split: how };
  if (name === undefined) throw refused('A text has no name of its own: send `name`.');
  const content = new TextEncoder().encode(text);
  return { name, kind: 'text', content, type: 'text/markdown', metadata, split: how };
}

function parsed(name: string, text: string): unknown {
  try {
    return parseExactly(text);
  } catch (error) {
    const why = (error as Error).message;
    throw new ServiceError('invalid_request', `The field \`${name}\` is not JSON that can be kept: ${why}.`, {
      param: name,
    });
  }
}

function refused(message: string): ServiceError {
  return new ServiceError('invalid_request', message, { param: 'body' });
}

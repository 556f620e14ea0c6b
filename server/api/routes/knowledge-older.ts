import { z } from 'zod';
import type { OpenKnowledge } from '../../integrations/knowledge/open-knowledge.ts';
import type { StoredSpace } from '../../integrations/knowledge/store.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { audit } from '../../access/security/audit.ts';
import { readPart } from '../../base/requests/read-part.ts';
import { defineRoute } from './define-route.ts';
import { formOf } from '../../integrations/knowledge/read-form.ts';

/** Loaded by the first request. */
const dbGpt = () => import('../../integrations/knowledge/original.ts');
const olderApi = () => import('../../integrations/knowledge/original-older.ts');

const tag = 'Knowledge of DB-GPT';

/** By its name, or by its number, which the newest pages send. */
async function spaceIn(opened: OpenKnowledge, given: string): Promise<StoredSpace> {
  const named = await opened.store.spaceNamed(given);
  return named ?? (/^\d+$/.test(given) ? opened.space(given) : opened.named(given));
}

/** `/knowledge`: the routes that the web page of DB-GPT calls. They answer with proper statuses, and need a key. */
const spaces = [
  defineRoute({
    method: 'POST',
    url: '/knowledge/space/add',
    scope: 'knowledge:write',
    tag,
    summary: 'Create a knowledge space (older API).',
    guide: 'knowledge',
    body: async () => (await dbGpt()).SpaceGiven,
    answer: () => z.array(z.never()).describe('Always empty.'),
    errors: ['space_name_taken', 'storage_failed'],
    async handle(ctx, { request, body }) {
      const { spaceBody, extraOf } = await dbGpt();
      const made = await (await ctx.knowledge.opened()).addSpace(spaceBody(body), extraOf(body));
      audit(ctx, request, 'knowledge space made', { space: made.name });
      return [];
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/knowledge/space/list',
    scope: 'knowledge:read',
    tag,
    summary: 'List the spaces with this name, type and owner, the newest first (older API).',
    body: async () => (await olderApi()).SpaceFilter,
    answer: async () => z.array((await olderApi()).Space),
    async handle({ knowledge }, { body }) {
      const { olderSpace } = await olderApi();
      const all = (await (await knowledge.opened()).spaces()).map(olderSpace).reverse();
      const { name, vector_type, owner } = body;
      return all.filter(
        (one) =>
          (!name || one.name === name) &&
          (!vector_type || one.vector_type === vector_type) &&
          (!owner || one.owner === owner),
      );
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/knowledge/space/delete',
    scope: 'knowledge:write',
    tag,
    summary: 'Delete the space with this name and its documents (older API).',
    body: async () => (await olderApi()).NamedSpace,
    answer: () => z.null(),
    errors: ['space_not_found', 'storage_failed'],
    async handle(ctx, { request, body }) {
      const opened = await ctx.knowledge.opened();
      const { name } = await opened.removeSpace((await opened.named(body.name)).id);
      audit(ctx, request, 'knowledge space removed', { space: name });
      return null;
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/knowledge/:space/arguments',
    scope: 'knowledge:read',
    tag,
    summary: 'Get the arguments of a space: those that were saved, or defaults (older API).',
    answer: async () => (await olderApi()).Arguments,
    errors: ['space_not_found'],
    async handle({ knowledge }, { params }) {
      return (await olderApi()).argumentsOf(await spaceIn(await knowledge.opened(), params.space));
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/knowledge/:space/argument/save',
    scope: 'knowledge:write',
    tag,
    summary:
      'Save the arguments of a space (older API). `embedding.chunk_size` and `chunk_overlap` count for documents that are read later.',
    body: async () => (await olderApi()).ArgumentGiven,
    answer: async () => (await olderApi()).Space,
    errors: ['space_not_found', 'storage_failed'],
    async handle(ctx, { request, params, body }) {
      const { olderSpace, splitIn } = await olderApi();
      const split = splitIn(body.argument);
      const opened = await ctx.knowledge.opened();
      const { id } = await spaceIn(opened, params.space);
      const changed = await opened.changeSpace(id, { ...(split && { split }) }, { context: body.argument });
      audit(ctx, request, 'knowledge space changed', { space: changed.name });
      return olderSpace(changed);
    },
  }),
];

const documents = [
  defineRoute({
    method: 'POST',
    url: '/knowledge/:space/document/add',
    scope: 'knowledge:write',
    tag,
    summary: 'Create a document from a text or an address (older API). It is read when it is synchronised.',
    body: async () => (await olderApi()).DocumentAdded,
    answer: () => z.int().describe('Its id.'),
    errors: ['space_not_found', 'knowledge_document_name_taken', 'storage_failed'],
    async handle(ctx, { request, params, body }) {
      const opened = await ctx.knowledge.opened();
      const space = await spaceIn(opened, params.space);
      const made = await keepNew(opened, space, { ...body, doc_source: body.source }, undefined);
      audit(ctx, request, 'document loaded', { space: made.space, document: made.name });
      return Number(made.id);
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/knowledge/:space/document/upload',
    scope: 'knowledge:write',
    tag,
    summary:
      'Create a document from a form with `doc_name`, `doc_type` and `doc_file` (older API). The space `default` is created if there is none.',
    uploads: ['multipart/form-data'],
    bodyLimit: () => 51_000_000,
    answer: () => z.int().describe('Its id.'),
    errors: [
      'space_not_found',
      'knowledge_document_name_taken',
      'file_too_large',
      'invalid_request',
      'storage_failed',
    ],
    async handle(ctx, { request, params }) {
      const form = await formOf(request, 'doc_file');
      if (form === undefined)
        throw new ServiceError(
          'invalid_request',
          'Send a form (multipart/form-data) with the file as `doc_file`.',
        );
      const opened = await ctx.knowledge.opened();
      const isMissing = params.space === 'default' && !(await opened.store.spaceNamed('default'));
      const space = isMissing
        ? await opened.addSpace({ name: 'default' }).catch(() => opened.named('default'))
        : await spaceIn(opened, params.space);
      const made = await keepNew(opened, space, form.fields, form.file);
      audit(ctx, request, 'document loaded', { space: made.space, document: made.name });
      return Number(made.id);
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/knowledge/:space/document/list',
    scope: 'knowledge:read',
    tag,
    summary: 'List a page of the documents of a space, the newest first (older API).',
    body: async () => (await olderApi()).DocumentFilter,
    answer: async () => (await olderApi()).DocumentPage,
    errors: ['space_not_found'],
    async handle({ knowledge }, { params, body }) {
      const opened = await knowledge.opened();
      return (await olderApi()).documentPage(opened, await spaceIn(opened, params.space), body);
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/knowledge/:space/document/delete',
    scope: 'knowledge:write',
    tag,
    summary: 'Delete the document with this name (older API).',
    body: async () => (await olderApi()).NamedDocument,
    answer: () => z.null(),
    errors: ['space_not_found', 'knowledge_document_not_found', 'storage_failed'],
    async handle(ctx, { request, params, body }) {
      const opened = await ctx.knowledge.opened();
      const space = await spaceIn(opened, params.space);
      const found = await opened.store.documentNamed(space.id, body.doc_name);
      if (found === undefined)
        throw new ServiceError(
          'knowledge_document_not_found',
          `there are no or more than one document called ${body.doc_name}`,
        );
      await opened.removeDocument(found.id);
      audit(ctx, request, 'document removed', { space: space.id, document: body.doc_name });
      return null;
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/knowledge/:space/document/sync',
    scope: 'knowledge:write',
    tag,
    summary: 'Read documents of a space; answers at once (older API).',
    body: async () => (await olderApi()).SyncBody,
    answer: () => z.array(z.never()).describe('Always empty.'),
    errors: ['space_not_found', 'knowledge_document_not_found', 'storage_failed'],
    async handle({ knowledge }, { params, body }) {
      const { syncAll, syncSplit } = await olderApi();
      const opened = await knowledge.opened();
      const split = syncSplit(body);
      const asked = body.doc_ids.map((id) => ({ id, split }));
      await syncAll(opened, await spaceIn(opened, params.space), asked);
      return [];
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/knowledge/:space/document/sync_batch',
    scope: 'knowledge:write',
    tag,
    summary: 'Read documents of a space, each split in its own way; answers at once (older API).',
    body: async () => (await olderApi()).SyncBatch,
    answer: () => z.object({ tasks: z.array(z.int()) }),
    errors: ['space_not_found', 'knowledge_document_not_found', 'storage_failed'],
    async handle({ knowledge }, { params, body }) {
      const [{ syncAll }, { splitOf }] = [await olderApi(), await dbGpt()];
      const opened = await knowledge.opened();
      const asked = body.map(({ doc_id: id, chunk_parameters }) => ({
        id,
        split: splitOf(chunk_parameters),
      }));
      return { tasks: await syncAll(opened, await spaceIn(opened, params.space), asked) };
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/knowledge/:space/chunk/list',
    scope: 'knowledge:read',
    tag,
    summary: 'List a page of the chunks of a document (older API).',
    body: async () => (await olderApi()).ChunkFilter,
    answer: async () => (await olderApi()).ChunkPage,
    errors: ['space_not_found', 'knowledge_document_not_found'],
    async handle({ knowledge }, { params, body }) {
      const { chunkedDocument, olderChunk } = await olderApi();
      const opened = await knowledge.opened();
      const document = await chunkedDocument(opened, await spaceIn(opened, params.space), body);
      const { page, page_size: limit } = body;
      const { items, total } = await opened.chunks(document.id, { offset: (page - 1) * limit, limit });
      return { data: items.map((chunk) => olderChunk(chunk, document)), summary: '', total, page };
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/knowledge/document/chunkstrategies',
    scope: 'knowledge:read',
    tag,
    summary: 'List the ways to split documents (older API).',
    answer: async () => z.array((await olderApi()).Strategy),
    handle: async () => (await olderApi()).STRATEGIES,
  }),

  defineRoute({
    method: 'POST',
    url: '/knowledge/:space/query',
    scope: 'knowledge:read',
    tag,
    summary: 'Search the space that `space_name` names (older API); the answer has no envelope.',
    query: () => z.object({ space_name: z.string().min(1) }),
    body: async () => (await olderApi()).Query,
    content: async () => ({ 'application/json': (await olderApi()).QueryAnswer }),
    errors: ['space_not_found'],
    async handle({ knowledge }, { body, query }) {
      const opened = await knowledge.opened();
      const space = await spaceIn(opened, query.space_name);
      const asked = { query: body.query, limit: body.top_k, filter: {}, documents: [], neighbours: 0 };
      const { hits } = await opened.searchIn([space], asked, SEARCHER, AbortSignal.timeout(60_000));
      return {
        response: hits.map(({ text, document, score }) => ({ text, source: document.name, score })),
      };
    },
  }),
];

const SEARCHER = { flow: 'knowledge', version: '', run: '', node: '', operator: 'knowledge.retrieve' };

type Form = Awaited<ReturnType<typeof formOf>>;

/** Throws `invalid_request`, `knowledge_document_name_taken`. */
async function keepNew(
  opened: OpenKnowledge,
  space: StoredSpace,
  fields: object,
  file: NonNullable<Form>['file'],
) {
  const { DocumentGiven, documentGiven } = await dbGpt();
  const document = documentGiven(readPart(DocumentGiven, { ...fields, space_id: space.id }, 'body'), file);
  if (await opened.store.documentNamed(space.id, document.name))
    throw new ServiceError(
      'knowledge_document_name_taken',
      `document name:${document.name} have already named`,
    );
  return opened.keep(space.id, document);
}

export default [...spaces, ...documents];

import { z } from 'zod';
import { ServiceError } from '../../base/errors/errors.ts';
import { audit } from '../../access/security/audit.ts';
import { readPart } from '../../base/requests/read-part.ts';
import { defineRoute } from './define-route.ts';
import { formOf } from '../../integrations/knowledge/read-form.ts';

/** Loaded by the first request. */
const dbGpt = () => import('../../integrations/knowledge/original.ts');

const tag = 'Knowledge of DB-GPT';
const alive = () => ({ 'application/json': z.object({ status: z.literal('ok') }) });
const base = '/api/v2/serve/knowledge';

/**
 * `/api/v2/serve/knowledge`: spaces and documents as the clients of DB-GPT read them. It answers objects where
 * DB-GPT answers lists of pairs or errors, which its clients cannot read.
 */
export default [
  defineRoute({
    method: 'GET',
    url: `${base}/health`,
    scope: 'public',
    tag,
    summary: 'Check that this API exists.',
    content: alive,
    handle: () => ({ status: 'ok' }),
  }),

  defineRoute({
    method: 'GET',
    url: `${base}/test_auth`,
    scope: 'knowledge:read',
    tag,
    summary: 'Check that the key is valid.',
    content: alive,
    handle: () => ({ status: 'ok' }),
  }),

  defineRoute({
    method: 'GET',
    url: `${base}/spaces`,
    scope: 'knowledge:read',
    tag,
    summary: 'List a page of knowledge spaces in DB-GPT’s format.',
    guide: 'knowledge',
    query: async () => (await dbGpt()).PageQuery,
    answer: async () => (await dbGpt()).pageOf((await dbGpt()).Space),
    async handle({ knowledge }, { query }) {
      const { spaceOf, paged } = await dbGpt();
      const all = await (await knowledge.opened()).spaces();
      const { offset, limit } = paged(query);
      return paged(query).page(all.slice(offset, offset + limit).map(spaceOf), all.length);
    },
  }),

  defineRoute({
    method: 'POST',
    url: `${base}/spaces`,
    scope: 'knowledge:write',
    tag,
    summary: 'Create a knowledge space from DB-GPT’s fields.',
    body: async () => (await dbGpt()).SpaceGiven,
    answer: async () => (await dbGpt()).Space,
    errors: ['space_name_taken', 'storage_failed'],
    async handle(ctx, { request, body }) {
      const { spaceOf, spaceBody, extraOf } = await dbGpt();
      const made = await (await ctx.knowledge.opened()).addSpace(spaceBody(body), extraOf(body));
      audit(ctx, request, 'knowledge space made', { space: made.name });
      return spaceOf(made);
    },
  }),

  defineRoute({
    method: 'PUT',
    url: `${base}/spaces`,
    scope: 'knowledge:write',
    tag,
    summary: 'Update the knowledge space with this `id`, or without one the space of this `name`.',
    body: async () => (await dbGpt()).SpaceGiven,
    answer: async () => (await dbGpt()).Space,
    errors: ['space_not_found', 'space_name_taken', 'storage_failed'],
    async handle(ctx, { request, body }) {
      const { spaceOf, changeBody, extraOf } = await dbGpt();
      const opened = await ctx.knowledge.opened();
      const id = body.id ?? (await opened.named(body.name ?? '')).id;
      const changed = await opened.changeSpace(id, changeBody(body), extraOf(body));
      audit(ctx, request, 'knowledge space changed', { space: changed.name });
      return spaceOf(changed);
    },
  }),

  defineRoute({
    method: 'GET',
    url: `${base}/spaces/:space`,
    scope: 'knowledge:read',
    tag,
    summary: 'Get a knowledge space in DB-GPT’s format.',
    answer: async () => (await dbGpt()).Space,
    errors: ['space_not_found'],
    handle: async ({ knowledge }, { params }) =>
      (await dbGpt()).spaceOf(await (await knowledge.opened()).space(params.space)),
  }),

  defineRoute({
    method: 'DELETE',
    url: `${base}/spaces/:space`,
    scope: 'knowledge:write',
    tag,
    summary: 'Delete a knowledge space with its documents, and return it.',
    answer: async () => (await dbGpt()).Space,
    errors: ['space_not_found', 'storage_failed'],
    async handle(ctx, { request, params }) {
      const space = await (await ctx.knowledge.opened()).removeSpace(params.space);
      audit(ctx, request, 'knowledge space removed', { space: space.name });
      return (await dbGpt()).spaceOf(space);
    },
  }),

  defineRoute({
    method: 'GET',
    url: `${base}/documents`,
    scope: 'knowledge:read',
    tag,
    summary: 'List a page of the documents of all spaces in DB-GPT’s format.',
    query: async () => (await dbGpt()).PageQuery,
    answer: async () => (await dbGpt()).pageOf((await dbGpt()).Document),
    async handle({ knowledge }, { query }) {
      const { paged, shownDocument } = await dbGpt();
      const asked = paged(query);
      const opened = await knowledge.opened();
      const { items, total } = await opened.documents(undefined, {
        offset: asked.offset,
        limit: asked.limit,
      });
      const shown = await Promise.all(items.map((one) => shownDocument(opened, one)));
      return asked.page(shown, total);
    },
  }),

  defineRoute({
    method: 'POST',
    url: `${base}/documents`,
    scope: 'knowledge:write',
    tag,
    summary:
      'Create a document from DB-GPT’s fields, in a form, as JSON or in the query; a file is sent as `doc_file`. It is read when it is synchronised.',
    query: async () => (await dbGpt()).DocumentGiven.partial(),
    body: async () => (await dbGpt()).DocumentGiven.partial(),
    bodyOptional: true,
    uploads: ['multipart/form-data'],
    bodyLimit: () => 51_000_000,
    answer: async () => (await dbGpt()).Document,
    errors: ['space_not_found', 'knowledge_document_name_taken', 'file_too_large', 'storage_failed'],
    async handle(ctx, { request }) {
      const { DocumentGiven, documentGiven, shownDocument } = await dbGpt();
      const form = await formOf(request, 'doc_file');
      const fields = { ...(request.query as object), ...(form?.fields ?? (request.body as object | null)) };
      const given = readPart(DocumentGiven, fields, 'body');
      const opened = await ctx.knowledge.opened();
      const document = documentGiven(given, form?.file);
      if (await opened.store.documentNamed(given.space_id, document.name))
        throw new ServiceError(
          'knowledge_document_name_taken',
          `document name:${document.name} have already named`,
        );
      const made = await opened.keep(given.space_id, document);
      audit(ctx, request, 'document loaded', { space: made.space, document: made.name });
      return shownDocument(opened, made);
    },
  }),

  defineRoute({
    method: 'GET',
    url: `${base}/documents/:document`,
    scope: 'knowledge:read',
    tag,
    summary: 'Get a document in DB-GPT’s format.',
    answer: async () => (await dbGpt()).Document,
    errors: ['knowledge_document_not_found'],
    async handle({ knowledge }, { params }) {
      const opened = await knowledge.opened();
      return (await dbGpt()).shownDocument(opened, await opened.document(params.document));
    },
  }),

  defineRoute({
    method: 'DELETE',
    url: `${base}/documents/:document`,
    scope: 'knowledge:write',
    tag,
    summary: 'Delete a document, and return it.',
    answer: async () => (await dbGpt()).Document,
    errors: ['knowledge_document_not_found', 'storage_failed'],
    async handle(ctx, { request, params }) {
      const opened = await ctx.knowledge.opened();
      const shown = await (await dbGpt()).shownDocument(opened, await opened.document(params.document));
      const document = await opened.removeDocument(params.document);
      audit(ctx, request, 'document removed', { space: document.space, document: document.name });
      return shown;
    },
  }),

  ...(['sync', 'batch_sync'] as const).map((name) =>
    defineRoute({
      method: 'POST',
      url: `${base}/documents/${name}`,
      scope: 'knowledge:write',
      tag,
      summary: 'Read documents, and return their ids at once; takes a list, or one.',
      body: async () => (await dbGpt()).SyncGiven,
      answer: () => z.array(z.int()),
      errors: ['knowledge_document_not_found', 'storage_failed'],
      async handle(ctx, { body }) {
        const { splitOf } = await dbGpt();
        const opened = await ctx.knowledge.opened();
        const asked = Array.isArray(body) ? body : [body];
        // All exist before the first is read.
        for (const { doc_id } of asked) await opened.document(doc_id);
        for (const { doc_id, chunk_parameters } of asked)
          await opened.sync(doc_id, splitOf(chunk_parameters));
        return asked.map(({ doc_id }) => Number(doc_id));
      },
    }),
  ),

  defineRoute({
    method: 'POST',
    url: `${base}/documents/:document/sync`,
    scope: 'knowledge:write',
    tag,
    summary: 'Read one document, split by these parameters if there are any, and return its id at once.',
    body: async () => (await dbGpt()).ChunkParameters,
    bodyOptional: true,
    answer: () => z.array(z.int()),
    errors: ['knowledge_document_not_found', 'storage_failed'],
    async handle({ knowledge }, { params, body }) {
      const { splitOf } = await dbGpt();
      const { id } = await (await knowledge.opened()).sync(params.document, splitOf(body));
      return [Number(id)];
    },
  }),
];

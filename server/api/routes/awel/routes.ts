import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { lazy } from '../../../base/parts/lazy.ts';
import { readBody } from '../../../access/http/read-body.ts';
import type { Context } from '../context.ts';
import { addRoutes, below, defineRoute } from '../define-route.ts';
import type { Handlers } from './handlers.ts';
import { exportQuery, importQuery, listQuery, writeQuery } from './queries.ts';

interface AwelContext extends Context {
  /** The handlers; loaded by the first request. */
  readonly awel: () => Promise<Handlers>;
}

const flow = () => z.looseObject({ uid: z.string(), name: z.string(), flow_data: z.unknown() });
const page = () =>
  z.object({
    items: z.array(flow()),
    total_count: z.int(),
    total_pages: z.int(),
    page: z.int(),
    page_size: z.int(),
  });
/** The answer to an archive of several flows. */
const several = () =>
  z.object({
    flows: z.array(flow()),
    left: z
      .array(z.object({ file: z.string(), message: z.string() }))
      .describe('Files that were not imported, with the reason.'),
  });
const alive = () => ({ 'application/json': z.object({ status: z.literal('ok') }) });

/** Handlers read the body themselves: it may be an export file or a form. */
const body = async () => (await import('../../../flows/awel/awel-flow.ts')).AwelFlow;

const saving = ['revision_conflict', 'publish_conflict', 'read_only', 'storage_failed'] as const;
const tag = 'Flows of DB-GPT';

const reading = [
  defineRoute({
    method: 'GET',
    url: '/health',
    scope: 'public',
    tag,
    summary: 'Check that this API exists.',
    content: alive,
    handle: () => ({ status: 'ok' }),
  }),

  defineRoute({
    method: 'GET',
    url: '/test_auth',
    scope: 'flows:read',
    tag,
    summary: 'Check that the key is valid.',
    content: alive,
    handle: () => ({ status: 'ok' }),
  }),

  defineRoute({
    method: 'GET',
    url: '/nodes',
    scope: 'flows:read',
    tag,
    summary: 'List the operators of this server in DB-GPT’s format.',
    answer: () => z.array(z.looseObject({ name: z.string() })),
    handle: async ({ awel }: AwelContext) => (await awel()).nodes(),
  }),

  defineRoute({
    method: 'GET',
    url: '/flows',
    scope: 'flows:read',
    tag,
    summary: 'List a page of flows in DB-GPT’s format, newest first.',
    guide: 'import-export',
    query: listQuery,
    answer: page,
    handle: async ({ awel }: AwelContext, { query }) => (await awel()).list(query, 'all'),
  }),

  defineRoute({
    method: 'GET',
    url: '/chat/flows',
    scope: 'flows:read',
    tag,
    summary: 'List the flows that people can chat with.',
    query: listQuery,
    answer: page,
    handle: async ({ awel }: AwelContext, { query }) => (await awel()).list(query, 'chat'),
  }),

  defineRoute({
    method: 'GET',
    url: '/flows/:uid',
    scope: 'flows:read',
    tag,
    summary: 'Get a flow: its draft, if there is one.',
    answer: flow,
    errors: ['flow_not_found'],
    handle: async ({ awel }: AwelContext, { params }) => (await awel()).get(params.uid),
  }),
];

const writing = [
  defineRoute({
    method: 'POST',
    url: '/flows',
    scope: 'flows:write',
    tag,
    summary: 'Create a flow from DB-GPT’s JSON: a draft, or a live flow if its state is `deployed`.',
    guide: 'import-export',
    query: writeQuery,
    body,
    answer: flow,
    errors: ['conflict', ...saving],
    handle: async ({ awel }: AwelContext, { request, query }) =>
      (await awel()).create(request, query.open_triggers),
  }),

  defineRoute({
    method: 'PUT',
    url: '/flows/:uid',
    scope: 'flows:write',
    tag,
    summary:
      'Update a flow at its current revision; positions are stored in its layout. The states `deployed` and `running` publish it.',
    query: writeQuery,
    body,
    answer: flow,
    errors: ['flow_not_found', ...saving],
    handle: async ({ awel }: AwelContext, { request, params, query }) =>
      (await awel()).update(request, params.uid, query.open_triggers),
  }),

  defineRoute({
    method: 'DELETE',
    url: '/flows/:uid',
    scope: 'flows:write',
    tag,
    summary: 'Delete a flow and return it.',
    answer: flow,
    errors: ['flow_not_found', ...saving],
    handle: async ({ awel }: AwelContext, { request, params }) => (await awel()).remove(request, params.uid),
  }),
];

const files = [
  defineRoute({
    method: 'GET',
    url: '/flow/export/:uid',
    scope: 'flows:read',
    tag,
    summary: 'Export a flow as a file; `?format=json` omits the file name.',
    guide: 'import-export',
    query: exportQuery,
    content: () => ({ 'application/json': z.object({ flow: flow() }) }),
    errors: ['flow_not_found'],
    handle: async ({ awel }: AwelContext, { reply, params, query }) =>
      (await awel()).exportFile(reply, params.uid, query),
  }),

  defineRoute({
    method: 'POST',
    url: '/flow/import',
    scope: 'flows:write',
    tag,
    summary:
      'Preview the import of a DB-GPT file, sent as `file` in a form or as JSON; `?save_flow=true` saves it as a draft. The file may be a zip archive, also of several flows.',
    guide: 'import-export',
    query: importQuery,
    body,
    uploads: ['multipart/form-data'],
    answer: () => z.union([flow(), several()]),
    errors: ['conflict', ...saving],
    handle: async ({ awel }: AwelContext, { request, query }) => (await awel()).importFile(request, query),
  }),
];

/**
 * DB-GPT's flows API, at both of its addresses: DB-GPT's formats with our rules (a key for everything,
 * correct status codes, the one error body).
 */
export default async function awelRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  const awel = lazy(async () => (await import('./handlers.ts')).createHandlers(ctx));
  app.addContentTypeParser(/^multipart\/form-data/i, (request, _payload, done) =>
    readBody(request, request.routeOptions.bodyLimit, done),
  );
  for (const prefix of ['/api/v2/serve/awel', '/api/v1/serve/awel'])
    addRoutes(app, { ...ctx, awel }, below(prefix, [...reading, ...writing, ...files]));
}

import { z } from 'zod';
import { ServiceError } from '../../base/errors/errors.ts';
import { audit } from '../../access/security/audit.ts';
import type { Context } from './context.ts';
import { defineRoute } from './define-route.ts';

/** Loaded by the first request. */
const dbGpt = () => import('../../integrations/connections/original.ts');
type Given = z.output<Awaited<ReturnType<typeof dbGpt>>['DatasourceGiven']>;

const tag = 'Knowledge of DB-GPT';
const base = '/api/v1/chat/db';
const failures = ['connection_not_found', 'datasource_unsupported', 'storage_failed'] as const;
const untested = ['datasource_unsupported', 'connection_failed'] as const;
const done = () => z.literal(true);

/** Throws the other side's message, like DB-GPT, and `invalid_request` for something that is not a data source. */
async function tryOut(ctx: Context, given: Given): Promise<true> {
  const { connectionOf } = await dbGpt();
  const { name, body } = connectionOf({ ...given, db_name: given.db_name || 'test' }, ctx.config.folders);
  const { ok, error } = await ctx.connections.tryOut(name, body);
  if (ok) return true;
  throw new ServiceError('connection_failed', `${name} Test connect Failure! ${error?.message ?? ''}`.trim());
}

async function changed(ctx: Context): Promise<true> {
  await ctx.flows.worldChanged('connections');
  return true;
}

/** `/api/v1/chat/db`: data sources as the web page of DB-GPT reads and sends them, and tests of settings that are not stored. */
export default [
  defineRoute({
    method: 'POST',
    url: '/api/v2/serve/datasources/test-connection',
    scope: 'admin',
    tag,
    summary: 'Test the settings of a data source without storing them.',
    guide: 'connections',
    body: async () => (await dbGpt()).DatasourceGiven,
    answer: done,
    errors: untested,
    handle: (ctx, { body }) => tryOut(ctx, body),
  }),

  defineRoute({
    method: 'GET',
    url: `${base}/list`,
    scope: 'admin',
    tag,
    summary: 'List all connections as data sources (older API).',
    guide: 'connections',
    answer: async () => z.array((await dbGpt()).OlderDatasource),
    async handle({ connections }) {
      const { databasesIn, olderDatasource } = await dbGpt();
      return databasesIn(connections.list()).map(olderDatasource);
    },
  }),

  defineRoute({
    method: 'POST',
    url: `${base}/add`,
    scope: 'admin',
    tag,
    summary: 'Create a connection (older API).',
    body: async () => (await dbGpt()).DatasourceGiven,
    answer: done,
    errors: ['datasource_name_taken', ...failures],
    async handle(ctx, { request, body }) {
      const { connectionOf } = await dbGpt();
      const asked = connectionOf(body, ctx.config.folders);
      if (ctx.connections.list().some(({ name }) => name === asked.name))
        throw new ServiceError('datasource_name_taken', `datasource name:${body.db_name} already exists`);
      const { name, kind, settings, grants } = await ctx.connections.put(asked.name, asked.body);
      audit(ctx, request, 'connection made', { connection: name, kind, settings, grants });
      return changed(ctx);
    },
  }),

  defineRoute({
    method: 'POST',
    url: `${base}/edit`,
    scope: 'admin',
    tag,
    summary: 'Change the connection with this `db_name`; fields that are empty stay (older API).',
    body: async () => (await dbGpt()).DatasourceGiven,
    answer: done,
    errors: failures,
    async handle(ctx, { request, body }) {
      const { connectionOf, datasourceNamed } = await dbGpt();
      const before = datasourceNamed(ctx.connections.list(), body.db_name ?? '');
      const asked = connectionOf({ ...body, db_name: before.name }, ctx.config.folders, before);
      const { name, kind, settings, grants } = await ctx.connections.put(asked.name, asked.body);
      audit(ctx, request, 'connection changed', { connection: name, kind, settings, grants });
      return changed(ctx);
    },
  }),

  defineRoute({
    method: 'POST',
    url: `${base}/delete`,
    scope: 'admin',
    tag,
    summary: 'Delete the connection with this `db_name` (older API).',
    query: () => z.object({ db_name: z.string().min(1) }),
    answer: done,
    errors: failures,
    async handle(ctx, { request, query }) {
      const { datasourceNamed } = await dbGpt();
      const { name } = datasourceNamed(ctx.connections.list(), query.db_name);
      await ctx.connections.remove(name);
      audit(ctx, request, 'connection removed', { connection: name });
      return changed(ctx);
    },
  }),

  defineRoute({
    method: 'POST',
    url: `${base}/refresh`,
    scope: 'admin',
    tag,
    summary:
      'Check that the connection with this `db_name` answers; its tables are read with each question (older API).',
    body: async () => (await dbGpt()).DatasourceGiven,
    answer: () => z.boolean(),
    errors: ['connection_not_found'],
    async handle({ connections }, { body }) {
      const { datasourceNamed } = await dbGpt();
      return (await connections.test(datasourceNamed(connections.list(), body.db_name ?? '').name)).ok;
    },
  }),

  defineRoute({
    method: 'POST',
    url: `${base}/summary`,
    scope: 'admin',
    tag,
    summary:
      'Check that there is such a connection: its tables are read with each question, so nothing is prepared (older API).',
    query: () => z.object({ db_name: z.string().min(1), db_type: z.string().optional() }),
    answer: done,
    errors: ['connection_not_found'],
    async handle({ connections }, { query }) {
      (await dbGpt()).datasourceNamed(connections.list(), query.db_name);
      return true as const;
    },
  }),

  defineRoute({
    method: 'POST',
    url: `${base}/test/connect`,
    scope: 'admin',
    tag,
    summary: 'Test the settings of a data source without storing them (older API).',
    body: async () => (await dbGpt()).DatasourceGiven,
    answer: done,
    errors: untested,
    handle: (ctx, { body }) => tryOut(ctx, body),
  }),

  defineRoute({
    method: 'GET',
    url: `${base}/support/type`,
    scope: 'admin',
    tag,
    summary: 'List the types of data sources (older API).',
    answer: () => z.array(z.object({ db_type: z.string(), is_file_db: z.boolean() })),
    handle: async () =>
      (await dbGpt()).DATASOURCE_TYPES.map(({ name: db_type, is_file_db }) => ({ db_type, is_file_db })),
  }),
];

import { z } from 'zod';
import { ID_PATTERN } from '#shared/flow.ts';
import type { ConnectionInfo } from '#shared/connection.ts';
import type { FastifyRequest } from 'fastify';
import { WeftError } from '#engine';
import type { AskedUse } from '../../integrations/connections/connections.ts';
import type { KnownConnection } from '../../integrations/connections/stored-connections.ts';
import { databaseFolders } from '../../base/files/data-folder.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { audit } from '../../access/security/audit.ts';
import type { Context } from './context.ts';
import { defineRoute } from './define-route.ts';

const shapes = () => import('#shared/connection.ts');
const described = () => import('#shared/described.ts');

/** `/api/v1/connections`: passwords go in and never come out. */
const connections = [
  defineRoute({
    method: 'GET',
    url: '/api/v1/connections',
    scope: 'admin',
    masked: true,
    tag: 'Administration',
    summary: 'List all connections with their settings, except passwords, and the flows that name them.',
    guide: 'connections',
    answer: async () => z.array((await shapes()).ConnectionInfo),
    errors: ['storage_failed'],
    async handle(ctx) {
      const users = usersOf(ctx);
      const accounts = await ctx.connections.signIns.accounts();
      return ctx.connections.list().map((connection) => {
        const account = accounts.get(connection.name);
        return { ...shown(connection, users), ...(account && { account }) };
      });
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/connections/kinds',
    scope: 'admin',
    tag: 'Administration',
    summary: 'List the kinds of connections with the JSON Schema of their settings.',
    guide: 'connections',
    answer: async () => z.array((await shapes()).ConnectionKind),
    async handle() {
      const { describeKinds } = await import('../../integrations/connections/open-connections.ts');
      return describeKinds();
    },
  }),

  defineRoute({
    method: 'PUT',
    url: '/api/v1/connections/:name',
    scope: 'admin',
    tag: 'Administration',
    summary:
      'Create or change a connection. Passwords and grants that are left out stay as they are; a new one is granted to nobody without `grants`: lists of `flows` and `operators`, and every list that is present must allow a use. `rate` limits how often all flows together may use it; null removes the limit.',
    guide: 'connections',
    body: async () => (await shapes()).ConnectionBody,
    answer: async () => (await shapes()).ConnectionInfo,
    errors: ['servers_too_old', 'storage_failed'],
    async handle(ctx, { request, params: { name }, body }) {
      if (!ID_PATTERN.test(name)) {
        const rule = 'The name of a connection is an id: a lower-case letter, then a-z, 0-9 and _.';
        throw new ServiceError('invalid_request', rule, { param: 'name' });
      }
      const isNew = !ctx.connections.list().some((connection) => connection.name === name);
      const info = await ctx.connections.put(name, body);
      const { kind, settings, grants, rate } = info;
      const what = isNew ? 'connection made' : 'connection changed';
      audit(ctx, request, what, { connection: name, kind, settings, grants, rate });
      await ctx.flows.worldChanged('connections');
      return shown(info, usersOf(ctx));
    },
  }),

  defineRoute({
    method: 'DELETE',
    url: '/api/v1/connections/:name',
    scope: 'admin',
    tag: 'Administration',
    summary: 'Delete a connection, end its sessions, and revoke its tokens as far as their provider can.',
    answer: () => z.null(),
    errors: ['connection_not_found', 'storage_failed'],
    async handle(ctx, { request, params: { name } }) {
      const notRevoked = await ctx.connections.remove(name);
      await ctx.flows.worldChanged('connections');
      audit(ctx, request, 'connection removed', { connection: name, ...(notRevoked && { notRevoked }) });
      return null;
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/connections/:name/test',
    scope: 'admin',
    masked: true,
    tag: 'Administration',
    summary: 'Test a connection: open a session and ask the other side who it is.',
    guide: 'connections',
    answer: async () => (await shapes()).ConnectionTest,
    errors: ['connection_not_found'],
    async handle(ctx, { request, params: { name } }) {
      const result = await ctx.connections.test(name);
      audit(ctx, request, 'connection tested', { connection: name, ok: result.ok });
      return result;
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/connections/:name/tables',
    scope: 'flows:write',
    tag: 'Administration',
    summary:
      'List the tables and views that a connection can read, with their columns. Callers without the scope `admin` name the `flow` and the `operator` that use them, as for its statements: the connection must be granted to both.',
    guide: 'connections',
    query: () => UseQuery,
    answer: async () => (await shapes()).ConnectionTables,
    errors: [
      'connection_not_found',
      'forbidden',
      'secret_draft',
      'connection_broken',
      'connection_refused',
      'connection_failed',
      'sql_timeout',
    ],
    handle: (ctx, { request, params: { name }, query }) =>
      ctx.connections.tables(name, useOf(ctx, request, query)).catch(refusedToCaller),
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/connections/:name/names',
    scope: 'flows:write',
    tag: 'Administration',
    summary:
      'List what is behind a connection by its names, such as the mailboxes of an account. Callers without the scope `admin` name the `flow` and the `operator` that use them: the connection must be granted to both.',
    guide: 'connections',
    query: async () => UseQuery.extend({ of: (await shapes()).ConnectionNamesOf }),
    answer: async () => (await shapes()).ConnectionNames,
    errors: [
      'connection_not_found',
      'forbidden',
      'secret_draft',
      'connection_missing',
      'connection_broken',
      'connection_refused',
      'connection_failed',
      'action_failed',
      'action_timeout',
    ],
    handle: (ctx, { request, params: { name }, query }) =>
      ctx.connections.names(name, query.of, useOf(ctx, request, query)).catch(refusedToCaller),
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/connections/:name/names',
    scope: 'admin',
    tag: 'Administration',
    summary: 'Make something behind a connection, such as a mailbox, under a new name.',
    guide: 'connections',
    body: async () =>
      z.strictObject({ of: (await shapes()).ConnectionNamesOf, name: z.string().min(1).max(1000) }),
    answer: async () => (await shapes()).ConnectionName,
    status: 201,
    errors: [
      'connection_not_found',
      'connection_missing',
      'connection_broken',
      'connection_refused',
      'connection_failed',
      'action_failed',
      'action_timeout',
    ],
    async handle(ctx, { request, params: { name }, body }) {
      await ctx.connections.makeName(name, body);
      audit(ctx, request, `${body.of} made`, { connection: name, name: body.name });
      return { name: body.name };
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/connections/:name/describe',
    scope: 'flows:write',
    tag: 'Administration',
    summary:
      'Describe the rows of an SQL statement, as the database does without executing it. The connection must be granted to the flow and the operator; drafts of callers without `flows:publish` need the grant `drafts`. What goes wrong is part of the answer.',
    guide: 'connections',
    body: async () => (await described()).DescribeBody,
    answer: async () => (await described()).Described,
    handle: ({ access, connections }, { request, params: { name }, body }) => {
      const mayPublish = access.ofRequest(request)?.scopes.has('flows:publish') ?? false;
      return connections.describe(name, { ...body, mayPublish });
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/folders',
    scope: 'flows:write',
    tag: 'Administration',
    summary:
      'List what a node for files may name as its `folder`: the folders of the server and the S3 connections. Callers without the scope `admin` name the `flow` and the `operator`, and see only connections that are granted to both. With `for=databases`: the folders in which a connection may open a file.',
    guide: 'files',
    query: () => UseQuery.extend({ for: z.enum(['files', 'databases']).default('files') }),
    answer: async () => z.array((await shapes()).FileStoreName),
    handle(ctx, { request, query }) {
      if (query.for === 'databases')
        return Object.keys(databaseFolders(ctx.config))
          .sort()
          .map((name) => ({ name, kind: 'folder' as const }));
      const folders = Object.keys(ctx.config.folders).sort();
      // A folder hides the connection of the same name.
      const stores = ctx.connections
        .listFor('files', useOf(ctx, request, query))
        .filter(({ name }) => !folders.includes(name));
      return [
        ...folders.map((name) => ({ name, kind: 'folder' as const })),
        ...stores.map(({ name, kind }) => ({ name, kind })),
      ];
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/folders/:name/files',
    scope: 'flows:write',
    tag: 'Administration',
    summary:
      'List the first 500 files and folders inside a folder of the server, for callers who may run drafts, which can read them too (scope `runs:write`). Empty for an S3 connection.',
    guide: 'files',
    errors: ['connection_not_found'],
    answer: async () => z.array((await shapes()).FolderPath),
    async handle({ access, config, connections }, { request, params: { name } }) {
      access.require(request, 'runs:write');
      const isKnown =
        Object.hasOwn(config.folders, name) || connections.listFor('files').some((one) => one.name === name);
      if (!isKnown)
        throw new ServiceError(
          'connection_not_found',
          `No folder and no connection to files is called ${name}.`,
        );
      const { entriesOf } = await import('../../storage/file-store/folders.ts');
      const gone = new AbortController();
      request.raw.once('close', () => gone.abort());
      const found = await entriesOf(config.folders, name, MOST_PATHS, gone.signal).catch((error: unknown) => {
        // The administrator named a folder that is not there.
        if (error instanceof WeftError && error.code === 'folder_unknown') return [];
        throw error;
      });
      return found.map(({ path, kind }) => ({ path, kind }));
    },
  }),
];

/** For a node it is the fault of its flow; here the caller lacks the right. */
function refusedToCaller(error: unknown): never {
  const isTheirs = error instanceof WeftError && error.code === 'connection_not_granted';
  throw isTheirs ? new ServiceError('forbidden', error.message) : error;
}

/** Entries of a folder that people choose from. */
const MOST_PATHS = 500;

/** The node that is going to use something. */
const UseQuery = z.object({ flow: z.string().max(200).optional(), operator: z.string().max(200).optional() });

/** The use that the caller names; undefined for an administrator who names none. */
function useOf(
  { access }: Pick<Context, 'access'>,
  request: FastifyRequest,
  { flow, operator }: z.output<typeof UseQuery>,
): AskedUse | undefined {
  const scopes = access.ofRequest(request)?.scopes;
  if (scopes?.has('admin') && flow === undefined && operator === undefined) return undefined;
  return { flow: flow ?? '', operator: operator ?? '', mayPublish: scopes?.has('flows:publish') ?? false };
}

function shown(connection: KnownConnection, users: ReadonlyMap<string, string[]>): ConnectionInfo {
  return { ...connection, usedBy: users.get(connection.name) ?? [] };
}

/** Ids of flows by the connection that they name. */
function usersOf({ flows }: Pick<Context, 'flows'>): ReadonlyMap<string, string[]> {
  const users = new Map<string, string[]>();
  for (const { id, connections } of flows.list())
    for (const name of connections ?? []) users.set(name, [...(users.get(name) ?? []), id]);
  return users;
}

/** Loaded by the first request. */
const dbGpt = () => import('../../integrations/connections/original.ts');

const theirTag = 'Knowledge of DB-GPT';
const base = '/api/v2/serve/datasources';
const failures = ['connection_not_found', 'datasource_unsupported', 'storage_failed'] as const;

/** Creates or changes the connection of a data source. */
async function put(
  ctx: Context,
  { name, body }: ReturnType<Awaited<ReturnType<typeof dbGpt>>['connectionOf']>,
) {
  const made = await ctx.connections.put(name, body);
  await ctx.flows.worldChanged('connections');
  return made;
}

/**
 * `/api/v2/serve/datasources`: connections as the clients of DB-GPT read and send them. It answers objects and a plain list
 * where DB-GPT answers pairs or errors.
 */
const datasources = [
  defineRoute({
    method: 'GET',
    url: base,
    scope: 'admin',
    tag: theirTag,
    summary: 'List all connections as DB-GPT’s data sources, as a plain list.',
    guide: 'connections',
    query: () => z.object({ db_type: z.string().optional() }),
    answer: async () => z.array((await dbGpt()).Datasource),
    async handle({ connections }, { query }) {
      const { databasesIn, datasourceOf } = await dbGpt();
      const all = databasesIn(connections.list()).map(datasourceOf);
      return all.filter(({ db_type }) => query.db_type === undefined || db_type === query.db_type);
    },
  }),

  defineRoute({
    method: 'POST',
    url: base,
    scope: 'admin',
    tag: theirTag,
    summary:
      'Create a connection from DB-GPT’s fields, older or newer. It is granted to questions (`sql.ask`) and to agents; a file of SQLite is opened read only.',
    body: async () => (await dbGpt()).DatasourceGiven,
    answer: async () => (await dbGpt()).Datasource,
    errors: ['datasource_name_taken', ...failures],
    async handle(ctx, { request, body }) {
      const { connectionOf, datasourceNamed, datasourceOf } = await dbGpt();
      const asked = connectionOf(body, ctx.config.folders);
      if (ctx.connections.list().some(({ name }) => name === asked.name))
        throw new ServiceError('datasource_name_taken', `datasource name:${body.db_name} already exists`);
      const { settings, grants, ...made } = await put(ctx, asked);
      audit(ctx, request, 'connection made', { connection: made.name, kind: made.kind, settings, grants });
      return datasourceOf(datasourceNamed(ctx.connections.list(), made.name));
    },
  }),

  defineRoute({
    method: 'PUT',
    url: base,
    scope: 'admin',
    tag: theirTag,
    summary: 'Change the connection with this `db_name`; fields that are empty stay as they are.',
    body: async () => (await dbGpt()).DatasourceGiven,
    answer: async () => (await dbGpt()).Datasource,
    errors: failures,
    async handle(ctx, { request, body }) {
      const { connectionOf, datasourceNamed, datasourceOf } = await dbGpt();
      const before = datasourceNamed(ctx.connections.list(), body.db_name || String(body.id ?? ''));
      const changed = await put(
        ctx,
        connectionOf({ ...body, db_name: before.name }, ctx.config.folders, before),
      );
      const { name: connection, kind, settings, grants } = changed;
      audit(ctx, request, 'connection changed', { connection, kind, settings, grants });
      return datasourceOf(datasourceNamed(ctx.connections.list(), connection));
    },
  }),

  defineRoute({
    method: 'GET',
    url: `${base}/:datasource`,
    scope: 'admin',
    tag: theirTag,
    summary: 'Get a connection, by its number or its name, as a data source of DB-GPT.',
    answer: async () => (await dbGpt()).Datasource,
    errors: ['connection_not_found'],
    async handle({ connections }, { params }) {
      const { datasourceNamed, datasourceOf } = await dbGpt();
      return datasourceOf(datasourceNamed(connections.list(), params.datasource));
    },
  }),

  defineRoute({
    method: 'DELETE',
    url: `${base}/:datasource`,
    scope: 'admin',
    tag: theirTag,
    summary: 'Delete a connection, and return it.',
    answer: async () => (await dbGpt()).Datasource,
    errors: ['connection_not_found', 'storage_failed'],
    async handle(ctx, { request, params }) {
      const { datasourceNamed, datasourceOf } = await dbGpt();
      const found = datasourceNamed(ctx.connections.list(), params.datasource);
      await ctx.connections.remove(found.name);
      await ctx.flows.worldChanged('connections');
      audit(ctx, request, 'connection removed', { connection: found.name });
      return datasourceOf(found);
    },
  }),

  defineRoute({
    method: 'POST',
    url: `${base}/:datasource/refresh`,
    scope: 'admin',
    tag: theirTag,
    summary:
      'Check that a data source answers. Tables are read with each question, so there is nothing else to refresh.',
    answer: () => z.boolean(),
    errors: ['connection_not_found'],
    async handle({ connections }, { params }) {
      const { datasourceNamed } = await dbGpt();
      return (await connections.test(datasourceNamed(connections.list(), params.datasource).name)).ok;
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v2/serve/datasource-types',
    scope: 'admin',
    tag: theirTag,
    summary: 'List the types of data sources.',
    answer: () => z.array(z.object({ name: z.string(), label: z.string(), is_file_db: z.boolean() })),
    handle: async () => (await dbGpt()).DATASOURCE_TYPES,
  }),
];

export default [...connections, ...datasources];

import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { FlowQuery, FlowSummary, SaveMode } from '#shared/api.ts';
import { type Flow, Id } from '#shared/flow.ts';
import { usedStatements } from '#engine/check';
import { Layout } from '#shared/layout.ts';
import { actorOf, audit } from '../../access/security/audit.ts';
import type { Context } from './context.ts';
import type { FlowRecord } from '../../flows/service/flow-types.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { defineRoute } from './define-route.ts';

const api = () => import('#shared/api.ts');

/** Errors of a git repository. */
const gitCodes = [
  'git_missing',
  'git_unreachable',
  'git_not_found',
  'git_denied',
  'git_branch_missing',
  'git_empty',
  'git_rewritten',
  'git_too_large',
  'git_damaged',
  'git_failed',
] as const;

/** Errors where flows cannot be changed. */
const refusing = ['read_only', 'flows_read_only', 'git_conflict', 'git_push_refused', ...gitCodes] as const;

/** Errors of changes to an existing flow. */
const changing = [
  'flow_not_found',
  'revision_conflict',
  'publish_conflict',
  'servers_too_old',
  ...refusing,
  'storage_failed',
] as const;

const reading = [
  defineRoute({
    method: 'GET',
    url: '/api/v1/flows',
    scope: 'flows:read',
    tag: 'Flows',
    summary: 'List all flows with their state, triggers and problems.',
    query: async () => (await api()).FlowQuery,
    answer: async () => z.array((await api()).FlowSummary),
    async handle({ flows }, { query }) {
      const found = flows.list().filter((record) => matches(record, query));
      return query.schemas ? withSchemas(flows, found) : found;
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/flows/:id',
    scope: 'flows:read',
    tag: 'Flows',
    summary: 'Get a flow with its text, its layout and its revision: the draft, if there is one.',
    answer: async () => (await api()).FlowDetail,
    errors: ['flow_not_found'],
    handle: ({ flows }, { params: { id } }) => flows.get(id),
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/flows/check',
    scope: 'flows:read',
    tag: 'Flows',
    summary:
      'Check a flow without saving it, and list its problems. Who may write flows has its SQL statements described by their databases too.',
    body: async () => (await api()).CheckFlowBody,
    answer: async () => (await api()).CheckResult,
    async handle(ctx, { request, body }) {
      const found = await ctx.flows.checkApart(textOf(body), body.id);
      const isNews = await describeRows(ctx, request, found.flow);
      return isNews ? ctx.flows.checkApart(textOf(body), body.id) : found;
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/flows/:id/versions',
    scope: 'flows:read',
    tag: 'Flows',
    summary: 'List the versions of a flow that were live, newest first.',
    answer: async () => z.array((await api()).FlowVersion),
    errors: ['flow_not_found'],
    handle: ({ flows }, { params: { id } }) => flows.versions(id),
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/flows/:id/versions/:version',
    scope: 'flows:read',
    tag: 'Flows',
    summary: 'Get the text of a version.',
    answer: () => z.object({ version: z.string(), text: z.string() }),
    errors: ['flow_not_found', 'version_not_found'],
    handle: async ({ flows }, { params: { id, version } }) => ({
      version,
      text: await flows.versionText(id, version),
    }),
  }),
];

const writing = [
  defineRoute({
    method: 'POST',
    url: '/api/v1/flows',
    scope: 'flows:write',
    tag: 'Flows',
    summary:
      'Create a flow. `mode` says whether as a draft or live. Without it, it goes live at once with WEFT_DEPLOY=on-save and the scope `flows:publish`, unless it has errors; otherwise only the draft is saved.',
    body: async () => (await api()).CreateFlowBody,
    answer: async () => (await api()).FlowDetail,
    status: 201,
    errors: [
      'conflict',
      'publish_conflict',
      'servers_too_old',
      'flow_invalid',
      ...refusing,
      'storage_failed',
    ],
    async handle(ctx, { request, reply, body }) {
      const { flows } = ctx;
      const text = textOf(body);
      const id = body.id ?? idIn(text);
      if (id === undefined) {
        const wish = 'Send the `id`: the text does not contain it.';
        throw new ServiceError('invalid_request', wish, { param: 'id' });
      }
      const options = saveOptions(ctx, request, body.mode);
      const flow = await flows.save(id, text, { revision: undefined, ...options });
      audit(ctx, request, 'flow made', { flow: id, state: flow.state });
      reply.header('location', `/api/v1/flows/${id}`);
      return flow;
    },
  }),

  defineRoute({
    method: 'PUT',
    url: '/api/v1/flows/:id',
    scope: 'flows:write',
    tag: 'Flows',
    summary:
      'Save a flow. `mode` says whether as its draft or live. Without it, it goes live at once with WEFT_DEPLOY=on-save, unless it has errors; then only the draft is saved.',
    body: async () => (await api()).SaveFlowBody,
    answer: async () => (await api()).FlowDetail,
    errors: [...changing, 'flow_invalid'],
    async handle(ctx, { request, params: { id }, body: { revision, mode, base, ...source } }) {
      const options = { revision, base, ...saveOptions(ctx, request, mode) };
      const flow = await ctx.flows.save(id, textOf(source), options);
      audit(ctx, request, 'flow changed', { flow: flow.id, state: flow.state });
      return flow;
    },
  }),

  defineRoute({
    method: 'DELETE',
    url: '/api/v1/flows/:id',
    scope: 'flows:write',
    tag: 'Flows',
    summary: 'Delete a flow. Its file moves to the trash in the data folder.',
    query: async () => (await api()).RevisionBody,
    answer: () => z.null(),
    errors: changing,
    async handle(ctx, { request, params: { id }, query: options }) {
      // Only callers who may publish a flow may take a live one down.
      if (ctx.flows.live(id)) ctx.access.require(request, 'flows:publish');
      await ctx.flows.remove(id, { ...options, actor: actorOf(ctx, request) });
      audit(ctx, request, 'flow removed', { flow: id });
      return null;
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/flows/:id/discard',
    scope: 'flows:write',
    tag: 'Flows',
    summary: 'Discard the draft of a flow.',
    body: async () => (await api()).RevisionBody,
    answer: async () => (await api()).FlowDetail,
    errors: [...changing, 'conflict'],
    async handle(ctx, { request, params: { id }, body: options }) {
      const flow = await ctx.flows.discardDraft(id, options);
      audit(ctx, request, 'draft discarded', { flow: flow.id });
      return flow;
    },
  }),
];

const layouts = [
  defineRoute({
    method: 'GET',
    url: '/api/v1/flows/:id/layout',
    scope: 'flows:read',
    tag: 'Flows',
    summary: 'Get the positions and notes of a flow.',
    answer: () => Layout.nullable(),
    errors: ['flow_not_found'],
    handle: async ({ flows }, { params: { id } }) => (await flows.get(id)).layout ?? null,
  }),

  defineRoute({
    method: 'PUT',
    url: '/api/v1/flows/:id/layout',
    scope: 'flows:write',
    tag: 'Flows',
    summary: 'Save the positions and notes of a flow; this never affects what runs.',
    body: async () => (await api()).LayoutBody,
    answer: () => Layout,
    errors: ['flow_not_found', ...refusing, 'storage_failed'],
    async handle({ flows }, { params: { id }, body: layout }) {
      await flows.saveLayout(id, layout);
      return layout;
    },
  }),
];

const publishing = [
  defineRoute({
    method: 'POST',
    url: '/api/v1/flows/:id/publish',
    scope: 'flows:publish',
    tag: 'Flows',
    summary: 'Publish the draft: it becomes the live version.',
    body: async () => (await api()).PublishBody,
    answer: async () => (await api()).FlowDetail,
    errors: [...changing, 'conflict', 'flow_invalid'],
    async handle(ctx, { request, params: { id }, body: { revision, label } }) {
      const options = { revision, actor: actorOf(ctx, request), ...(label !== undefined && { label }) };
      const flow = await ctx.flows.publish(id, options);
      audit(ctx, request, 'flow published', { flow: flow.id });
      return flow;
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/flows/:id/versions/:version/restore',
    scope: 'flows:publish',
    tag: 'Flows',
    summary: 'Restore a version: it becomes live again.',
    body: async () => (await api()).RevisionBody,
    answer: async () => (await api()).FlowDetail,
    errors: [...changing, 'version_not_found'],
    async handle(ctx, { request, params: { id, version }, body: { revision } }) {
      const flow = await ctx.flows.restore(id, version, { revision, actor: actorOf(ctx, request) });
      audit(ctx, request, 'flow restored', { flow: id, version });
      return flow;
    },
  }),

  defineRoute({
    method: 'PUT',
    url: '/api/v1/flows/:id/versions/:version/label',
    scope: 'flows:write',
    tag: 'Flows',
    summary: 'Label a version; null removes the label.',
    body: async () => (await api()).LabelBody,
    answer: () => z.object({ version: z.string(), label: z.string().nullable() }),
    errors: ['flow_not_found', 'version_not_found', ...refusing, 'storage_failed'],
    async handle(ctx, { request, params: { id, version }, body: { label } }) {
      await ctx.flows.labelVersion(id, version, { label: label ?? '', actor: actorOf(ctx, request) });
      audit(ctx, request, 'version labelled', { flow: id, version });
      return { version, label };
    },
  }),
];

const pulling = [
  defineRoute({
    method: 'POST',
    url: '/api/v1/flows/pull',
    scope: 'flows:publish',
    tag: 'Flows',
    summary: 'Take over what is new in the git repository of WEFT_FLOWS_FROM now, and say what that changed.',
    guide: 'cluster',
    body: async () => (await import('#shared/flow-pull.ts')).PullBody,
    bodyOptional: true,
    answer: async () => (await import('#shared/flow-pull.ts')).PulledFlows,
    errors: ['flows_not_from_git', ...gitCodes, 'storage_failed'],
    handle: ({ flows }, { body }) => flows.pull(body),
  }),
];

/** `/api/v1/flows`: flows as the editor works with them. */
export default [...reading, ...writing, ...layouts, ...publishing, ...pulling];

/**
 * The input and output types of a flow are inferred when they are first requested: with thousands of flows that needs a
 * while.
 */
async function withSchemas(flows: Context['flows'], found: readonly FlowRecord[]): Promise<FlowSummary[]> {
  const summaries: FlowSummary[] = [];
  for (const [i, record] of found.entries()) {
    if (i % FLOWS_A_TURN === FLOWS_A_TURN - 1) await setImmediate();
    summaries.push({ ...record, schemas: await flows.schemas(record.id) });
  }
  return summaries;
}

const FLOWS_A_TURN = 64;

function matches(record: FlowRecord, { q, state, folder, tag }: FlowQuery): boolean {
  return (
    (state === undefined || record.state === state) &&
    (folder === undefined || isBelow(record.folder, folder)) &&
    (tag === undefined || record.tags?.includes(tag) === true) &&
    hasWord(record, q?.trim().toLowerCase() ?? '')
  );
}

function hasWord({ id, name, description, folder, tags = [] }: FlowRecord, wanted: string): boolean {
  const texts = [id, name ?? '', description ?? '', folder ?? '', ...tags];
  return texts.some((text) => text.toLowerCase().includes(wanted));
}

const isBelow = (folder: string | undefined, outer: string): boolean =>
  folder !== undefined && (folder === outer || folder.startsWith(`${outer}/`));

/** The id in a text. Any other problem of the text is reported later, and the text is still saved. */
function idIn(text: string): string | undefined {
  try {
    return Id.safeParse((JSON.parse(text) as { id?: unknown } | null)?.id).data;
  } catch {
    return undefined;
  }
}

function textOf({ text, flow }: { text?: string | undefined; flow?: object | undefined }): string {
  return text ?? `${JSON.stringify(flow, null, 2)}\n`;
}

/** A save by a caller who may not publish puts nothing live; one that is meant to is refused. */
function saveOptions(ctx: Context, request: FastifyRequest, mode: SaveMode | undefined) {
  if (mode === 'publish') ctx.access.require(request, 'flows:publish');
  const mayPublish = ctx.access.ofRequest(request)?.scopes.has('flows:publish');
  return { actor: actorOf(ctx, request), mode: mayPublish ? mode : ('draft' as const) };
}

/** Milliseconds that a check waits for databases, and statements that it has described. */
const DESCRIBE_MS = 5_000;
const MAX_STATEMENTS = 50;

/** Has the statements of a flow described; returns whether any description is new. */
async function describeRows(
  { access, catalog, connections }: Context,
  request: FastifyRequest,
  flow: Flow | undefined,
): Promise<boolean> {
  const scopes = access.ofRequest(request)?.scopes;
  if (flow === undefined || !scopes?.has('flows:write')) return false;
  const mayPublish = scopes.has('flows:publish');
  const asked = usedStatements(flow, catalog)
    .filter(({ asks }) => asks !== undefined)
    .slice(0, MAX_STATEMENTS)
    .map(({ connection = '', operator, sql, asks }) =>
      connections.describe(connection, {
        ...{ flow: flow.id, operator, sql, mayPublish },
        change: asks === 'change',
      }),
    );
  if (asked.length === 0) return false;
  const over = new AbortController();
  const late = sleep(DESCRIBE_MS, undefined, { signal: over.signal, ref: false }).catch(() => {});
  await Promise.race([Promise.allSettled(asked), late]);
  over.abort();
  return true;
}

import { z } from 'zod';
import { formatFlow, parse } from '#engine/check';
import type { DeletedFlow, FlowActivity, FlowPlaceBody, FlowUse } from '#shared/api.ts';
import type { Actor } from '#shared/audit.ts';
import { type Flow, ID_PATTERN } from '#shared/flow.ts';
import type { RunSummary } from '#shared/run-event.ts';
import { actorOf, audit } from '../../access/security/audit.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { FlowDocument } from '../../flows/service/flow-types.ts';
import type { Context } from './context.ts';
import { defineRoute } from './define-route.ts';

const api = () => import('#shared/api.ts');

/** The routes of the list of flows besides those for the flows themselves. */
export default [
  defineRoute({
    method: 'GET',
    url: '/api/v1/trash',
    scope: 'flows:read',
    tag: 'Flows',
    summary: 'List deleted flows that can be restored, the newest first.',
    answer: async () => z.array((await api()).DeletedFlow),
    errors: ['storage_failed'],
    handle: ({ flows }) => flows.deleted(),
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/trash/:id/:at/restore',
    scope: 'flows:write',
    tag: 'Flows',
    summary: 'Restore a deleted flow as a draft, with its layout.',
    answer: async () => (await api()).FlowDetail,
    errors: ['flow_not_found', 'conflict', 'read_only', 'flows_read_only', 'storage_failed'],
    async handle(ctx, { request, params }) {
      const which = deletedOf(params);
      const flow = await ctx.flows.undelete(which, { actor: actorOf(ctx, request) });
      audit(ctx, request, 'flow restored', { flow: which.id });
      return flow;
    },
  }),

  defineRoute({
    method: 'DELETE',
    url: '/api/v1/trash/:id/:at',
    scope: 'flows:write',
    tag: 'Flows',
    summary: 'Delete a deleted flow for good.',
    answer: () => z.null(),
    errors: ['flow_not_found', 'read_only', 'flows_read_only', 'storage_failed'],
    async handle(ctx, { request, params }) {
      const which = deletedOf(params);
      await ctx.flows.dropDeleted(which);
      audit(ctx, request, 'deleted flow dropped', { flow: which.id });
      return null;
    },
  }),

  defineRoute({
    method: 'PUT',
    url: '/api/v1/flows/:id/place',
    scope: 'flows:write',
    tag: 'Flows',
    summary:
      'Move a flow to a folder of the list, or tag it: in its live version and in its draft, which stay as they are otherwise. What is left out stays too. A live flow needs the scope `flows:publish`.',
    body: async () => (await api()).FlowPlaceBody,
    answer: async () => (await api()).FlowDetail,
    errors: [
      'flow_not_found',
      'revision_conflict',
      'publish_conflict',
      'servers_too_old',
      'read_only',
      'flows_read_only',
      'git_conflict',
      'git_push_refused',
      'flow_invalid',
      'storage_failed',
    ],
    async handle(ctx, { request, params: { id }, body }) {
      if (ctx.flows.live(id)) ctx.access.require(request, 'flows:publish');
      const flow = await place(ctx, { id, body, actor: actorOf(ctx, request) });
      audit(ctx, request, 'flow moved', { flow: id });
      return flow;
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/flows/:id/used-by',
    scope: 'flows:read',
    tag: 'Flows',
    summary: 'List who uses a flow, and stops working without it: flows that call it, and apps.',
    answer: async () => (await api()).FlowUse,
    errors: ['flow_not_found'],
    async handle(ctx, { request, params: { id } }) {
      if (ctx.flows.revision(id) === undefined) throw new ServiceError('flow_not_found');
      const mayReadApps = ctx.access.ofRequest(request)?.scopes.has('apps:read') ?? false;
      return { flows: await callersOf(ctx, id), apps: mayReadApps ? await appsWith(ctx, id) : [] };
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/flows/activity',
    scope: 'runs:read',
    tag: 'Flows',
    summary: 'Count how the runs of each flow ended, by hour, over the last 24 hours.',
    answer: async () => (await api()).FlowActivity,
    handle: (ctx) => activityOf(ctx.runs, ctx.host.now()),
  }),
];

interface Placing {
  readonly id: string;
  readonly body: FlowPlaceBody;
  readonly actor: Actor;
}

/** Changes the live version and the draft one after the other. A draft that contains the live version still does afterwards. */
async function place({ flows }: Context, { id, body, actor }: Placing): Promise<FlowDocument> {
  let now = await flows.get(id);
  if (now.flow === undefined)
    throw new ServiceError('flow_invalid', `The text of ${id} cannot be read; correct it first.`);
  const draft = now.hasDraft ? now.flow : undefined;
  const contained = now.base === now.live;
  if (now.state === 'live' && now.live !== undefined) {
    const live = draft ? parse(await flows.versionText(id, now.live), { id }).flow : now.flow;
    if (live) {
      const options = { revision: now.revision, actor, mode: 'publish' as const };
      now = await flows.save(id, formatFlow(placed(live, body)), options);
    }
  }
  if (draft === undefined && now.state === 'live') return now;
  const base = contained ? now.live : now.base;
  const options = {
    revision: now.revision,
    actor,
    mode: 'draft' as const,
    ...(base !== undefined && { base }),
  };
  return flows.save(id, formatFlow(placed(draft ?? (now.flow as Flow), body)), options);
}

function placed(flow: Flow, { folder, tags }: FlowPlaceBody): Flow {
  const next = { ...flow };
  if (folder === null) delete next.folder;
  else if (folder !== undefined) next.folder = folder;
  if (tags?.length === 0) delete next.tags;
  else if (tags !== undefined) next.tags = [...tags];
  return next;
}

async function callersOf({ flows }: Context, id: string): Promise<FlowUse['flows']> {
  const used: FlowUse['flows'][number][] = [];
  for (const record of flows.list()) {
    if (record.id === id) continue;
    const { id: caller, name } = record;
    const of = { id: caller, ...(name !== undefined && { name }) };
    if (record.calls.includes(id)) used.push({ ...of, as: 'call' });
    const flow = record.hasDraft ? (await flows.get(caller)).flow : flows.live(caller)?.flow;
    if (flow?.settings?.onFailure === id) used.push({ ...of, as: 'failure' });
  }
  return used;
}

const APPS_A_PAGE = 100;
const ALL_APPS = { page_size: APPS_A_PAGE, user_name: undefined, sys_code: undefined, name: undefined };

/** Apps that are the flow, and those whose agents have it as a tool. */
async function appsWith({ apps }: Context, id: string): Promise<FlowUse['apps']> {
  const used: FlowUse['apps'][number][] = [];
  for (let page = 1; ; page++) {
    const { app_list: all } = await apps.list({ ...ALL_APPS, page });
    for (const app of all) {
      const isIt = app.team_mode === 'awel_layout' && app.team_context === id;
      const resources = app.details.flatMap((agent) => agent.resources);
      if (isIt || resources.some(({ type, value }) => FLOW_RESOURCES.has(type) && value === id))
        used.push({ code: app.app_code, name: app.app_name });
    }
    if (all.length < APPS_A_PAGE) return used;
  }
}

const FLOW_RESOURCES: ReadonlySet<string> = new Set(['awel_flow', 'tool']);

const HOURS = 24;
const NONE: readonly number[] = Array.from({ length: HOURS }, () => 0);
const HOUR_MS = 3_600_000;
const RUNS_A_PAGE = 500;
/** More runs than these are not looked at: the list of flows asks every few seconds. */
const MOST_RUNS = 10_000;

async function activityOf(runs: Context['runs'], now: number): Promise<FlowActivity> {
  const since = (Math.floor(now / HOUR_MS) - HOURS + 1) * HOUR_MS;
  const flows: Record<string, { ok: number[]; failed: number[] }> = Object.create(null);
  let before: string | undefined;
  for (let seen = 0; seen < MOST_RUNS; seen += RUNS_A_PAGE) {
    const page = await runs.list({ since, limit: RUNS_A_PAGE, before });
    for (const run of page) count(flows, run, since);
    before = page.at(-1)?.run;
    if (page.length < RUNS_A_PAGE) return { since, whole: true, flows };
  }
  return { since, whole: false, flows };
}

function count(
  flows: Record<string, { ok: number[]; failed: number[] }>,
  { flow, status, startedAt }: RunSummary,
  since: number,
): void {
  if (status !== 'ok' && status !== 'failed') return;
  const counts = (flows[flow] ??= { ok: [...NONE], failed: [...NONE] });
  const hour = Math.min(HOURS - 1, Math.floor((startedAt - since) / HOUR_MS));
  counts[status][hour] = (counts[status][hour] ?? 0) + 1;
}

function deletedOf({ id, at }: { readonly id: string; readonly at: string }): DeletedFlow {
  if (ID_PATTERN.test(id) && /^\d{1,15}$/.test(at)) return { id, at: Number(at) };
  throw new ServiceError(
    'flow_not_found',
    'Name a deleted flow by its id and its time, as GET /api/v1/trash lists them.',
  );
}

import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  CheckFlowBody,
  type CheckResult,
  CreateFlowBody,
  type FlowDetail,
  FlowQuery,
  type FlowSummary,
  type FlowVersion,
  LabelBody,
  LayoutBody,
  PublishBody,
  RevisionBody,
  SaveFlowBody,
} from '#shared/api.ts';
import { Id } from '#shared/flow.ts';
import { audit } from '../security/audit.ts';
import type { Context } from './context.ts';
import type { FlowRecord } from '../flows/flow-types.ts';
import { ok } from '../http/envelope.ts';
import { ServiceError } from '../errors/errors.ts';
import { readPart } from '../requests/read-part.ts';

const READ = { config: { scope: 'flows:read' } } as const;
const WRITE = { config: { scope: 'flows:write' } } as const;
const PUBLISH = { config: { scope: 'flows:publish' } } as const;

interface OneFlow {
  Params: { id: string };
}
interface OneVersion {
  Params: { id: string; version: string };
}

/** `/api/v1/flows`: flows as the editor works with them. */
export default async function flowRoutes(app: FastifyInstance, ctx: Context): Promise<void> {
  readRoutes(app, ctx);
  writeRoutes(app, ctx);
  layoutRoutes(app, ctx);
  liveRoutes(app, ctx);
}

function readRoutes(app: FastifyInstance, { flows }: Context): void {
  app.get('/api/v1/flows', READ, async (request) => {
    const query = readPart(FlowQuery, request.query, 'query');
    const found = flows.list().filter((record) => matches(record, query));
    if (!query.schemas) return ok(found satisfies FlowSummary[]);
    return ok(await withSchemas(flows, found));
  });

  app.get<OneFlow>('/api/v1/flows/:id', READ, async (request) => {
    const flow: FlowDetail = await flows.get(request.params.id);
    return ok(flow);
  });

  app.post('/api/v1/flows/check', READ, async (request) => {
    const body = readPart(CheckFlowBody, request.body, 'body');
    const result: CheckResult = await flows.checkApart(textOf(body), body.id);
    return ok(result);
  });

  app.get<OneFlow>('/api/v1/flows/:id/versions', READ, async (request) => {
    const versions: FlowVersion[] = await flows.versions(request.params.id);
    return ok(versions);
  });

  app.get<OneVersion>('/api/v1/flows/:id/versions/:version', READ, async (request) => {
    const { id, version } = request.params;
    return ok({ version, text: await flows.versionText(id, version) });
  });
}

function writeRoutes(app: FastifyInstance, ctx: Context): void {
  const { flows } = ctx;

  app.post('/api/v1/flows', WRITE, async (request, reply) => {
    const body = readPart(CreateFlowBody, request.body, 'body');
    const text = textOf(body);
    const id = body.id ?? (await flows.checkApart(text)).flow?.id ?? idIn(text);
    if (id === undefined) {
      throw new ServiceError('invalid_request', 'Send the `id`: the text does not say it.', { param: 'id' });
    }
    const flow: FlowDetail = await flows.save(id, text, {
      revision: undefined,
      ...saveOptions(ctx, request),
    });
    audit(ctx, request, 'flow made', { flow: id, state: flow.state });
    return reply.code(201).header('location', `/api/v1/flows/${id}`).send(ok(flow));
  });

  app.put<OneFlow>('/api/v1/flows/:id', WRITE, async (request) => {
    const { revision, ...source } = readPart(SaveFlowBody, request.body, 'body');
    const options = { revision, ...saveOptions(ctx, request) };
    const flow: FlowDetail = await flows.save(request.params.id, textOf(source), options);
    audit(ctx, request, 'flow changed', { flow: flow.id, state: flow.state });
    return ok(flow);
  });

  app.delete<OneFlow>('/api/v1/flows/:id', WRITE, async (request) => {
    const { id } = request.params;
    const options = readPart(RevisionBody, request.query, 'query');
    // What serves is taken down only by who may put it up.
    if (flows.live(id)) ctx.access.require(request, 'flows:publish');
    await flows.remove(id, options);
    audit(ctx, request, 'flow removed', { flow: id });
    return ok(null);
  });

  app.post<OneFlow>('/api/v1/flows/:id/discard', WRITE, async (request) => {
    const flow: FlowDetail = await flows.discardDraft(
      request.params.id,
      readPart(RevisionBody, request.body, 'body'),
    );
    audit(ctx, request, 'draft discarded', { flow: flow.id });
    return ok(flow);
  });
}

/** What a flow takes and gives is worked out when it is first asked for: with thousands of flows that takes a while. */
async function withSchemas(flows: Context['flows'], found: readonly FlowRecord[]): Promise<FlowSummary[]> {
  const told: FlowSummary[] = [];
  for (const [i, record] of found.entries()) {
    if (i % FLOWS_A_TURN === FLOWS_A_TURN - 1) await setImmediate();
    told.push({ ...record, schemas: flows.schemas(record.id) });
  }
  return told;
}

const FLOWS_A_TURN = 64;

function layoutRoutes(app: FastifyInstance, { flows }: Context): void {
  app.get<OneFlow>('/api/v1/flows/:id/layout', READ, async (request) => {
    const { layout } = await flows.get(request.params.id);
    return ok(layout ?? null);
  });

  app.put<OneFlow>('/api/v1/flows/:id/layout', WRITE, async (request) => {
    const layout = readPart(LayoutBody, request.body, 'body');
    await flows.saveLayout(request.params.id, layout);
    return ok(layout);
  });
}

function liveRoutes(app: FastifyInstance, ctx: Context): void {
  const { flows } = ctx;

  app.post<OneFlow>('/api/v1/flows/:id/publish', PUBLISH, async (request) => {
    const { revision, label } = readPart(PublishBody, request.body, 'body');
    const options = { revision, author: authorOf(ctx, request), ...(label !== undefined && { label }) };
    const flow: FlowDetail = await flows.publish(request.params.id, options);
    audit(ctx, request, 'flow published', { flow: flow.id });
    return ok(flow);
  });

  app.post<OneVersion>('/api/v1/flows/:id/versions/:version/restore', PUBLISH, async (request) => {
    const { id, version } = request.params;
    const { revision } = readPart(RevisionBody, request.body, 'body');
    const flow: FlowDetail = await flows.restore(id, version, { revision, author: authorOf(ctx, request) });
    audit(ctx, request, 'flow restored', { flow: id, version });
    return ok(flow);
  });

  app.put<OneVersion>('/api/v1/flows/:id/versions/:version/label', WRITE, async (request) => {
    const { id, version } = request.params;
    const { label } = readPart(LabelBody, request.body, 'body');
    await flows.labelVersion(id, version, label ?? '');
    audit(ctx, request, 'version labelled', { flow: id, version });
    return ok({ version, label });
  });
}

function matches(record: FlowRecord, { q, state }: FlowQuery): boolean {
  if (state !== undefined && record.state !== state) return false;
  const wanted = q?.trim().toLowerCase() ?? '';
  const texts = [record.id, record.name ?? '', record.description ?? ''];
  return texts.some((text) => text.toLowerCase().includes(wanted));
}

/** The id of a flow that does not read as one; whatever else is wrong with it is then reported, and the text kept. */
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

/** A save puts nothing live for a caller who may not publish. */
function saveOptions(ctx: Context, request: FastifyRequest) {
  const caller = ctx.access.ofRequest(request);
  const author = caller?.name ?? 'unknown';
  const draftOnly = !caller?.scopes.has('flows:publish');
  return { author, draftOnly, ...(caller && { writer: caller.owner }) };
}

function authorOf(ctx: Context, request: FastifyRequest): string {
  return ctx.access.ofRequest(request)?.name ?? 'unknown';
}

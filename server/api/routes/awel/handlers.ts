import type { FastifyReply, FastifyRequest } from 'fastify';
import { AwelFlow, unwrapped } from '../../../flows/awel/awel-flow.ts';
import {
  type AwelFlows,
  createAwelFlows,
  type WriteOptions,
  type Written,
} from '../../../flows/awel/awel-flows.ts';
import { type AwelFlowOut, categoryOf, ownerOf } from '../../../flows/awel/flow-object.ts';
import type { LeftOut } from '../../../flows/awel/packages.ts';
import { operatorMetadata } from '../../../flows/awel/metadata.ts';
import { ServiceError } from '../../../base/errors/errors.ts';
import type { FlowService } from '../../../flows/service/flow-types.ts';
import { readPart } from '../../../base/requests/read-part.ts';
import { actorOf, audit } from '../../../access/security/audit.ts';
import type { Context } from '../context.ts';
import { type Given, givenFlows } from './upload.ts';
import type { ExportQuery, ImportQuery, ListQuery } from './queries.ts';

/** The handlers of DB-GPT's flows API. */
export function createHandlers(ctx: Context) {
  const flows = createAwelFlows(ctx);
  return { ...readHandlers(ctx, flows), ...writeHandlers(ctx, flows), ...fileHandlers(ctx, flows) };
}

export type Handlers = ReturnType<typeof createHandlers>;

interface Page {
  readonly items: readonly AwelFlowOut[];
  readonly total_count: number;
  readonly total_pages: number;
  readonly page: number;
  readonly page_size: number;
}

function readHandlers(ctx: Context, flows: AwelFlows) {
  return {
    nodes() {
      // Functions inside a code-first flow are not operators for other flows.
      const operators = Object.values(ctx.catalog.operators).filter(({ flow }) => flow === undefined);
      return operators.map(operatorMetadata);
    },
    list: (query: ListQuery, which: 'all' | 'chat') => pageOf({ ctx, flows }, query, which),
    get: async (uid: string) => flows.show(await flows.find(uid)),
  };
}

/** Newest first, like DB-GPT's list. */
async function pageOf(
  { ctx, flows }: { ctx: Context; flows: AwelFlows },
  query: ListQuery,
  which: 'all' | 'chat',
): Promise<Page> {
  const { page, page_size, name, uid } = query;
  const wanted = uid === undefined ? undefined : await flows.find(uid).catch(() => undefined);
  const found = ctx.flows
    .list()
    .filter((record) => which === 'all' || categoryOf(record) === 'chat_flow')
    .filter(({ id }) => (name === undefined || id === name) && (uid === undefined || id === wanted?.id))
    .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : 0));
  const ids = await ownedBy(ctx.flows, [...new Set(found.map(({ id }) => id))], query);
  const shown = ids.slice((page - 1) * page_size, page * page_size);
  const items = await Promise.all(shown.map(async (id) => flows.show(await ctx.flows.get(id))));
  const total_count = ids.length;
  return { items, total_count, total_pages: Math.ceil(total_count / page_size), page, page_size };
}

/** Owners are stored in the flows themselves, so they are read only if the caller filters by one. */
async function ownedBy(
  flows: FlowService,
  ids: readonly string[],
  { user_name, sys_code }: ListQuery,
): Promise<readonly string[]> {
  if (user_name === undefined && sys_code === undefined) return ids;
  const owned: string[] = [];
  for (const id of ids) {
    const owner = ownerOf(flows.live(id)?.flow ?? (await flows.get(id)).flow);
    const fits = (wanted: string | undefined, found: string | null) =>
      wanted === undefined || wanted === (found ?? '');
    if (fits(user_name, owner.user_name) && fits(sys_code, owner.sys_code)) owned.push(id);
  }
  return owned;
}

function writeHandlers(ctx: Context, flows: AwelFlows) {
  return {
    async create(request: FastifyRequest, open: boolean) {
      const saved = await flows.create(readFlow(request.body), writeOptions(ctx, request, open));
      audit(ctx, request, 'flow made', { flow: saved.uid, state: saved.state });
      return saved;
    },
    async update(request: FastifyRequest, uid: string, open: boolean) {
      const awel = readFlow(request.body);
      await assertSame(flows, uid, awel);
      const saved = await flows.update(uid, awel, writeOptions(ctx, request, open));
      audit(ctx, request, 'flow changed', { flow: saved.uid, state: saved.state });
      return saved;
    },
    async remove(request: FastifyRequest, uid: string) {
      const document = await flows.find(uid);
      // Only callers who may publish a flow may take a live one down.
      if (ctx.flows.live(document.id)) ctx.access.require(request, 'flows:publish');
      await flows.remove(document);
      audit(ctx, request, 'flow removed', { flow: document.id });
      return flows.show(document);
    },
  };
}

/** DB-GPT uses the uid in the body; a uid that differs from the one in the address is a mistake. */
async function assertSame(flows: AwelFlows, uid: string, awel: AwelFlow): Promise<void> {
  if (!awel.uid || awel.uid === uid) return;
  const [one, other] = await Promise.all([flows.find(uid), flows.find(awel.uid).catch(() => undefined)]);
  if (one.id === other?.id) return;
  const message = `The address names the flow ${uid}, the body ${awel.uid}; send the same \`uid\`, or omit it.`;
  throw new ServiceError('invalid_request', message, { param: 'uid' });
}

/** Import and export of files. An import never goes live by itself: a person reads its import sheet first. */
function fileHandlers(ctx: Context, flows: AwelFlows) {
  return {
    async exportFile(reply: FastifyReply, uid: string, { export_type, format, file_name }: ExportQuery) {
      if (export_type !== 'json') {
        const message = 'Flows are exported as JSON; this server does not create flow packages (`dbgpts`).';
        throw new ServiceError('invalid_request', message, { param: 'export_type' });
      }
      const document = await flows.find(uid);
      const text = ctx.redactor.text(JSON.stringify({ flow: flows.show(document) }));
      if (format === 'file')
        reply.header('content-disposition', `attachment;filename=${fileName(file_name ?? document.id)}`);
      return reply.type('application/json; charset=utf-8').send(text);
    },
    async importFile(request: FastifyRequest, { save_flow, open_triggers }: ImportQuery) {
      const options = { ...writeOptions(ctx, request, open_triggers), mayPublish: false };
      const importOne = async (flow: unknown): Promise<Written> => {
        const awel = readFlow(flow);
        if (!save_flow) return flows.preview(awel, options);
        const saved = await flows.create(awel, options);
        audit(ctx, request, 'flow imported', { flow: saved.uid, open: options.open });
        return saved;
      };
      const given = await givenFlows(request);
      return given.single ? importOne(given.flows[0]?.flow) : importAll(given, importOne);
    },
  };
}

/** One refused flow does not prevent the import of the others in an archive. */
async function importAll({ flows, left }: Given, importOne: (flow: unknown) => Promise<Written>) {
  const imported: Written[] = [];
  const refused: LeftOut[] = [];
  for (const { file, flow } of flows)
    try {
      imported.push(await importOne(flow));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      refused.push({ file, message: error.message });
    }
  return { flows: imported, left: [...left, ...refused] };
}

function fileName(name: string): string {
  return `${name
    .replace(/\.json$/, '')
    .replaceAll(/[^\w.-]/g, '-')
    .replaceAll('_', '-')}.json`;
}

/** The flow in a body; throws `invalid_request` with all of its problems. */
function readFlow(body: unknown): AwelFlow {
  return readPart(AwelFlow, unwrapped(body), 'body');
}

function writeOptions(ctx: Context, request: FastifyRequest, open: boolean): WriteOptions {
  const caller = ctx.access.ofRequest(request);
  return {
    actor: actorOf(ctx, request),
    mayPublish: caller?.scopes.has('flows:publish') ?? false,
    open,
  };
}

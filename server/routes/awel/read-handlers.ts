import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Context } from '../context.ts';
import type { FlowService } from '../../flows/flow-types.ts';
import { ok } from '../../http/envelope.ts';
import { readPart } from '../../requests/read-part.ts';
import type { AwelFlows } from '../../awel/awel-flows.ts';
import { type AwelFlowOut, categoryOf, ownerOf } from '../../awel/flow-object.ts';
import { operatorMetadata } from '../../awel/metadata.ts';
import { type Handler, uidOf } from './requests.ts';

export const ListQuery = z.object({
  page: z.coerce.number().int().min(1).default(1),
  page_size: z.coerce.number().int().min(1).max(100).default(20),
  name: z.string().optional().describe('Exactly this name, which is the id.'),
  uid: z.string().optional(),
  user_name: z.string().optional().describe('Exactly this owner; an empty text means none.'),
  sys_code: z.string().optional().describe('Exactly this system; an empty text means none.'),
});
type ListQuery = z.infer<typeof ListQuery>;

export interface Page {
  readonly items: readonly AwelFlowOut[];
  readonly total_count: number;
  readonly total_pages: number;
  readonly page: number;
  readonly page_size: number;
}

export function readHandlers(ctx: Context, flows: AwelFlows) {
  const page = async (request: FastifyRequest, which: 'all' | 'chat') =>
    ok(await pageOf({ ctx, flows }, readPart(ListQuery, request.query, 'query'), which));
  return {
    testAuth: () => ({ status: 'ok' }),
    nodes() {
      // Functions within a code-first flow are no operators for others.
      const operators = Object.values(ctx.catalog.operators).filter(({ flow }) => flow === undefined);
      return ok(operators.map(operatorMetadata));
    },
    list: (request) => page(request, 'all'),
    listChat: (request) => page(request, 'chat'),
    get: async (request) => ok(flows.show(await flows.find(uidOf(request)))),
  } satisfies Record<string, Handler>;
}

/** Newest first, as the original lists them. */
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

/** Owners stand in the flows themselves, so they are read only where somebody asks for one. */
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

import { setImmediate } from 'node:timers/promises';
import { type FindTexts, textFinder, textsOf } from '#engine/edit';
import { allNodes, formatPath } from '#engine/check';
import type { FlowSearch, TextHit } from '#shared/find-text.ts';
import type { Catalog } from '#shared/catalog.ts';
import type { Flow, FlowNode } from '#shared/flow.ts';
import { linearRegex } from '../../base/adapters/expression-tools.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { Context } from './context.ts';
import { defineRoute } from './define-route.ts';

/** The most that one call reads and returns; the caller continues after it. */
const MOST_FLOWS = 500;
const MOST_FOUND = 100;
const MOST_HITS = 200;
const MOST_TEXT = 2_000;
/** The number of flows that are searched before other requests get their turn. */
const AT_ONCE = 20;

const schemas = () => import('#shared/find-text.ts');

/** `/api/v1/flows/search`: texts of all flows, page by page. Values of secrets are never searched. */
export default [
  defineRoute({
    method: 'POST',
    url: '/api/v1/flows/search',
    scope: 'flows:read',
    tag: 'Flows',
    summary: 'Find a text or a pattern in all flows, in their drafts where there are some.',
    body: async () => (await schemas()).FlowSearchBody,
    answer: async () => (await schemas()).FlowSearch,
    async handle(ctx, { body: { after, kinds, ...wish } }) {
      return search(ctx, { after, kinds: new Set<string>(kinds), find: finderOf(wish) });
    },
  }),
];

interface Search {
  readonly after: string | undefined;
  readonly kinds: ReadonlySet<string>;
  readonly find: FindTexts;
}

function finderOf(wish: Parameters<typeof textFinder>[0]): FindTexts {
  try {
    return textFinder(wish, linearRegex);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ServiceError('invalid_request', `This pattern cannot be used: ${why}.`, { param: 'find' });
  }
}

async function search(ctx: Context, { after, ...of }: Search): Promise<FlowSearch> {
  const ids = ctx.flows
    .list()
    .map(({ id }) => id)
    .toSorted();
  const rest = after === undefined ? ids : ids.filter((id) => id > after);
  const flows: Found[] = [];
  let searched = 0;
  for (const id of rest) {
    if (searched >= MOST_FLOWS || flows.length >= MOST_FOUND) break;
    if (++searched % AT_ONCE === 0) await setImmediate();
    const found = await foundIn(ctx, id, of);
    if (found) flows.push(found);
  }
  const last = rest[searched - 1];
  const goesOn = searched < rest.length && last !== undefined;
  return { flows, searched, of: ids.length, ...(goesOn && { next: last }) };
}

type Found = FlowSearch['flows'][number];

async function foundIn(ctx: Context, id: string, of: Omit<Search, 'after'>): Promise<Found | undefined> {
  // It may have been deleted meanwhile.
  const record = await ctx.flows.get(id).catch(() => undefined);
  const hits = record?.flow ? hitsIn(record.flow, ctx, of) : [];
  if (!record || hits.length === 0) return undefined;
  return {
    id,
    ...(record.flow?.name !== undefined && { name: record.flow.name }),
    revision: record.revision,
    hits: hits.slice(0, MOST_HITS),
    ...(hits.length > MOST_HITS && { more: true }),
  };
}

function aboutNode(node: FlowNode | undefined, catalog: Catalog): Pick<TextHit, 'nodeName' | 'operator'> {
  if (node === undefined) return {};
  const { operator } = node;
  return { nodeName: node.name ?? catalog.operators[operator]?.title ?? operator, operator };
}

function hitsIn(flow: Flow, { catalog }: Context, { kinds, find }: Omit<Search, 'after'>): TextHit[] {
  const hits: TextHit[] = [];
  const nodes = allNodes(flow);
  for (const { path, node, kind, text } of textsOf(flow, catalog)) {
    if (!kinds.has(kind)) continue;
    const count = find(text, '').length;
    if (count === 0) continue;
    hits.push({
      path: formatPath(path),
      ...(node !== undefined && { node, ...aboutNode(nodes[node], catalog) }),
      kind,
      text: text.slice(0, MOST_TEXT),
      count,
    });
    if (hits.length > MOST_HITS) break;
  }
  return hits;
}

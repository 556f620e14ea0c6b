import { createHash } from 'node:crypto';
import type { Hook, HookPage, HookQuery, ListedHook } from '#shared/hook-api.ts';
import { isRecord } from '#shared/json.ts';
import type { HookRow } from '../../execution/sources/hook-store.ts';
import { addressOf, NO_ADDRESS } from '../../execution/sources/hooks.ts';
import type { SourceId } from '../../execution/sources/source-store.ts';
import type { Context } from './context.ts';

type Registrations = Pick<Context, 'hooks' | 'catalog' | 'sources' | 'flows'>;

/** A page of all registrations, by flow and node; those that a live flow lacks because nothing can be registered are among them. */
export async function pageOf(ctx: Registrations, query: HookQuery): Promise<HookPage> {
  const { after = '', limit } = query;
  const found = (await allHooks(ctx))
    .filter((hook) => fits(hook, query) && placeOf(hook) > after)
    .sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1));
  const hooks = found.slice(0, limit);
  const last = hooks.at(-1);
  return { hooks, ...(last && found.length > limit && { next: placeOf(last) }) };
}

async function allHooks(ctx: Registrations): Promise<ListedHook[]> {
  const { store, address } = await ctx.hooks();
  const rows = await store.all();
  // What a draft listens to says nothing of the trigger that is live.
  const kept = rows.filter(({ use }) => use !== 'draft');
  const nodes = new Set(kept.map(({ flow, node }) => `${flow} ${node}`));
  const sources = await ctx.sources.list((id) => ctx.flows.live(id));
  const missing = sources.filter(
    ({ flow, node, operator }) =>
      ctx.catalog.operators[operator]?.called !== undefined && !nodes.has(`${flow} ${node}`),
  );
  return [
    ...rows.map((row) => listed(row, address())),
    ...missing.map(({ flow, node, operator }) => lacking(ctx, address(), { flow, node, operator })),
  ];
}

const placeOf = ({ flow, node, id }: Pick<ListedHook, 'flow' | 'node' | 'id'>): string =>
  `${flow} ${node} ${id}`;

function fits(hook: ListedHook, wanted: HookQuery): boolean {
  return (['flow', 'service', 'connection', 'state'] as const).every(
    (name) => wanted[name] === undefined || hook[name] === wanted[name],
  );
}

function listed(row: HookRow, address: string | undefined): ListedHook {
  const { use, base, remote } = row;
  const params: unknown = JSON.parse(row.params);
  const connection = isRecord(params) ? params['connection'] : undefined;
  return {
    ...shownHook(row, address),
    ...{ id: idOf(row.key), use, service: serviceOf(row.operator), at: base },
    ...(typeof connection === 'string' && { connection }),
    ...(remote !== null && { remote }),
  };
}

function lacking(ctx: Pick<Context, 'catalog'>, address: string | undefined, of: SourceId): ListedHook {
  const { flow, node, operator } = of;
  return {
    ...unregistered(ctx, address, of),
    ...{ id: idOf(`${flow} ${node}`), use: 'live', service: serviceOf(operator) },
  };
}

/** The address ends with the key, which is a secret: from its hash nobody gets it. */
export function idOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 16);
}

/** Operators of a service are named after it. */
function serviceOf(operator: string): string {
  return operator.split('.', 1)[0] ?? operator;
}

/** The entry of a trigger without a registration. */
export function unregistered(
  { catalog }: Pick<Context, 'catalog'>,
  address: string | undefined,
  of: SourceId,
): Hook {
  const problem = { code: 'public_address_missing', message: NO_ADDRESS };
  if (address === undefined) return { ...of, state: 'failed', problem };
  return { ...of, state: catalog.operators[of.operator]?.called === 'hand' ? 'by-hand' : 'registering' };
}

/** A stored one as people see it; `address` is that of this server. */
export function shownHook(row: HookRow, address: string | undefined): Hook {
  const { flow, node, operator, use } = row;
  const problem = row.problem === null ? undefined : (JSON.parse(row.problem) as Hook['problem']);
  return {
    ...{ flow, node, operator },
    state: stateOf(row, address),
    ...(use === 'hand' && { address: addressOf(row) }),
    ...(use === 'live' && row.base === address && row.current !== 1 && { earlier: true }),
    ...(row.registered_at !== null && { since: timeOf(row.registered_at) }),
    ...(row.ends_at !== null && { endsAt: timeOf(row.ends_at) }),
    ...(row.last_at !== null && { lastEventAt: timeOf(row.last_at) }),
    ...(row.last_event !== null && { lastEvent: row.last_event }),
    ...(problem && { problem }),
  };
}

function stateOf(row: HookRow, address: string | undefined): Hook['state'] {
  if (row.base !== address) return 'elsewhere';
  if (row.problem !== null) return 'failed';
  if (row.use === 'hand') return 'by-hand';
  return row.registered_at === null ? 'registering' : 'registered';
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

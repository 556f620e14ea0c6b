import type { FastifyBaseLogger } from 'fastify';
import type { Hook, Host, Registry } from '#engine';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import type { Heard } from './deliveries.ts';
import { leaveHook } from './hook-keeper.ts';
import type { Hooks } from './hooks.ts';
import { pause } from './pause.ts';
import { callWithoutFlow, paramsOf } from './source-call.ts';

export interface DraftHooksDeps {
  readonly hooks: Hooks;
  readonly registry: Registry;
  readonly host: Host;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** What has come for a draft, and the trigger that it came for. */
export interface HeardByDraft extends Heard {
  readonly node: string;
}

/** How often it is looked whether something has come, maybe to another server, in milliseconds. */
const LOOK_MS = 250;
/** How long a service has to forget a hook, in milliseconds; later the sweep does it. */
const LEAVE_MS = 10_000;

/** The triggers of a draft that services call. */
export function calledNodes(draft: LiveFlow, registry: Pick<Registry, 'operators' | 'catalog'>): string[] {
  return Object.entries(draft.flow.nodes).flatMap(([node, { operator, disabled }]) =>
    disabled !== true && registry.catalog.operators[operator]?.called !== undefined ? [node] : [],
  );
}

/**
 * Registers the triggers of a draft at their services until something comes, or `signal` aborts, and has the services forget them
 * again. Throws what prevents a registration, such as `hook_taken` and `public_address_missing`.
 */
export async function listenAtServices(
  deps: DraftHooksDeps,
  draft: LiveFlow,
  { until, signal }: { readonly until: number; readonly signal: AbortSignal },
): Promise<HeardByDraft | undefined> {
  const over = new AbortController();
  const both = AbortSignal.any([signal, over.signal]);
  const all = calledNodes(draft, deps.registry).map((node) =>
    listenTo(deps, draft, { node, until, signal: both }),
  );
  try {
    return await Promise.race(all);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    over.abort(new Error('Something has come.'));
    await Promise.allSettled(all);
  }
}

async function listenTo(
  deps: DraftHooksDeps,
  draft: LiveFlow,
  { node, until, signal }: { readonly node: string; readonly until: number; readonly signal: AbortSignal },
): Promise<HeardByDraft | undefined> {
  const { hooks, registry, host } = deps;
  const { operator = '' } = draft.flow.nodes[node] ?? {};
  const plan = draft.compiled.plans.get(node);
  const listen = registry.operators.get(operator)?.listen;
  if (plan === undefined || listen === undefined) return undefined;
  const opened: string[] = [];
  const service = hooks.forDraft(until);
  const noted = {
    ...service,
    async open(...asked: Parameters<typeof service.open>): Promise<Hook> {
      const hook = await service.open(...asked);
      opened.push(hook.key);
      return hook;
    },
  };
  const id = { flow: draft.id, node, operator };
  const over = new AbortController();
  const call = callWithoutFlow(id, paramsOf(plan, deps.variables, host), {
    ...{ host, log: deps.log, signal: AbortSignal.any([signal, over.signal]) },
    services: { ...host.services, hooks: noted },
  });
  const listening = listen(call);
  // Its rejection is seen below, or is that of the end.
  listening.catch(() => undefined);
  try {
    return await Promise.race([listening.then(() => undefined), heard(deps, opened, { node, signal })]);
  } finally {
    over.abort(new Error('Nobody listens any more.'));
    await listening.catch(() => undefined);
    for (const key of new Set(opened)) await forget(deps, key);
  }
}

async function heard(
  { hooks, host }: DraftHooksDeps,
  opened: readonly string[],
  { node, signal }: { readonly node: string; readonly signal: AbortSignal },
): Promise<HeardByDraft> {
  for (;;) {
    for (const key of opened) {
      const row = await hooks.store.find(key);
      if (row?.heard) return { node, ...(JSON.parse(row.heard) as Heard) };
    }
    await pause(host, LOOK_MS, signal);
  }
}

async function forget(deps: DraftHooksDeps, key: string): Promise<void> {
  const { hooks } = deps;
  const row = await hooks.store.find(key);
  if (row === undefined) return;
  if (row.use === 'hand') return hooks.store.change(key, { listens_until: 0, heard: null });
  try {
    await leaveHook({ ...deps, signal: AbortSignal.timeout(LEAVE_MS) }, row, await hooks.hookOf(row));
  } catch (err) {
    deps.log.warn({ err, flow: row.flow, node: row.node }, 'the registration of a draft is removed later');
    await hooks.store.change(key, { listens_until: 0 });
  }
}

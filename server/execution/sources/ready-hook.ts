import type { Hook, Host } from '#engine';
import type { ServiceWebhook } from '#shared/service-trigger.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import type { HookRow } from './hook-store.ts';
import type { Hooks } from './hooks.ts';

export interface ReadyDeps {
  readonly hooks: Pick<Hooks, 'store' | 'hookOf'>;
  readonly live: (id: string) => LiveFlow | undefined;
  readonly timer: Host['timer'];
}

/** A hook, and its row in the store. */
export interface ReadyHook {
  readonly row: HookRow;
  readonly hook: Hook;
}

/** How often it is looked whether it is ready by now, in milliseconds, and how often in all. */
const LOOK_MS = 250;
const LOOKS = 20;
/** Deliveries that wait at once; further ones are sent again by their service. */
const MOST = 200;
const AGAIN_SECONDS = 5;

let waiting = 0;

/**
 * The hook as it is when a delivery can be judged. A service may send before its answer with the secret has been stored, and to a server
 * that does not serve the new version of the flow yet. Refused, such a delivery would be lost where the service sends only once, so it
 * waits a while, and is then to be sent again. Throws `hook_not_found` and `hook_not_ready`.
 */
export async function readyHook(
  deps: ReadyDeps,
  webhook: Pick<ServiceWebhook, 'register'>,
  first: HookRow,
): Promise<ReadyHook> {
  const now = await lookAt(deps, webhook, first);
  if (now.isReady) return now;
  // With a problem, a person has to do something first.
  if (waiting >= MOST || first.problem !== null) throw notReady();
  waiting++;
  try {
    return await waited(deps, webhook, first.key);
  } finally {
    waiting--;
  }
}

async function waited(
  deps: ReadyDeps,
  webhook: Pick<ServiceWebhook, 'register'>,
  key: string,
): Promise<ReadyHook> {
  for (let looks = 0; looks < LOOKS; looks++) {
    await new Promise<void>((resolve) => deps.timer(LOOK_MS, () => resolve()));
    const row = await deps.hooks.store.find(key);
    if (row === undefined) throw new ServiceError('hook_not_found');
    const now = await lookAt(deps, webhook, row);
    if (now.isReady) return now;
    if (row.problem !== null) break;
  }
  throw notReady();
}

async function lookAt(
  deps: ReadyDeps,
  webhook: Pick<ServiceWebhook, 'register'>,
  row: HookRow,
): Promise<ReadyHook & { readonly isReady: boolean }> {
  const hook = await deps.hooks.hookOf(row);
  return { row, hook, isReady: isReady(deps, webhook, row, hook) };
}

function isReady(
  { live }: ReadyDeps,
  { register }: Pick<ServiceWebhook, 'register'>,
  row: HookRow,
  { hasTheirs }: Hook,
): boolean {
  if (register?.secret !== undefined && !hasTheirs) return false;
  // One of a person outlasts its flow, and one that cannot be removed has lost it for good.
  return row.use !== 'live' || row.current !== 1 || row.problem !== null || isServed(live, row);
}

/** Whether the flow that is live here has the trigger. */
export function isServed(
  live: ReadyDeps['live'],
  { flow, node, operator }: Pick<HookRow, 'flow' | 'node' | 'operator'>,
): boolean {
  const found = live(flow)?.flow.nodes[node];
  return found?.operator === operator && found.disabled !== true;
}

function notReady(): ServiceError {
  return new ServiceError('hook_not_ready', undefined, {
    headers: { 'retry-after': String(AGAIN_SECONDS) },
  });
}

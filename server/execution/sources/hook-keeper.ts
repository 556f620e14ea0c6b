import type { FastifyBaseLogger } from 'fastify';
import type { Hook, Host, Registry } from '#engine';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import type { HookRow } from './hook-store.ts';
import type { Hooks } from './hooks.ts';
import { callWithoutFlow } from './source-call.ts';

export interface KeeperDeps {
  readonly hooks: Hooks;
  readonly host: Host;
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
}

/** Flows as the keeper of registrations knows them. */
export interface KeeperStarting {
  readonly registry: Registry;
  readonly live: (id: string) => LiveFlow | undefined;
  /** Whether a flow is live on other servers, while this one cannot serve it. */
  readonly isAside: (id: string) => boolean;
}

/** After a change: a flow that is published again goes and comes within one turn. In milliseconds. */
const SOON_MS = 200;
/** How often a look is repeated while something could not be removed, in milliseconds. */
const AGAIN_MS = 30_000;
/** The interval of all other looks, in milliseconds: for what a listener left behind when its server was killed. */
const SELDOM_MS = 300_000;

/**
 * Removes registrations at services that no live flow needs.
 * HK1. Only the server that listens to sources removes any, and only those that it, or another server of the same address and data, made.
 * HK2. An earlier registration of a trigger goes when the new one is there, so that nothing is lost in between.
 * HK3. One that could not be removed is tried again until it is; the row stays as long.
 */
export class HookKeeper {
  private readonly deps: KeeperDeps;
  private starting: KeeperStarting | undefined;
  private cancel: (() => void) | undefined;
  private last: Promise<void> = Promise.resolve();
  private stopping = new AbortController();

  constructor(deps: KeeperDeps) {
    this.deps = deps;
    // An earlier registration of the same trigger goes now.
    deps.hooks.onRegistered(() => this.changed());
  }

  begin(starting: KeeperStarting): void {
    this.stopping = new AbortController();
    this.starting = starting;
    this.look(SOON_MS);
  }

  /** Resolves when the look under way has ended. */
  async end(): Promise<void> {
    this.starting = undefined;
    this.cancel?.();
    this.stopping.abort(new Error('The server stops.'));
    await this.last;
  }

  /** Something may be superfluous now. */
  changed(): void {
    if (this.starting !== undefined) this.look(SOON_MS);
  }

  private look(ms: number): void {
    this.cancel?.();
    this.cancel = this.deps.host.timer(ms, () => {
      this.last = this.last.then(() => this.sweep());
    });
  }

  private async sweep(): Promise<void> {
    const { starting } = this;
    if (starting === undefined) return;
    let isWhole = true;
    try {
      const rows = await this.deps.hooks.store.all();
      for (const row of rows) {
        if (this.starting !== starting) return;
        if (isSuperfluous(row, rows, { ...starting, now: this.deps.host.now() }))
          isWhole = (await this.remove(row, starting)) && isWhole;
      }
    } catch (err) {
      isWhole = false;
      this.deps.log.error({ err }, 'the registrations at services could not be read');
    }
    if (this.starting === starting) this.look(isWhole ? SELDOM_MS : AGAIN_MS);
  }

  private async remove(row: HookRow, { registry }: KeeperStarting): Promise<boolean> {
    const { hooks, log } = this.deps;
    // It may be that of a server from whose data these were copied.
    if (row.base !== hooks.address()) return this.leaveAlone(row);
    try {
      await leaveHook({ ...this.deps, registry, signal: this.stopping.signal }, row, await hooks.hookOf(row));
      return true;
    } catch (error) {
      if (this.stopping.signal.aborted) return false;
      const { code = 'internal_error', message } = error as { code?: string; message: string };
      await hooks.service.failed(row.key, { code, message }).catch(() => undefined);
      log.warn(
        { flow: row.flow, node: row.node, code },
        'a registration at a service could not be removed; it is tried again',
      );
      return false;
    }
  }

  private async leaveAlone({ key, base, problem }: HookRow): Promise<boolean> {
    if (problem !== null) return true;
    const message = `It was made for ${base}, which is not the address of this server. Remove it by hand if no other server uses it.`;
    await this.deps.hooks.service.failed(key, { code: 'hook_elsewhere', message });
    return true;
  }
}

/** Has the service forget a hook, then forgets it here. Throws the errors of requests. */
export async function leaveHook(
  deps: Omit<KeeperDeps, 'hooks'> & {
    readonly hooks: Pick<Hooks, 'store'>;
    readonly registry: Registry;
    readonly signal: AbortSignal;
  },
  row: HookRow,
  hook: Hook,
): Promise<void> {
  const { host, log, signal, registry } = deps;
  const called = registry.operators.get(row.operator)?.called;
  const services = host.services ?? {};
  const call = callWithoutFlow(row, JSON.parse(row.params), { host, log, services, signal });
  // Without its operator, nobody knows how; what it registered is then the person's.
  await called?.leave(call, hook);
  await deps.hooks.store.remove(row.key);
}

function isSuperfluous(
  row: HookRow,
  rows: readonly HookRow[],
  { live, isAside, now }: Pick<KeeperStarting, 'live' | 'isAside'> & { readonly now: number },
): boolean {
  // A person entered its address at the service: it stays the same, whatever becomes of the flow.
  if (row.use === 'hand') return false;
  if (row.use === 'draft') return row.listens_until < now;
  const flow = live(row.flow);
  if (flow === undefined) return !isAside(row.flow);
  const node = flow.flow.nodes[row.node];
  if (node === undefined || node.disabled === true || node.operator !== row.operator) return true;
  if (row.current === 1) return false;
  return rows.some(
    (other) =>
      other.flow === row.flow &&
      other.node === row.node &&
      other.current === 1 &&
      other.registered_at !== null,
  );
}

import type { FastifyBaseLogger } from 'fastify';
import type { Host } from '#engine';
import type { Delivery } from '#shared/calls-api.ts';
import type { DeliveryStore, StoredDelivery } from './delivery-store.ts';
import type { SendDeps } from './send-notice.ts';

/**
 * Notifies the addresses of `notify` that a run is over.
 * AD1. An accepted notice is sent until it arrives (2xx) or a day has passed, by a later process if necessary: at least
 *      once, and always with the same id and body, so that the receiver can ignore repeats.
 * AD2. It is sent like all requests of flows: guarded, limited in time and size, redirects not followed.
 */
export interface Deliveries {
  /** Stored when it resolves. Throws `storage_failed`. */
  add(
    notice: Pick<StoredDelivery, 'run' | 'flow' | 'version' | 'node' | 'url' | 'secret' | 'body'>,
  ): Promise<void>;
  /** Notices that have not arrived, newest first. */
  list(): Promise<Delivery[]>;
  /** Looks for notices that an earlier process left behind. */
  begin(): void;
  close(): void;
}

interface Deps extends SendDeps {
  readonly store: DeliveryStore;
  readonly host: Pick<Host, 'now' | 'timer'>;
  readonly log: Pick<FastifyBaseLogger, 'warn' | 'error'>;
  /** Other servers may leave notices behind at any time. */
  readonly isShared?: boolean;
  /** False if another server sends them. */
  readonly sends?: boolean;
}

/** How often a server looks for notices that other servers left, in milliseconds. */
const LOOK_MS = 15_000;
const GIVE_UP_MS = 86_400_000;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15 * 60_000;
/** When the server looks for notices of an earlier process, in milliseconds after it began to serve. */
const BEGIN_MS = 500;
/** The next attempt after a disk failure, in milliseconds. */
const AGAIN_MS = 5000;
const AT_ONCE = 10;
/** How long finished notices are stored, in milliseconds. */
const KEPT_MS = 30 * 86_400_000;
const LISTED = 500;

export function createDeliveries(deps: Deps): Deliveries {
  const { store, http, secrets, host, log, isShared = false, sends = true } = deps;
  const closing = new AbortController();
  let cancel: (() => void) | undefined;
  let sending = false;

  function wake(ms: number): void {
    if (closing.signal.aborted || !sends) return;
    cancel?.();
    cancel = host.timer(Math.max(0, ms), () => void look());
  }

  async function look(): Promise<void> {
    if (sending) return;
    sending = true;
    try {
      const due = await store.due(host.now(), AT_ONCE);
      await Promise.all(due.map(deliver));
      const next = await store.nextAt();
      const left = next === undefined ? Number.POSITIVE_INFINITY : next - host.now();
      if (isShared) wake(Math.min(left, LOOK_MS));
      else if (next !== undefined) wake(left);
    } catch (error) {
      if (!closing.signal.aborted) log.error({ err: error }, 'notices of runs wait for a writable disk');
      wake(AGAIN_MS);
    } finally {
      sending = false;
    }
  }

  async function deliver(delivery: StoredDelivery): Promise<void> {
    const { sendNotice } = await import('./send-notice.ts');
    const problem = await sendNotice({ http, secrets, host }, delivery, closing.signal);
    if (problem === undefined) await store.arrived(delivery.run);
    else if (!closing.signal.aborted) await retryLater(delivery, problem);
  }

  async function retryLater({ run, flow, attempts, since }: StoredDelivery, problem: string): Promise<void> {
    const wait = Math.min(FIRST_WAIT_MS * 2 ** attempts, LONGEST_WAIT_MS);
    const nextAt = host.now() + wait;
    const isOver = nextAt > since + GIVE_UP_MS;
    await store.failed(run, { problem, nextAt: isOver ? undefined : nextAt });
    if (isOver) log.warn({ run, flow, problem }, 'gave up on sending the notice of a run');
  }

  return {
    async add(notice) {
      const now = host.now();
      await store.add({ ...notice, status: 'due', attempts: 0, since: now, nextAt: now });
      await store.sweep(now - KEPT_MS);
      wake(0);
    },
    list: () => store.list(LISTED),
    begin: () => wake(BEGIN_MS),
    close() {
      closing.abort();
      cancel?.();
    },
  };
}

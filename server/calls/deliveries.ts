import { createHmac } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { type Host, type HttpService, WeftError } from '#engine';
import type { Delivery } from '#shared/calls-api.ts';
import type { SecretStore } from '../secrets/store.ts';
import type { DeliveryStore, StoredDelivery } from './delivery-store.ts';

/**
 * Tells the addresses of `notify` that a run is over.
 * N1. A notice that was taken in is sent until it arrives (2xx) or a day is over, also by the next process: at least once, and
 *     always with the same id and the same body, so that the other side can leave repeats out.
 * N2. It goes the way of all requests of flows: guarded, limited in time and size, redirects not followed.
 */
export interface Deliveries {
  /** On disk when it returned. Throws `storage_failed`. */
  add(notice: Pick<StoredDelivery, 'run' | 'flow' | 'version' | 'node' | 'url' | 'secret' | 'body'>): void;
  /** Those that did not arrive, newest first. */
  list(): Delivery[];
  /** Looks for notices that an earlier process left. */
  begin(): void;
  close(): void;
}

interface Parts {
  readonly store: DeliveryStore;
  readonly http: HttpService;
  readonly secrets: Pick<SecretStore, 'use'>;
  readonly host: Pick<Host, 'now' | 'timer'>;
  readonly log: Pick<FastifyBaseLogger, 'warn' | 'error'>;
}

const GIVE_UP_MS = 86_400_000;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15 * 60_000;
/** What an earlier process left is looked for when the server has begun to serve. */
const BEGIN_MS = 500;
/** After a failure of the disk. */
const AGAIN_MS = 5000;
const AT_ONCE = 10;
const TIMEOUT_MS = 10_000;
/** For how long what is over is kept, in milliseconds. */
const KEPT_MS = 30 * 86_400_000;
const LISTED = 500;
const OPERATOR = 'trigger.http';

export function createDeliveries({ store, http, secrets, host, log }: Parts): Deliveries {
  const closing = new AbortController();
  let cancel: (() => void) | undefined;
  let sending = false;

  function wake(ms: number): void {
    if (closing.signal.aborted) return;
    cancel?.();
    cancel = host.timer(Math.max(0, ms), () => void look());
  }

  async function look(): Promise<void> {
    if (sending) return;
    sending = true;
    try {
      const due = store.due(host.now(), AT_ONCE);
      await Promise.all(due.map(deliver));
      const next = store.nextAt();
      if (next !== undefined) wake(next - host.now());
    } catch (error) {
      log.error({ err: error }, 'notices of runs wait for the disk');
      wake(AGAIN_MS);
    } finally {
      sending = false;
    }
  }

  async function deliver(delivery: StoredDelivery): Promise<void> {
    const problem = await problemOf(delivery);
    if (problem === undefined) store.arrived(delivery.run);
    else if (!closing.signal.aborted) retryLater(delivery, problem);
  }

  function retryLater({ run, flow, attempts, since }: StoredDelivery, problem: string): void {
    const wait = Math.min(FIRST_WAIT_MS * 2 ** attempts, LONGEST_WAIT_MS);
    const nextAt = host.now() + wait;
    const isOver = nextAt > since + GIVE_UP_MS;
    store.failed(run, { problem, nextAt: isOver ? undefined : nextAt });
    if (isOver) log.warn({ run, flow, problem }, 'the notice of a run was given up');
  }

  async function problemOf(delivery: StoredDelivery): Promise<string | undefined> {
    const { url, flow, version, run, node, body } = delivery;
    try {
      const headers = { ...fixedHeaders(run), ...signature(delivery) };
      const request = {
        method: 'POST',
        url,
        headers,
        body,
        redirects: 0,
        timeoutMs: TIMEOUT_MS,
        maxBytes: 65_536,
      };
      const asker = { flow, version, run, node, operator: OPERATOR };
      const response = await http.send(request, asker, closing.signal);
      for await (const _ of response.body) break;
      return response.status >= 200 && response.status < 300 ? undefined : `It answered ${response.status}.`;
    } catch (error) {
      return error instanceof WeftError ? `${error.code}: ${error.message}` : String(error);
    }
  }

  function signature({ flow, secret, url, body }: StoredDelivery): Record<string, string> {
    if (secret === undefined) return {};
    const key = secrets.use(secret, { flow, operator: OPERATOR, host: new URL(url).hostname });
    const time = String(Math.floor(host.now() / 1000));
    const mac = createHmac('sha256', key).update(`${time}.${body}`).digest('hex');
    return { 'x-weft-timestamp': time, 'x-weft-signature': `sha256=${mac}` };
  }

  return {
    add(notice) {
      const now = host.now();
      store.add({ ...notice, status: 'due', attempts: 0, since: now, nextAt: now });
      store.sweep(now - KEPT_MS);
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

/** A trigger of Weft at the other end takes repeats for one call by the key. */
function fixedHeaders(run: string): Record<string, string> {
  return { 'content-type': 'application/json', 'x-weft-run': run, 'idempotency-key': run };
}

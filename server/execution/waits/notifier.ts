import { transientCodes } from '#shared/transient-codes.ts';
import type { WaitInfo } from '#shared/wait.ts';
import type { Asker, HttpService, SecretService } from '#engine';
import type { WaitLinks } from './links.ts';
import type { Waits } from './wait-store.ts';

/** Whether somebody may have mended it by the next attempt; the owner corrects a proxy that refuses. */
function isPassing(code: unknown): boolean {
  return typeof code === 'string' && (transientCodes.has(code) || code.startsWith('proxy_'));
}

/** Pauses before further attempts, in milliseconds. */
const PAUSES_MS = [2000, 15_000, 60_000, 300_000];
/** The delay before a repeated notice because the disk refused to store that it was sent, in milliseconds. */
const DISK_PAUSE_MS = 60_000;
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 64 * 1024;
const AT_ONCE = 10;

interface Deps {
  readonly waits: Pick<Waits, 'unnotified' | 'notified' | 'onUnnotified'>;
  readonly links: Pick<WaitLinks, 'urlOf'>;
  readonly http: HttpService;
  readonly secrets: Pick<SecretService, 'reveal'>;
  readonly warn: (message: string) => void;
  /** Like `Host.timer`. */
  readonly timer: (ms: number, fn: () => void) => () => void;
}

/**
 * Notifies the addresses of waits, through the guarded client.
 * WN1. Each is notified until it has accepted (2xx), refused for good (a status below 500 other than 408 and 429), or failed five
 *      times; a restart begins to count anew.
 * WN2. An address that does not answer delays no others, as long as fewer than `AT_ONCE` of them do not answer.
 * WN3. Every attempt carries the same idempotency key, so that receivers can recognise repeats.
 */
export function createNotifier(deps: Deps): { notifyAll(): Promise<void>; close(): void } {
  const { waits, warn, timer } = deps;
  const attempts = new Map<string, number>();
  const pausing = createPauses(timer, () => void notifyAll());
  const closed = new AbortController();
  /** Notifications in progress. */
  const notifying = new Map<string, Promise<void>>();
  let beginning = Promise.resolve();
  /** More notices are due than are sent at once. */
  let isFull = false;

  async function notify(wait: WaitInfo): Promise<void> {
    const { id } = wait;
    const problem = await problemOf(deps, wait, closed.signal);
    if (closed.signal.aborted) return;
    const tried = attempts.get(id) ?? 0;
    const pause = problem?.isFinal === false ? PAUSES_MS[tried] : undefined;
    if (pause !== undefined) {
      attempts.set(id, tried + 1);
      pausing.add(id, pause);
      return;
    }
    attempts.delete(id);
    await waits.notified(id, problem?.text);
    if (problem) warn(`The notice of the wait ${id} could not be sent: ${problem.text}`);
  }

  /** Starts due notices. The list may contain one that was sent while it was read. */
  async function begin(): Promise<void> {
    const begun = new Set(notifying.keys());
    const rest = (await waits.unnotified()).filter(({ id }) => !pausing.has(id) && !begun.has(id));
    const room = closed.signal.aborted ? 0 : AT_ONCE - notifying.size;
    for (const wait of rest.slice(0, room)) notifying.set(wait.id, notifyOne(wait));
    isFull = rest.length > room;
  }

  /** Resolves once the notices that could be started were sent, or pause. */
  async function notifyAll(): Promise<void> {
    try {
      // Sequential, so that nothing is started while the list is read.
      beginning = beginning.catch(() => {}).then(begin);
      await beginning;
      await Promise.all(notifying.values());
    } catch (error) {
      warn(`The addresses of waits could not be notified: ${String(error)}`);
    }
  }

  async function notifyOne(wait: WaitInfo): Promise<void> {
    try {
      await notify(wait);
    } catch (error) {
      if (closed.signal.aborted) return;
      warn(`The notification of the wait ${wait.id} could not be stored: ${String(error)}`);
      pausing.add(wait.id, DISK_PAUSE_MS);
    } finally {
      notifying.delete(wait.id);
      if (isFull && !closed.signal.aborted) void notifyAll();
    }
  }

  waits.onUnnotified(() => void notifyAll());
  return {
    notifyAll,
    close() {
      closed.abort();
      pausing.close();
    },
  };
}

/** Notices that wait for their next attempt; `onOver` is called when it is due. */
function createPauses(timer: Deps['timer'], onOver: () => void) {
  const stops = new Map<string, () => void>();
  return {
    has: (id: string): boolean => stops.has(id),
    add(id: string, ms: number): void {
      const over = (): void => {
        stops.delete(id);
        onOver();
      };
      stops.set(id, timer(ms, over));
    },
    close(): void {
      for (const stop of stops.values()) stop();
    },
  };
}

interface Problem {
  readonly text: string;
  /** Another attempt would fail in the same way. */
  readonly isFinal: boolean;
}

async function problemOf(
  { http, secrets, links }: Deps,
  wait: WaitInfo,
  signal: AbortSignal,
): Promise<Problem | undefined> {
  const { id, title, ask, run, flow, node } = wait;
  const operator = `human.${ask.kind}`;
  const by: Asker = { flow, version: '', run, node, operator };
  try {
    const { notify } = ask;
    const url = typeof notify === 'object' ? await secrets.reveal(notify.$secret, by) : (notify ?? '');
    const body = JSON.stringify({
      title,
      text: ask.text ?? '',
      link: await links.urlOf(id),
      run,
      flow,
      node,
    });
    const headers = { 'content-type': 'application/json', 'idempotency-key': `${id}:notify` };
    const limits = { redirects: 0, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    const answer = await http.send({ method: 'POST', url, headers, body, ...limits }, by, signal);
    // Its body is not needed, and leaving the loop releases the connection.
    for await (const _ of answer.body) break;
    const { status } = answer;
    if (status >= 200 && status < 300) return undefined;
    const isFinal = status < 500 && status !== 408 && status !== 429;
    return { text: `the address answered ${status}`, isFinal };
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    return { text: message, isFinal: !isPassing(code) };
  }
}

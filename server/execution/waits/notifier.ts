import type { WaitInfo } from '#shared/wait.ts';
import type { Asker, HttpService, SecretService } from '#engine';
import type { WaitLinks } from './links.ts';
import type { Waits } from './wait-store.ts';

/** Pauses before further attempts, in milliseconds. */
const PAUSES_MS = [2000, 15_000, 60_000, 300_000];
/** Delay before an address is notified again because the disk refused to store that it was. */
const DISK_PAUSE_MS = 60_000;
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 64 * 1024;
const AT_ONCE = 10;

interface Deps {
  readonly waits: Pick<Waits, 'untold' | 'told' | 'onUntold'>;
  readonly links: Pick<WaitLinks, 'urlOf'>;
  readonly http: HttpService;
  readonly secrets: Pick<SecretService, 'reveal'>;
  readonly warn: (message: string) => void;
  /** As `Host.timer`. */
  readonly timer: (ms: number, fn: () => void) => () => void;
}

/**
 * Notifies the addresses of waits, through the guarded client.
 * WN1. Each is notified until it has accepted (2xx), refused for good (4xx), or failed five times, across
 *      restarts.
 * WN2. An address that does not answer delays no others, as long as there are fewer than `AT_ONCE` of them.
 * WN3. Every attempt carries the same idempotency key, so that receivers can recognise repeats.
 */
export function createNotifier(deps: Deps): { tellAll(): Promise<void>; close(): void } {
  const { waits, warn, timer } = deps;
  const attempts = new Map<string, number>();
  const pausing = createPauses(timer, () => void tellAll());
  const closed = new AbortController();
  /** Notifications in progress. */
  const telling = new Map<string, Promise<void>>();
  let beginning = Promise.resolve();
  /** There are more than are notified at once. */
  let isFull = false;

  async function tell(wait: WaitInfo): Promise<void> {
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
    await waits.told(id, problem?.text);
    if (problem) warn(`Nobody could be notified of the wait ${id}: ${problem.text}`);
  }

  /** Starts those that are due. A list may name one that was notified while it was read. */
  async function begin(): Promise<void> {
    const begun = new Set(telling.keys());
    const rest = (await waits.untold()).filter(({ id }) => !pausing.has(id) && !begun.has(id));
    const room = closed.signal.aborted ? 0 : AT_ONCE - telling.size;
    for (const wait of rest.slice(0, room)) telling.set(wait.id, tellOne(wait));
    isFull = rest.length > room;
  }

  /** Resolves once those that could be started have been notified, or pause. */
  async function tellAll(): Promise<void> {
    try {
      // One after the other, so that nothing is started while a list is read.
      beginning = beginning.catch(() => {}).then(begin);
      await beginning;
      await Promise.all(telling.values());
    } catch (error) {
      warn(`The addresses of waits could not be notified: ${String(error)}`);
    }
  }

  async function tellOne(wait: WaitInfo): Promise<void> {
    try {
      await tell(wait);
    } catch (error) {
      if (closed.signal.aborted) return;
      warn(`The notification of the wait ${wait.id} could not be stored: ${String(error)}`);
      pausing.add(wait.id, DISK_PAUSE_MS);
    } finally {
      telling.delete(wait.id);
      if (isFull && !closed.signal.aborted) void tellAll();
    }
  }

  waits.onUntold(() => void tellAll());
  return {
    tellAll,
    close() {
      closed.abort();
      pausing.close();
    },
  };
}

/** Those that wait for their next attempt; `onOver` is called when it is time for one. */
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
    // Its body is of no use, and leaving it releases the connection.
    for await (const _ of answer.body) break;
    const { status } = answer;
    if (status >= 200 && status < 300) return undefined;
    const isFinal = status < 500 && status !== 408 && status !== 429;
    return { text: `the address answered ${status}`, isFinal };
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    return { text: message, isFinal: code !== 'outbound_failed' && code !== 'outbound_timeout' };
  }
}

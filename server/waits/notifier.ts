import type { WaitInfo } from '#shared/wait.ts';
import type { Asker, HttpService, SecretService } from '#engine';
import type { WaitLinks } from './links.ts';
import type { Waits } from './wait-store.ts';

/** Pauses before further attempts, in milliseconds. */
const PAUSES_MS = [2000, 15_000, 60_000, 300_000];
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 64 * 1024;

interface Parts {
  readonly waits: Pick<Waits, 'untold' | 'told' | 'onUntold'>;
  readonly links: Pick<WaitLinks, 'urlOf'>;
  readonly http: HttpService;
  readonly secrets: Pick<SecretService, 'reveal'>;
  readonly warn: (message: string) => void;
  /** As `Host.timer`. */
  readonly timer: (ms: number, fn: () => void) => () => void;
}

/**
 * Tells the addresses of waits, through the guarded client.
 * N1. Each is told until it has taken it (2xx), refused it for good (4xx), or failed five times; a restart goes on with it.
 * N2. Every attempt carries the same idempotency key, so that who is told twice can know.
 */
export function createNotifier(parts: Parts): { tellAll(): Promise<void>; close(): void } {
  const { waits, warn, timer } = parts;
  const attempts = new Map<string, number>();
  /** Those that wait for their next attempt. */
  const pausing = new Map<string, () => void>();
  const closed = new AbortController();
  let going: Promise<void> | undefined;
  let again = false;

  async function tell(wait: WaitInfo): Promise<void> {
    const { id } = wait;
    const problem = await problemOf(parts, wait, closed.signal);
    if (closed.signal.aborted) return;
    const tried = attempts.get(id) ?? 0;
    const pause = problem?.isFinal === false ? PAUSES_MS[tried] : undefined;
    if (pause !== undefined) {
      attempts.set(id, tried + 1);
      pausing.set(
        id,
        timer(pause, () => goOn(id)),
      );
      return;
    }
    attempts.delete(id);
    await waits.told(id, problem?.text);
    if (problem) warn(`Nobody could be told of the wait ${id}: ${problem.text}`);
  }

  function goOn(id: string): void {
    pausing.delete(id);
    void tellAll();
  }

  async function round(): Promise<void> {
    do {
      again = false;
      const untold = await waits.untold();
      for (const wait of untold) if (!pausing.has(wait.id) && !closed.signal.aborted) await tell(wait);
    } while (again && !closed.signal.aborted);
  }

  /** One round at a time; what came up meanwhile is in the next one. */
  function tellAll(): Promise<void> {
    again = true;
    going ??= round()
      .catch((error: unknown) => warn(`Waits could not be told of: ${String(error)}`))
      .finally(() => {
        going = undefined;
      });
    return going;
  }

  waits.onUntold(() => void tellAll());
  return {
    tellAll,
    close() {
      closed.abort();
      for (const stop of pausing.values()) stop();
    },
  };
}

interface Problem {
  readonly text: string;
  /** Another attempt would end the same way. */
  readonly isFinal: boolean;
}

async function problemOf(
  { http, secrets, links }: Parts,
  wait: WaitInfo,
  signal: AbortSignal,
): Promise<Problem | undefined> {
  const { id, title, ask, run, flow, node } = wait;
  const operator = `human.${ask.kind}`;
  const by: Asker = { flow, version: '', run, node, operator };
  try {
    const { notify } = ask;
    const url = typeof notify === 'object' ? await secrets.reveal(notify.$secret, by) : (notify ?? '');
    const body = JSON.stringify({ title, text: ask.text ?? '', link: links.urlOf(id), run, flow, node });
    const headers = { 'content-type': 'application/json', 'idempotency-key': `${id}:notify` };
    const limits = { redirects: 0, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    const answer = await http.send({ method: 'POST', url, headers, body, ...limits }, by, signal);
    // What it says is of no use, and leaving it lets go of the connection.
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

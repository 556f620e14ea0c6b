import { createHmac } from 'node:crypto';
import { type Host, type HttpService, WeftError } from '#engine';
import type { SecretStore } from '../../base/secrets/store.ts';
import type { StoredDelivery } from './delivery-store.ts';

export interface SendDeps {
  readonly http: HttpService;
  readonly secrets: Pick<SecretStore, 'use'>;
  readonly host: Pick<Host, 'now'>;
}

const TIMEOUT_MS = 10_000;
/** Only the status of the answer is read. */
const MAX_BYTES = 65_536;
const OPERATOR = 'trigger.http';

/** Sends a notice once; returns why it did not arrive, or undefined if it did. Never rejects. */
export async function sendNotice(
  deps: SendDeps,
  delivery: StoredDelivery,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { url, flow, version, run, node, body } = delivery;
  try {
    const headers = { ...fixedHeaders(run), ...signature(deps, delivery) };
    const limits = { redirects: 0, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    const asker = { flow, version, run, node, operator: OPERATOR };
    const response = await deps.http.send({ method: 'POST', url, headers, body, ...limits }, asker, signal);
    await response.body[Symbol.asyncIterator]().return?.();
    return response.status >= 200 && response.status < 300 ? undefined : `It answered ${response.status}.`;
  } catch (error) {
    return error instanceof WeftError ? `${error.code}: ${error.message}` : String(error);
  }
}

/** The key lets a Weft trigger at the other end treat repeats as one call. */
function fixedHeaders(run: string): Record<string, string> {
  return { 'content-type': 'application/json', 'x-weft-run': run, 'idempotency-key': run };
}

function signature(
  { secrets, host }: SendDeps,
  { flow, secret, url, body }: StoredDelivery,
): Record<string, string> {
  if (secret === undefined) return {};
  const key = secrets.use(secret, { flow, operator: OPERATOR, origin: new URL(url).origin });
  const time = String(Math.floor(host.now() / 1000));
  const mac = createHmac('sha256', key).update(`${time}.${body}`).digest('hex');
  return { 'x-weft-timestamp': time, 'x-weft-signature': `sha256=${mac}` };
}

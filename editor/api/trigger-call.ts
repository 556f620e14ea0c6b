import type { HttpRequest } from '../model/form/trigger-request.ts';
import { csrfToken } from './client.ts';

let triggerOrigin = globalThis.location?.origin ?? '';

/** The origin of triggers, if it differs from this page's; `session.ts` sets it. */
export function setTriggerOrigin(origin: string | undefined): void {
  triggerOrigin = origin ?? globalThis.location?.origin ?? '';
}

/** For calling a trigger at its real address, like any other caller. */
export const liveBase = (): string => `${triggerOrigin}/api/v1/awel/trigger`;

/** The address of the draft. */
export const draftBase = (flow: string): string =>
  `${globalThis.location?.origin ?? ''}/api/v1/flows/${encodeURIComponent(flow)}/test`;

export interface TriggerAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly text: string;
  /** The body as data, if it is JSON. */
  readonly json: { readonly value: unknown } | undefined;
  /** From sending to the last byte, in milliseconds. */
  readonly ms: number;
  readonly run: string | undefined;
}

/**
 * Sends the request: to the live address without our session, so that the trigger's own access rules apply; to the draft
 * with it. Throws the error of `fetch` if there is no answer.
 */
export async function callTrigger(
  { method, url, headers, body }: HttpRequest,
  as: 'caller' | 'editor',
  signal: AbortSignal,
): Promise<TriggerAnswer> {
  const token = csrfToken();
  const own = as === 'editor' && token !== undefined ? [['x-weft-csrf', token] as const] : [];
  const started = performance.now();
  const response = await fetch(url, {
    method,
    headers: [...headers, ...own].map(([name, value]) => [name, value] as [string, string]),
    credentials: as === 'editor' ? 'same-origin' : 'omit',
    redirect: 'manual',
    cache: 'no-store',
    signal,
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    statusText: response.statusText,
    headers: [...response.headers],
    text,
    json: jsonOf(text, response.headers.get('content-type')),
    ms: performance.now() - started,
    run: response.headers.get('x-weft-run') ?? undefined,
  };
}

function jsonOf(text: string, type: string | null): { value: unknown } | undefined {
  if (!type?.includes('json')) return undefined;
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

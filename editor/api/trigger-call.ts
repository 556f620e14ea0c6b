import { parseKeepingDigits } from '#shared/lost-digits.ts';
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

/** The address of a form, for whoever fills it in. */
export const liveFormAt = (path: string): string => `${triggerOrigin}/form${path}`;

/** The address of the public chat page of an app. */
export const publicPageAt = (app: string): string => `${triggerOrigin}/talk/${encodeURIComponent(app)}`;

/** The page of a form as it was saved last; it cannot be sent. */
export const draftFormAt = (flow: string, node: string): string =>
  `/api/v1/flows/${encodeURIComponent(flow)}/forms/${encodeURIComponent(node)}`;

/** The answer of a trigger to a request from the editor. */
export interface TriggerAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body as text. For a file: its first 100,000 bytes if they are text, otherwise empty. */
  readonly text: string;
  /** The body, if the answer is a file. */
  readonly file: { readonly name: string; readonly content: Blob } | undefined;
  /** The body as data, if it is JSON. */
  readonly json: { readonly value: unknown } | undefined;
  /** From sending to the last byte, in milliseconds. */
  readonly ms: number;
  /** Id of the run that answered; undefined if none was started. */
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
  const name = fileName(response.headers.get('content-disposition'));
  const file = name === undefined ? undefined : { name, content: await response.blob() };
  const text = file ? await shownText(file.content) : await response.text();
  return {
    status: response.status,
    statusText: response.statusText,
    headers: [...response.headers],
    text,
    file,
    json: jsonOf(text, response.headers.get('content-type')),
    ms: performance.now() - started,
    run: response.headers.get('x-weft-run') ?? undefined,
  };
}

/** Bytes of a text file that are shown. */
const TEXT_BYTES = 100_000;

/** The name of a file, as the server writes it. */
function fileName(disposition: string | null): string | undefined {
  const coded = /filename\*=UTF-8''([^;]+)/.exec(disposition ?? '')?.[1];
  if (coded !== undefined) return decodeURIComponent(coded);
  return /filename="([^"]*)"/.exec(disposition ?? '')?.[1];
}

async function shownText(content: Blob): Promise<string> {
  const isText = /^text\/|json|xml|csv/.test(content.type);
  return isText ? content.slice(0, TEXT_BYTES).text() : '';
}

function jsonOf(text: string, type: string | null): { value: unknown } | undefined {
  if (!type?.includes('json')) return undefined;
  try {
    return { value: parseKeepingDigits(text) };
  } catch {
    return undefined;
  }
}

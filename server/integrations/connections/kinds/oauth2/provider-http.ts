import { type Asker, type HttpRequest, type HttpResponse, WeftError } from '#engine';
import { isNearby } from '../../../../base/outbound/addresses.ts';
import type { ProviderHttp } from '../../../../base/outbound/client.ts';
import type { OwnProxy } from '../../../../base/outbound/proxy.ts';
import { fieldIn } from './provider.ts';

/** Sends requests to a provider through the guard. */
export interface ProviderFetch {
  /** In the form that oauth4webapi takes for its own `fetch`. */
  fetch(url: string, init: FetchInit): Promise<Response>;
  /** How far the clock of the provider was ahead at its last answer, in milliseconds; 0 if it named no time. */
  ahead(): number;
}

interface FetchInit {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: URLSearchParams | string | Uint8Array | null | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Deps {
  readonly http: ProviderHttp;
  readonly now: () => number;
}

interface Wanted {
  /** Addresses that an administrator has typed: their hosts may be in a private network. */
  readonly typed: readonly string[];
  readonly timeoutMs: number;
  readonly proxy: OwnProxy;
  /** Changes what is sent to the token address, and what it answers. */
  readonly token?: string | undefined;
  readonly jsonBody?: boolean | undefined;
  tokenAnswer?(answer: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
}

/** The caller where no flow is involved. */
const SERVER: Asker = { flow: '', version: '', run: '', node: '', operator: '' };
const LASTING = new AbortController().signal;
/** Far more than any answer of a provider. */
const MAX_BYTES = 1_000_000;

export function providerFetch({ http, now }: Deps, wanted: Wanted): ProviderFetch {
  const near = new Set(wanted.typed.filter((text) => text !== '').map((text) => placeOf(new URL(text))));
  let ahead = 0;
  return {
    ahead: () => ahead,
    async fetch(address, init) {
      const url = new URL(address);
      const place = placeOf(url);
      checkProtocol(url);
      const isToken = wanted.token !== undefined && url.href === new URL(wanted.token).href;
      const request = requestOf(url, init, { ...wanted, jsonBody: isToken && wanted.jsonBody });
      const signal = init.signal ?? LASTING;
      const answer = await http.send(request, SERVER, signal, {
        near: near.has(place) ? place : undefined,
        proxy: wanted.proxy,
      });
      const date = Date.parse(answer.headers['date'] ?? '');
      ahead = Number.isNaN(date) ? 0 : date - now();
      const pieces: Uint8Array[] = [];
      for await (const piece of answer.body) pieces.push(piece);
      checkRedirect(url, answer.status);
      const body = Buffer.concat(pieces);
      return isToken ? tokenResponse(answer, body, wanted) : responseOf(answer, body);
    },
  };
}

function requestOf(
  url: URL,
  { method, headers, body }: FetchInit,
  { jsonBody, timeoutMs }: Pick<Wanted, 'jsonBody' | 'timeoutMs'>,
): HttpRequest {
  const form = body instanceof URLSearchParams ? body : undefined;
  const isJson = jsonBody === true && form !== undefined;
  return {
    method,
    url: url.href,
    headers: isJson ? { ...headers, 'content-type': 'application/json' } : { ...headers },
    secretHeaders: ['authorization'],
    body: isJson ? JSON.stringify(Object.fromEntries(form)) : (form?.toString() ?? bytesOf(body)),
    redirects: 0,
    timeoutMs,
    maxBytes: MAX_BYTES,
  };
}

function checkRedirect({ host }: URL, status: number): void {
  if (status < 300 || status >= 400) return;
  throw new WeftError(
    'connection_failed',
    `${host} redirects (status ${status}), which an address of a provider must not do: enter the address that it leads to.`,
    { transient: false },
  );
}

function responseOf({ status, headers }: HttpResponse, body: string | Uint8Array<ArrayBuffer>): Response {
  // These statuses have no body.
  const isBare = status === 204 || status === 205;
  const type = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
  return new Response(isBare ? null : body, { status, headers: { ...headers, ...type } });
}

/** `host:port`, as the guard names a destination. */
function placeOf({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

/** Tokens travel in clear text only on this machine, and at addresses of a private network. */
function checkProtocol({ protocol, hostname, origin }: URL): void {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (protocol === 'https:' || host === 'localhost' || isNearby(host)) return;
  throw new WeftError(
    'connection_refused',
    `${origin} is not encrypted: secrets and tokens are sent over https only, except on this machine and to addresses of a private network.`,
  );
}

function bytesOf(body: FetchInit['body']): string | Uint8Array | undefined {
  return body === null || body instanceof URLSearchParams ? undefined : body;
}

/**
 * An answer of the token address in the form of RFC 6749: failures have a status of failures, which Slack and GitHub leave at 200. An
 * ID token is left out: it came over the same encrypted connection as the rest, only the name of the account is read from it, and
 * clocks that differ would make a library refuse it.
 */
function tokenResponse(response: HttpResponse, bytes: Uint8Array<ArrayBuffer>, wanted: Wanted): Response {
  const answer = jsonIn(bytes);
  if (answer === undefined) return responseOf(response, bytes);
  const own = wanted.tokenAnswer?.(answer) ?? answer;
  if (typeof own['access_token'] !== 'string') {
    const isRefusal = typeof own['error'] === 'string' && response.status === 200;
    return responseOf(isRefusal ? { ...response, status: 400 } : response, JSON.stringify(own));
  }
  const { id_token: idToken, token_type: type, expires_in: expires, ...others } = own;
  const seconds = Number(expires);
  const told = {
    ...others,
    token_type: /^(?:bearer|dpop)$/i.test(String(type)) ? type : 'bearer',
    ...(Number.isFinite(seconds) && seconds > 0 && { expires_in: seconds }),
    ...(typeof idToken === 'string' && { weft_account: accountInIdToken(idToken) }),
  };
  return responseOf(response, JSON.stringify(told));
}

function jsonIn(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = JSON.parse(Buffer.from(bytes).toString()) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** The name in an ID token, for people to see; it decides nothing. */
function accountInIdToken(token: string): unknown {
  const claims = jsonIn(Buffer.from(token.split('.')[1] ?? '', 'base64url'));
  // The mere number of an account says less than its page for that.
  return accountName({ ...claims, sub: undefined });
}

/** The name of an account in the claims of OpenID Connect. */
export function accountName(claims: unknown): unknown {
  const names = ['email', 'preferred_username', 'name', 'sub'].map((name) => fieldIn(claims, name));
  return names.find((name) => typeof name === 'string' && name !== '');
}

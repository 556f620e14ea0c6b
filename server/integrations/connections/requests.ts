import { type Asker, type HttpRequest, type HttpResponse, WeftError } from '#engine';
import type { FileStore } from '../../storage/file-store/store.ts';
import { maySendTo } from '#shared/secret.ts';
import { startDeadline } from '../../base/outbound/deadline.ts';
import type { ProviderHttp } from '../../base/outbound/client.ts';
import type { ConnectionHttp, Kind } from './kind.ts';
import type { SignIns } from './kinds/oauth2/sign-ins.ts';
import { proxyOf } from './proxy-fields.ts';
import { kindFor, type Turn, type UsedConnection } from './kinds.ts';

/** Connections without sessions: the guarded client sends their requests one by one. */

interface Deps {
  readonly http: ProviderHttp;
  readonly signIns: () => Promise<SignIns>;
}

interface UseDeps extends Deps {
  readonly turn: Turn;
}

type RequestKind = Extract<Kind, { use: 'files' | 'http' }>;

/** A use of a connection that is granted. */
export interface Use {
  readonly name: string;
  readonly used: UsedConnection;
  readonly by: Asker;
}

const TEST_MS = 15_000;
const NEVER = new AbortController().signal;
/** The caller where no flow is involved. */
const SERVER: Asker = { flow: '', version: '', run: '', node: '', operator: '' };

/** The files that a connection leads to. Throws `connection_missing` for a connection of another kind. */
export async function storeOf(deps: UseDeps, use: Use): Promise<FileStore> {
  const kind = await kindFor('files', use.name, use.used.kind);
  return (await kind.open(kind.settings.parse(use.used.settings), inTurn(deps, kind, use))).files;
}

/** Sends a request below the address of a connection. Throws `connection_missing` as above, and the errors of the client. */
export async function sendThrough(
  deps: UseDeps,
  use: Use,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const kind = await kindFor('http', use.name, use.used.kind);
  return inTurn(deps, kind, use)(request, signal);
}

/** The client for a connection, where each request waits for its turn within its time limit. */
function inTurn(deps: UseDeps, kind: RequestKind, { name, used, by }: Use): ConnectionHttp {
  const send = httpOf(deps, kind, { name, used, by });
  if (used.rate === undefined) return send;
  return async (request, signal) => {
    const start = performance.now();
    // A download may take a day, but its turn may not.
    const mayWaitMs = kind.use === 'files' ? Number(used.settings['timeoutMs']) : request.timeoutMs;
    await deps.turn(name, by, mayWaitMs, signal);
    const timeoutMs = Math.max(1, request.timeoutMs - Math.floor(performance.now() - start));
    return send({ ...request, timeoutMs }, signal);
  };
}

/** Reports the name of the service. */
export async function aboutOf(
  deps: Deps,
  kind: RequestKind,
  name: string,
  used: UsedConnection,
): Promise<string> {
  const settings = kind.settings.parse(used.settings);
  const http = httpOf(deps, kind, { name, used, by: SERVER });
  const late = () => new WeftError('connection_failed', `There was no answer within ${TEST_MS} ms.`);
  const deadline = startDeadline(TEST_MS, NEVER, late);
  try {
    if (kind.use === 'http')
      return await kind.about(settings, http, deadline.signal, { name, signIns: deps.signIns });
    return await (await kind.open(settings, http)).about(deadline.signal);
  } finally {
    deadline.end();
  }
}

/** The client for a connection: its own address is allowed, and requests through a connection for requests get its headers. */
function httpOf({ http, signIns }: Deps, kind: RequestKind, { name, used, by }: Use): ConnectionHttp {
  const settings = kind.settings.parse(used.settings);
  const address = kind.address(settings);
  const near = placeOf(address);
  const proxy = proxyOf(settings);
  if (kind.use === 'files') return (request, signal) => http.send(request, by, signal, { near, proxy });
  const headers = kind.headers(settings);
  const signing = kind.signing?.(settings);
  const tls = kind.tls?.(settings);
  const hosts = kind.hosts?.(settings) ?? [];
  const sendWith = (
    { connection: _, onlyHosts, base: below, open, ...request }: HttpRequest,
    signal: AbortSignal,
    credentials: Readonly<Record<string, string>>,
    base: URL = address,
  ): Promise<HttpResponse> => {
    const isOpen = open !== undefined;
    const placedUrl = (): string =>
      placed(kind.inAddress?.(settings), request.url, (path) =>
        addressFor(base, hosts, based(hosts, below, path)),
      );
    const url = openAt(open, address, below) ? `${below}${request.url}` : placedUrl();
    const added = isOpen ? {} : { ...headers, ...credentials };
    const own = Object.keys(added);
    return http.send(
      {
        ...request,
        ...(signing && !isOpen && { signing }),
        url,
        headers: { ...added, ...lowerCased(request.headers), ...(!isOpen && credentials) },
        secretHeaders: [...own, ...(request.secretHeaders ?? [])],
        ...(onlyHosts && { onlyHosts: { ...onlyHosts, hosts: [...onlyHosts.hosts, new URL(url).origin] } }),
      },
      by,
      signal,
      { near: placeOf(new URL(url)) === near ? near : undefined, proxy, tls },
    );
  };
  const { signed } = kind;
  if (signed === undefined)
    return async (request, signal) => sendWith(request, signal, kind.credentials(settings));
  return (request, signal) =>
    signed(
      {
        name,
        signIns,
        settings,
        request,
        send: async (credentials, base) =>
          sendWith(request, signal, credentials, base === undefined ? undefined : new URL(base)),
      },
      signal,
    );
}

/** Whether a request without credentials goes to the service itself, and to no stand-in of it. */
function openAt(open: string | undefined, address: URL, base: string | undefined): boolean {
  return open !== undefined && base !== undefined && new URL(open).origin === address.origin;
}

const PLACE = '{secret}';

/** The address of a path with the secret in its place. Throws `outbound_invalid` without showing the secret. */
function placed(secret: string | undefined, path: string, addressOf: (path: string) => string): string {
  if (!path.includes(PLACE)) return addressOf(path);
  if (secret === undefined)
    throw refused(`${PLACE} stands in the address, and the connection sends its secret in another way.`);
  addressOf(path.replaceAll(PLACE, 'secret'));
  // As in http.request: some servers compare them undecoded.
  const written = encodeURIComponent(secret).replaceAll(/%(?:3A|40|2C)/g, decodeURIComponent);
  return addressOf(path.replaceAll(PLACE, () => written));
}

/** A path below the address that a request names, if the credentials may go there; otherwise the path alone. */
function based(hosts: readonly string[], base: string | undefined, path: string): string {
  const isPath = base !== undefined && (path === '' || /^[/?]/.test(path));
  return isPath && maySendTo(hosts, new URL(base).origin) ? base + path : path;
}

/** `host:port`, as the guard names a destination. */
function placeOf({ hostname, port, protocol }: URL): string {
  return `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

/** The address of a request: a whole one on one of the hosts, or below the base. Throws like `addressBelow`. */
function addressFor(base: URL, hosts: readonly string[], path: string): string {
  const url = /^https:/i.test(path) && URL.canParse(path) ? new URL(path) : undefined;
  const isThere = url !== undefined && url.username === '' && url.password === '';
  // Checked in the usual way, with its own origin as the base.
  if (isThere && url.origin !== base.origin && maySendTo(hosts, url.origin))
    return addressBelow(new URL(url.origin), path);
  return addressBelow(base, path);
}

function lowerCased(headers: HttpRequest['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/**
 * The address of a request below that of a connection. `path`: a path such as `/items?limit=2`, or a whole address that begins
 * with the address of the connection, as services return for the next page. Throws `outbound_invalid` for one that leads
 * elsewhere.
 */
export function addressBelow(base: URL, path: string): string {
  if (/[\s\\]|\p{Cc}/u.test(path))
    throw refused('The path contains spaces, control characters or a backslash; write them as %20, %5C, ….');
  const folder = base.href.replace(/\/$/, '');
  const text = composed(base, folder, path);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.origin !== base.origin || url.username !== '' || url.password !== '')
    throw refused(`${shown(path)} is not below the address of the connection, ${base.origin}.`);
  const within = new URL(folder).pathname.replace(/\/$/, '');
  const isBelow = url.pathname === within || url.pathname.startsWith(`${within}/`);
  if (!isBelow || goesUp(text)) throw refused(`${shown(path)} leads out of the address of the connection.`);
  return url.href;
}

function composed(base: URL, folder: string, path: string): string {
  if (path === '') return base.href;
  if (/^[a-z][a-z0-9+.-]*:/i.test(path)) return path;
  return `${folder}${/^[/?]/.test(path) ? '' : '/'}${path}`;
}

/** Some servers treat `%2e%2e%2f` as a step up, so it is never sent. */
function goesUp(address: string): boolean {
  return /(?:^|\/|%2f|%5c)(?:\.|%2e){1,2}(?:\/|%2f|%5c|$)/i.test(address.replace(/[?#].*$/s, ''));
}

function shown(path: string): string {
  return JSON.stringify(path.replace(/[?#].*$/s, '').slice(0, 200));
}

function refused(message: string): WeftError {
  return new WeftError('outbound_invalid', message);
}

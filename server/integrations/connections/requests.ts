import { type Asker, type HttpRequest, type HttpResponse, WeftError } from '#engine';
import type { FileStore } from '../../storage/file-store/store.ts';
import { startDeadline } from '../../base/outbound/deadline.ts';
import type { ProviderHttp } from '../../base/outbound/client.ts';
import type { ConnectionHttp, Kind } from './kind.ts';
import { kindFor, type Turn, type UsedConnection } from './kinds.ts';

/** Connections without sessions: the guarded client sends their requests one by one. */

interface Deps {
  readonly http: ProviderHttp;
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
  const send = httpOf(deps, kind, used, by);
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
export async function aboutOf(deps: Deps, kind: RequestKind, used: UsedConnection): Promise<string> {
  const settings = kind.settings.parse(used.settings);
  const http = httpOf(deps, kind, used, SERVER);
  const late = () => new WeftError('connection_failed', `There was no answer within ${TEST_MS} ms.`);
  const deadline = startDeadline(TEST_MS, NEVER, late);
  try {
    if (kind.use === 'http') return await kind.about(settings, http, deadline.signal);
    return await (await kind.open(settings, http)).about(deadline.signal);
  } finally {
    deadline.end();
  }
}

/** The client for a connection: its own address is allowed, and requests through a connection for requests get its headers. */
function httpOf({ http }: Deps, kind: RequestKind, used: UsedConnection, by: Asker): ConnectionHttp {
  const settings = kind.settings.parse(used.settings);
  const address = kind.address(settings);
  const near = `${address.hostname}:${address.port || (address.protocol === 'https:' ? 443 : 80)}`;
  if (kind.use === 'files') return (request, signal) => http.send(request, by, signal, near);
  const [headers, credentials] = [kind.headers(settings), kind.credentials(settings)];
  const own = Object.keys({ ...headers, ...credentials });
  return async ({ connection: _, onlyHosts, ...request }, signal) =>
    http.send(
      {
        ...request,
        url: addressBelow(address, request.url),
        headers: { ...headers, ...lowerCased(request.headers), ...credentials },
        secretHeaders: [...own, ...(request.secretHeaders ?? [])],
        ...(onlyHosts && { onlyHosts: { ...onlyHosts, hosts: [...onlyHosts.hosts, address.origin] } }),
      },
      by,
      signal,
      near,
    );
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

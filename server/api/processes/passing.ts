import { waitsLong } from '../../flows/service/is-durable.ts';
import { rmSync } from 'node:fs';
import { once } from 'node:events';
import type { ClientRequest, IncomingMessage, Server, ServerResponse } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { errorTable } from '#shared/errors.ts';
import type { Catalog } from '#shared/catalog.ts';
import { calledBy } from '../../flows/service/called-flows.ts';
import type { FlowService, LiveFlow } from '../../flows/service/flow-types.ts';
import type { TriggerRoute, TriggerTable } from '../../flows/service/trigger-table.ts';
import { StartError } from '../../base/errors/start-error.ts';
import { rawAnswer } from '../../access/http/client-error.ts';
import { errorBody } from '../../access/http/envelope.ts';
import type { OtherServers } from '../../access/peers/other-servers.ts';
import { request as httpRequest } from '../../base/process/node-http.ts';
import { endpointOf } from '../triggers/endpoint.ts';
import { triggerPrefix } from '../triggers/front-door.ts';
import type { FolderProcess } from './folder-process.ts';

/** Names the client of a request to the first process. It counts only on a socket that others cannot reach. */
const CLIENT = 'x-weft-passed-for';
/** Headers about one connection. `expect` is already answered when the body is read here. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
  'expect',
  CLIENT,
]);
const AWAY = 'first_process_away';

/**
 * The first step of a process of a data folder with each request.
 * PA1. A request that it does not answer itself is passed on to the first process whole, once, with its client's address, and is
 *      admitted, counted and answered as if it had arrived there.
 * PA2. It answers only requests that need memory and rows: a call of a trigger that starts a run in memory and waits for its result, in
 *      the version that the first process serves; health and metrics; and requests of other processes.
 */
export interface Passing {
  /** True if the request is answered elsewhere. */
  takes(request: IncomingMessage, response: ServerResponse): boolean;
  takesUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
}

interface Deps {
  readonly triggers: Pick<TriggerTable, 'find'>;
  readonly flows: Pick<FlowService, 'live'>;
  readonly catalog: Catalog;
  readonly servers?: Pick<OtherServers, 'asks'> | undefined;
  readonly nodes: { isStale(): boolean };
}

export function createPassing(deps: Deps, process: FolderProcess): Passing {
  const { triggers, servers, nodes } = deps;
  if (process.isFirst) {
    const takes = (request: IncomingMessage): boolean => {
      noteClient(request);
      return false;
    };
    return { takes, takesUpgrade: takes };
  }
  const { socket } = process;
  const isCurrent = createCurrency(deps, process);
  const isOwn = (request: IncomingMessage): boolean => {
    const url = request.url as string;
    if (servers?.asks(request) === true) return true;
    if (!url.startsWith(`${triggerPrefix}/`)) return HERE.test(url);
    const route = routeOf(triggers, request, url);
    return route !== undefined && isAnswered(route) && isCurrent(route.flow) && !nodes.isStale();
  };
  return {
    takes(request, response) {
      if (isOwn(request)) return false;
      passOn(request, response, socket);
      return true;
    },
    takesUpgrade(request, near, head) {
      if (servers?.asks(request) === true) return false;
      passSocket(request, { near, head }, socket);
      return true;
    },
  };
}

/** Health, and the metrics of all processes. */
const HERE = /^\/(healthz|readyz|metrics)(\?|$)/;

/** The trigger to be answered here; undefined for a request that the first process has to answer, or to refuse. */
function routeOf(
  triggers: Deps['triggers'],
  { method = '', headers }: IncomingMessage,
  url: string,
): TriggerRoute | undefined {
  // Only the first process knows whether the key was used before.
  if (headers['idempotency-key'] !== undefined) return undefined;
  const end = url.indexOf('?');
  try {
    const path = url.slice(triggerPrefix.length, end === -1 ? url.length : end);
    return triggers.find(method, path)?.route;
  } catch {
    return undefined;
  }
}

/** Whether a flow, and all that it calls, are in the versions that the first process serves. */
function createCurrency(
  { flows, catalog }: Pick<Deps, 'flows' | 'catalog'>,
  { isCurrent }: Extract<FolderProcess, { readonly isFirst: false }>,
): (flow: LiveFlow) => boolean {
  const calls = new WeakMap<LiveFlow, readonly string[]>();
  const called = (flow: LiveFlow): readonly string[] => {
    const known = calls.get(flow) ?? calledBy(flow.flow, catalog);
    calls.set(flow, known);
    return known;
  };
  return (flow) => {
    if (!isCurrent(flow)) return false;
    const own = called(flow);
    if (own.length === 0) return true;
    const ids = new Set(own);
    for (const id of ids) {
      const one = flows.live(id);
      if (one === undefined || !isCurrent(one)) return false;
      for (const next of called(one)) ids.add(next);
    }
    return true;
  };
}

const answered = new WeakMap<TriggerRoute, boolean>();

/** Whether its calls only start a run in memory and wait for its result. */
function isAnswered(route: TriggerRoute): boolean {
  const known = answered.get(route);
  if (known !== undefined) return known;
  // A large flow is compiled soon.
  if (route.flow.toCompile !== undefined) return false;
  const found = isPlain(route);
  answered.set(route, found);
  return found;
}

function isPlain(route: TriggerRoute): boolean {
  try {
    const { immediately, durable, memory, credentialHeader, notify } = endpointOf(route);
    const { maxRuns, onFailure } = route.flow.flow.settings ?? {};
    const none = [memory, credentialHeader, notify, maxRuns, onFailure].every((one) => one === undefined);
    return none && !immediately && !durable && !waits(route);
  } catch {
    return false;
  }
}

/** Waits for people and the like end in the process that gets the editor's requests. */
function waits({ flow, node }: TriggerRoute): boolean {
  const plan = flow.compiled.plans.get(node);
  return plan !== undefined && waitsLong(plan);
}

function headersOf({ rawHeaders, socket }: IncomingMessage, isUpgrade = false): string[] {
  const kept: string[] = [CLIENT, `${socket.remoteAddress ?? ''} ${socket.localPort ?? ''}`];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    const lower = name.toLowerCase();
    if (lower !== CLIENT && (isUpgrade || !OF_CONNECTION.has(lower)))
      kept.push(name, rawHeaders[i + 1] as string);
  }
  return kept;
}

function passOn(request: IncomingMessage, response: ServerResponse, socketPath: string): void {
  const { method, url } = request;
  // A kept-alive connection may close at the moment of its next use, and no request can be repeated.
  const asked: ClientRequest = httpRequest({
    socketPath,
    method,
    path: url,
    headers: headersOf(request),
    agent: false,
    setDefaultHeaders: false,
  });
  asked.on('error', () => {
    request.unpipe(asked);
    if (response.headersSent) response.destroy();
    else refuse(response);
  });
  asked.once('response', (answer) => {
    const headers: string[] = [];
    const { rawHeaders } = answer;
    for (let i = 0; i < rawHeaders.length; i += 2) {
      const name = (rawHeaders[i] as string).toLowerCase();
      if (!OF_CONNECTION.has(name) && name !== 'transfer-encoding')
        headers.push(rawHeaders[i] as string, rawHeaders[i + 1] as string);
    }
    response.sendDate = false;
    response.writeHead(answer.statusCode as number, answer.statusMessage, headers);
    // An answer cut off by the death of the first process ends here too.
    answer.once('error', () => response.destroy());
    answer.pipe(response);
  });
  response.once('close', () => {
    if (!response.writableFinished) asked.destroy();
  });
  request.pipe(asked);
}

function refuse(response: ServerResponse): void {
  const { status, meaning } = errorTable[AWAY];
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'retry-after': '1' });
  response.end(JSON.stringify(errorBody(AWAY, meaning)));
}

/** Joins both ends without reading their bytes. */
function passSocket(
  request: IncomingMessage,
  { near, head }: { readonly near: Duplex; readonly head: Buffer },
  socketPath: string,
): void {
  const far = connect(socketPath);
  let isJoined = false;
  const end = (): void => {
    if (isJoined || near.destroyed) near.destroy();
    else near.end(rawAnswer(AWAY));
    far.destroy();
  };
  for (const one of [near, far]) {
    one.on('error', end);
    one.on('close', end);
  }
  (near as Socket).setTimeout?.(0);
  far.once('connect', () => {
    isJoined = true;
    const headers = headersOf(request, true);
    const lines = headers.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${headers[i + 1]}\r\n`] : []));
    far.write(`${request.method} ${request.url} HTTP/1.1\r\n${lines.join('')}\r\n`);
    if (head.length > 0) far.write(head);
    near.pipe(far);
    far.pipe(near);
  });
}

// ------------------------------------------------------------------------------------------------------ the first process

const PASSED: unique symbol = Symbol('passed on');
type MaybePassed = Socket & { [PASSED]?: true };

/** Accepts the requests of the other processes, at a socket in the data folder that only its owner reaches. */
export async function takePassedOn(http: Server, path: string): Promise<{ close(): void }> {
  const server = createServer({ allowHalfOpen: true }, (socket: MaybePassed) => {
    socket[PASSED] = true;
    http.emit('connection', socket);
  });
  // Left by a killed process; the lock proves that none is running.
  rmSync(path, { force: true });
  try {
    // Not through the supervisor, which would share the socket among all processes.
    server.listen({ path, exclusive: true });
    await once(server, 'listening');
  } catch (error) {
    throw new StartError(
      `Processes cannot meet at ${path} (${(error as NodeJS.ErrnoException).code}): set WEFT_DATA to a shorter path of a local disk, or leave WEFT_PROCESSES at 1.`,
    );
  }
  return { close: () => void server.close() };
}

/** A passed-on request comes from the client of the process that passed it on. */
function noteClient(request: IncomingMessage): void {
  const socket = request.socket as MaybePassed;
  if (socket[PASSED] !== true) return;
  const [address = '', port = ''] = String(request.headers[CLIENT] ?? '').split(' ');
  delete request.headers[CLIENT];
  Object.defineProperties(socket, {
    remoteAddress: { value: address || undefined, configurable: true },
    localPort: { value: port === '' ? undefined : Number(port), configurable: true },
  });
}

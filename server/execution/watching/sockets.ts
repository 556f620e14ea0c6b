import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import type { Host } from '#engine';
import type { FlowService } from '../../flows/service/flow-types.ts';
import type { FastifyBaseLogger } from 'fastify';
import { ServiceError } from '../../base/errors/errors.ts';
import { createFlushes } from './flushes.ts';
import { createFrames } from './frames.ts';
import { closeCodes, RunSocket, type SocketLimits, socketLimits } from './run-socket.ts';
import { openSource, type StreamSource, type StreamTarget } from './stream-source.ts';
import { LINK_PATH, readTarget, refuseUpgrade } from './upgrade.ts';
import type { FeedLink } from './feed-link.ts';
import type { FeedOfAll } from './feed-of-all.ts';
import type { RunReads } from '../history/run-reads.ts';
import type { OtherServer, OtherServers, PassedSocket } from '../../access/peers/other-servers.ts';
import type { Caller } from '../../access/security/access.ts';
import type { RunWatches } from './run-watches.ts';

/** Decides whether a caller may follow runs: it is admitted unless the result is (or it throws) an error. */
export type AuthorizeUpgrade = (request: IncomingMessage, scope: 'runs:read') => unknown;

/** The websockets of this server. */
export interface RunSockets {
  readonly clients: number;
  /** Closes all clients with a code that asks them to reconnect, and accepts no new ones. */
  close(): Promise<void>;
}

const PING_MS = 15_000;
const MAX_MESSAGE = 1024;
const MAX_CLIENTS = 10_000;
/** How long another server may take to let this one follow its runs, in milliseconds. */
const ANSWER_MS = 1000;

type SocketsContext = {
  readonly runs: RunReads & RunWatches;
  readonly host: Host;
  readonly log: FastifyBaseLogger;
} & {
  readonly flows: Pick<FlowService, 'revision' | 'watchFiles'>;
  /** The servers that may execute a run that this one does not. */
  readonly servers?: OtherServers | undefined;
};

/** The source of a client: runs of this server or of all, or another server. */
type Admission = Followed | { readonly at: OtherServer; readonly caller: Caller };

type Followed =
  | { readonly target: Exclude<StreamTarget, { kind: 'link' }>; readonly source: StreamSource }
  /** The client is another server. */
  | { readonly FeedLink: typeof FeedLink };

/**
 * Websockets at `/api/v1/runs/stream?after=&flow=&changes=` (all runs) and `/api/v1/runs/{id}/stream?after=`. Each
 * message is a JSON array of items: events and gaps of a run, feed items and gaps of all, changes of a flow. Handles
 * all upgrade requests of the server. A client whose key or session has ended is closed with the next ping, at most 15
 * seconds later.
 */
export function attachRunSockets(
  server: Pick<EventEmitter, 'on'>,
  ctx: SocketsContext,
  authorize: AuthorizeUpgrade,
  limits: SocketLimits = socketLimits,
): RunSockets {
  const wss = new WebSocketServer({ noServer: true, clientTracking: false, maxPayload: MAX_MESSAGE });
  const clients = new ClientSet(ctx, limits);

  const passed = new PassedSockets(ctx);
  const all = new SharedFeed(ctx);

  async function admit(request: IncomingMessage): Promise<Admission> {
    const target = readTarget(request.url ?? '');
    const caller = await authorize(request, 'runs:read');
    if (caller instanceof ServiceError) throw caller;
    if (clients.size + passed.size >= MAX_CLIENTS) throw new ServiceError('overloaded');
    if (target.kind === 'link') return admitServer(ctx, request);
    const at = target.kind === 'run' ? await otherServer(ctx, target.id, request) : undefined;
    if (at !== undefined) return { at, caller: caller as Caller };
    return { target, source: await sourceOf(ctx, all, target, request) };
  }

  async function isLet(request: IncomingMessage): Promise<boolean> {
    try {
      return !((await authorize(request, 'runs:read')) instanceof ServiceError);
    } catch {
      return false;
    }
  }

  async function open(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const admitted = await admit(request);
    if (clients.closing) throw new ServiceError('draining');
    if ('at' in admitted) return passed.add(admitted, { request, socket, head, isLet: () => isLet(request) });
    wss.handleUpgrade(request, socket, head, (ws) => clients.admit(ws, admitted, () => isLet(request)));
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Until the handshake is done there is no other listener, and an unhandled error ends the process.
    const ignore = () => {};
    socket.on('error', ignore);
    open(request, socket, head).then(
      () => void socket.off('error', ignore),
      (error: unknown) => refuse(ctx, socket, error),
    );
  }

  server.on('upgrade', upgrade);
  return {
    get clients() {
      return clients.size + passed.size;
    },
    close() {
      passed.close();
      all.close();
      return clients.close();
    },
  };
}

async function admitServer({ servers }: SocketsContext, request: IncomingMessage): Promise<Followed> {
  if (servers?.asks(request) === true) return import('./feed-link.ts');
  throw new ServiceError('not_found', 'There is no websocket at this address.');
}

/** A client that is another server gets only this server's runs: it has its own links to the others. */
async function sourceOf(
  { runs, servers }: SocketsContext,
  all: SharedFeed,
  target: Parameters<typeof openSource>[1],
  request: IncomingMessage,
): Promise<StreamSource> {
  const isOfAll = target.kind === 'feed' && servers?.asks(request) === false;
  return isOfAll ? all.source(servers, target.flow) : openSource(runs, target);
}

/** The server that executes a run, if it is another one. Throws `run_not_found`, `run_server_gone`. */
async function otherServer(
  { runs, servers }: SocketsContext,
  id: string,
  request: IncomingMessage,
): Promise<OtherServer | undefined> {
  const get = () => runs.get(id);
  const at = await servers?.serverOf(id, request, get);
  if (at === undefined && (await get()) === undefined) throw new ServiceError('run_not_found');
  return at;
}

function refuse({ log }: SocketsContext, socket: Duplex, error: unknown): void {
  if (!(error instanceof ServiceError)) log.error({ err: error }, 'a websocket could not be opened');
  refuseUpgrade(socket, error instanceof ServiceError ? error : new ServiceError('internal'));
}

/** The feed of all servers, opened for its first client. */
class SharedFeed {
  private readonly ctx: SocketsContext;
  private feed: Promise<FeedOfAll> | undefined;

  constructor(ctx: SocketsContext) {
    this.ctx = ctx;
  }

  async source(servers: OtherServers, flow: string | undefined): Promise<StreamSource> {
    this.feed ??= this.open(servers);
    return (await this.feed).source(flow);
  }

  close(): void {
    void this.feed?.then((feed) => feed.close());
  }

  private async open(servers: OtherServers): Promise<FeedOfAll> {
    const { runs, host, log } = this.ctx;
    const { FeedOfAll } = await import('./feed-of-all.ts');
    return new FeedOfAll({
      runs,
      host,
      self: servers,
      others: () => servers.others(),
      connect(server) {
        const { address, headers } = servers.socketTo(server, LINK_PATH);
        return new WebSocket(address, { headers, handshakeTimeout: ANSWER_MS, perMessageDeflate: false });
      },
      warn: (err, message) => log.warn({ err }, message),
    });
  }
}

/** Clients that are connected to another server. */
class PassedSockets {
  private readonly ctx: SocketsContext;
  /** Ends each. */
  private readonly ends = new Set<() => void>();
  private closing = false;

  constructor(ctx: SocketsContext) {
    this.ctx = ctx;
  }

  get size(): number {
    return this.ends.size;
  }

  /** Rejects like `OtherServers.passSocket`. */
  async add(
    { at, caller }: Extract<Admission, { at: unknown }>,
    asked: Omit<PassedSocket, 'caller' | 'closed'>,
  ): Promise<void> {
    let end = (): void => {};
    const closed = (): void => void this.ends.delete(end);
    end = (await this.ctx.servers?.passSocket(at, { ...asked, caller, closed })) ?? end;
    if (asked.socket.destroyed) return;
    this.ends.add(end);
    if (this.closing) end();
  }

  close(): void {
    this.closing = true;
    for (const end of this.ends) end();
  }
}

/** All clients and what they share: the clock of their messages and pings. */
class ClientSet {
  closing = false;
  private readonly ctx: SocketsContext;
  private readonly limits: SocketLimits;
  private readonly frames = createFrames();
  private readonly sockets = new Map<RunSocket | FeedLink, () => Promise<boolean>>();
  private readonly flushes: ReturnType<typeof createFlushes>;
  private callOffPing: (() => void) | undefined;
  private onEmpty: (() => void) | undefined;

  constructor(ctx: ClientSet['ctx'], limits: SocketLimits) {
    this.ctx = ctx;
    this.limits = limits;
    this.flushes = createFlushes(ctx.host);
  }

  get size(): number {
    return this.sockets.size;
  }

  /** `isLet` checks whether the client would still be admitted. */
  admit(ws: WebSocket, followed: Followed, isLet: () => Promise<boolean>): void {
    if ('FeedLink' in followed) {
      const { runs } = this.ctx;
      const link = new followed.FeedLink(ws, { ...this.deps(), runs, forget: this.flushes.forget });
      this.hold(ws, link, isLet);
      return;
    }
    const { target, source } = followed;
    const socket = new RunSocket(ws, source, target.after, { ...this.deps(), frames: this.frames });
    this.hold(ws, socket, isLet);
    if (target.kind === 'feed' && target.changes && target.flow !== undefined)
      ws.on('close', this.sendChanges(socket, target.flow));
    socket.follow();
  }

  private deps() {
    const { ctx, limits, flushes } = this;
    const failed = (err: unknown): void => ctx.log.error({ err }, 'a websocket could not follow its run');
    return { host: ctx.host, limits, wake: flushes.wake, failed };
  }

  private hold(ws: WebSocket, socket: RunSocket | FeedLink, isLet: () => Promise<boolean>): void {
    this.sockets.set(socket, isLet);
    ws.on('pong', () => socket.pong());
    ws.on('message', (data: Buffer) => socket.answer(data.toString()));
    // Broken frames and resets end in `close`; there is nothing else to do about them.
    ws.on('error', (error) => this.ctx.log.debug({ err: error }, 'a websocket failed'));
    ws.on('close', () => this.remove(socket));
    this.callOffPing ??= this.ctx.host.timer(PING_MS, () => this.pingAll());
  }

  /** Sends the revision once at first, for earlier changes, then with every change. */
  private sendChanges(socket: RunSocket, flow: string): () => void {
    const { flows } = this.ctx;
    let sent: string | undefined;
    const send = (): void => {
      sent = flows.revision(flow);
      socket.notify(JSON.stringify({ kind: 'flow-changed', flow, revision: sent ?? null }));
    };
    send();
    return flows.watchFiles((layoutOf) => {
      if (layoutOf === flow || flows.revision(flow) !== sent) send();
    });
  }

  close(): Promise<void> {
    this.closing = true;
    this.callOffPing?.();
    if (this.size === 0) return Promise.resolve();
    for (const socket of this.sockets.keys()) socket.close(closeCodes.restart, 'service restart');
    return new Promise((resolve) => {
      this.onEmpty = resolve;
    });
  }

  private remove(socket: RunSocket | FeedLink): void {
    socket.stop();
    this.sockets.delete(socket);
    if (socket instanceof RunSocket) this.flushes.forget(socket);
    if (this.size > 0) return;
    this.callOffPing?.();
    this.callOffPing = undefined;
    this.onEmpty?.();
  }

  private pingAll(): void {
    this.callOffPing = this.ctx.host.timer(PING_MS, () => this.pingAll());
    for (const [socket, isLet] of this.sockets) {
      socket.ping();
      void isLet().then((isStill) => {
        if (!isStill) socket.close(closeCodes.refused, 'the key or session has ended');
      });
    }
  }
}

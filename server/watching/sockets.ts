import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Host } from '#engine';
import type { FlowService } from '../flows/flow-types.ts';
import type { FastifyBaseLogger } from 'fastify';
import { ServiceError } from '../errors/errors.ts';
import { createFlushes } from './flushes.ts';
import { createFrames } from './frames.ts';
import { closeCodes, RunSocket, type SocketLimits, socketLimits } from './run-socket.ts';
import { openSource, type StreamSource } from './stream-source.ts';
import { readTarget, refuseUpgrade, type StreamTarget } from './upgrade.ts';
import type { RunReads } from '../history/run-reads.ts';
import type { OtherServer, OtherServers, PassedSocket } from '../peers/other-servers.ts';
import type { Caller } from '../security/access.ts';
import type { RunWatches } from './run-watches.ts';

/** Decides who may follow runs: a caller is admitted unless the result is (or it throws) an error. */
export type AuthorizeUpgrade = (request: IncomingMessage, scope: 'runs:read') => unknown;

export interface RunSockets {
  readonly clients: number;
  /** Closes all clients with a code that tells them to reconnect, and accepts no new ones. */
  close(): Promise<void>;
}

const PING_MS = 15_000;
const MAX_MESSAGE = 1024;
const MAX_CLIENTS = 10_000;

type SocketsContext = {
  readonly runs: RunReads & RunWatches;
  readonly host: Host;
  readonly log: FastifyBaseLogger;
} & {
  readonly flows: Pick<FlowService, 'revision' | 'watchFiles'>;
  /** Those that may execute a run that this one does not. */
  readonly servers?: Pick<OtherServers, 'serverOf' | 'passSocket'> | undefined;
};

/** What a client is connected with: runs of this server, or another server. */
type Admission =
  | { readonly target: StreamTarget; readonly source: StreamSource }
  | { readonly at: OtherServer; readonly caller: Caller };

/**
 * Websockets at `/api/v1/runs/stream?after=&flow=&changes=` (all runs) and `/api/v1/runs/{id}/stream?after=`. Each
 * message is a JSON array of items: events and gaps of a run, feed items and gaps of all, changes of a flow. Handles
 * all upgrade requests of the server. A client whose key or session has ended since is closed with the next ping, at
 * most 15 seconds later.
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

  async function admit(request: IncomingMessage): Promise<Admission> {
    const target = readTarget(request.url ?? '');
    const caller = await authorize(request, 'runs:read');
    if (caller instanceof ServiceError) throw caller;
    if (clients.size + passed.size >= MAX_CLIENTS) throw new ServiceError('overloaded');
    const at = target.kind === 'run' ? await otherServer(ctx, target.id, request) : undefined;
    if (at !== undefined) return { at, caller: caller as Caller };
    return { target, source: openSource(ctx.runs, target) };
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
    const { target, source } = admitted;
    wss.handleUpgrade(request, socket, head, (ws) =>
      clients.add(ws, source, {
        after: target.after,
        changesOf: target.kind === 'feed' && target.changes ? target.flow : undefined,
        isLet: () => isLet(request),
      }),
    );
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Until the handshake is done nobody else listens, and an unhandled error ends the process.
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
      return clients.close();
    },
  };
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

/** Clients that are connected with another server. */
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

interface Client {
  readonly after: number | undefined;
  /** The flow whose changes it gets. */
  readonly changesOf: string | undefined;
  /** Whether the client would still be admitted. */
  isLet(): Promise<boolean>;
}

/** All clients with what they share: the clock of their messages and pings. */
class ClientSet {
  closing = false;
  private readonly ctx: SocketsContext;
  private readonly limits: SocketLimits;
  private readonly frames = createFrames();
  private readonly sockets = new Map<RunSocket, Client>();
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

  add(ws: WebSocket, source: StreamSource, client: Client): void {
    const { frames, limits } = this;
    const socket = new RunSocket(ws, source, client.after, {
      host: this.ctx.host,
      limits,
      frames,
      wake: this.flushes.wake,
      failed: (error) => this.ctx.log.error({ err: error }, 'a websocket could not follow its run'),
    });
    this.sockets.set(socket, client);
    // Broken frames and resets end in `close`; there is nothing else to do about them.
    ws.on('error', (error) => this.ctx.log.debug({ err: error }, 'a websocket failed'));
    const unwatch = client.changesOf === undefined ? undefined : this.tellChanges(socket, client.changesOf);
    ws.on('close', () => {
      unwatch?.();
      this.remove(socket);
    });
    this.callOffPing ??= this.ctx.host.timer(PING_MS, () => this.pingAll());
    socket.follow();
  }

  /** Once at first, for earlier changes; then with every change. */
  private tellChanges(socket: RunSocket, flow: string): () => void {
    const { flows } = this.ctx;
    let told: string | undefined;
    const tell = (): void => {
      told = flows.revision(flow);
      socket.tell(JSON.stringify({ kind: 'flow-changed', flow, revision: told ?? null }));
    };
    tell();
    return flows.watchFiles((layoutOf) => {
      if (layoutOf === flow || flows.revision(flow) !== told) tell();
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

  private remove(socket: RunSocket): void {
    socket.stop();
    this.sockets.delete(socket);
    this.flushes.forget(socket);
    if (this.size > 0) return;
    this.callOffPing?.();
    this.callOffPing = undefined;
    this.onEmpty?.();
  }

  private pingAll(): void {
    this.callOffPing = this.ctx.host.timer(PING_MS, () => this.pingAll());
    for (const [socket, client] of this.sockets) {
      socket.ping();
      void client.isLet().then((isLet) => {
        if (!isLet) socket.close(closeCodes.refused, 'the key or session has ended');
      });
    }
  }
}

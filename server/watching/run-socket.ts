import type { WebSocket } from 'ws';
import type { Host } from '#engine';
import type { StreamItem, StreamSource } from './stream-source.ts';

/** Codes that a client gets when its socket is closed. */
export const closeCodes = { over: 1000, refused: 1008, restart: 1012, tooSlow: 4008 } as const;

export interface SocketLimits {
  /** Items that wait for one client. */
  readonly items: number;
  /** Characters of items that wait for one client, and bytes that its socket may hold. */
  readonly bytes: number;
  /** How long a full client may take nothing before it is closed. */
  readonly stallMs: number;
}

export const socketLimits: SocketLimits = { items: 1000, bytes: 1024 * 1024, stallMs: 10_000 };

/** How long a client may take to read the rest and to close: one that keeps up, and one that does not. */
const CLOSE_MS = 30_000;
const CUT_MS = 1000;

export interface SocketDeps {
  readonly host: Host;
  readonly limits: SocketLimits;
  readonly frames: (items: string[]) => Buffer[];
  /** Asks for a `flush` soon. */
  readonly wake: (socket: RunSocket) => void;
  /** Told when the source failed; the client is asked to come back. */
  readonly failed: (error: unknown) => void;
}

/**
 * One websocket client.
 * RS1. What waits for a client is bounded. When it is full the client leaves the source, and joins it again at its position
 *     when there is room; so a slow client lives, and a gap is told where its past is gone by then.
 * RS2. A full client that takes nothing for `stallMs` is closed, with the position to resume from as the reason.
 * RS3. Items go out in order of position, each once.
 */
export class RunSocket {
  private readonly ws: WebSocket;
  private readonly source: StreamSource;
  private readonly deps: SocketDeps;
  /** Position of the last item that was queued, and of the last that was sent. */
  private queuedTo: number | undefined;
  private sentTo: number | undefined;
  private queue: string[] = [];
  private queuedLength = 0;
  private following = false;
  private joining = false;
  private over = false;
  private closed = false;
  private leave: (() => void) | undefined;
  private callOffStall: (() => void) | undefined;
  private missedPongs = 0;

  constructor(ws: WebSocket, source: StreamSource, after: number | undefined, deps: SocketDeps) {
    this.ws = ws;
    this.source = source;
    this.deps = deps;
    this.queuedTo = after;
    this.sentTo = after;
    ws.on('pong', () => {
      this.missedPongs = 0;
    });
    ws.on('message', (data: Buffer) => this.answer(data.toString()));
  }

  /** Joins the source where this client stands. */
  follow(): void {
    this.joining = true;
    this.following = true;
    this.join()
      .catch((error: unknown) => {
        this.deps.failed(error);
        this.close(closeCodes.restart, 'failed; resume');
      })
      .finally(() => {
        this.joining = false;
        this.deps.wake(this);
      });
  }

  private async join(): Promise<void> {
    const leave = await this.source.follow(this.queuedTo, this.take);
    // A client whose run is gone, or that has everything of an ended run, has nothing to wait for.
    if (leave === undefined || (await this.source.isOver())) this.over ||= this.following;
    if (this.closed || !this.following) leave?.();
    else this.leave = leave;
  }

  /** Sends what waits, as far as the socket takes it. */
  flush(): void {
    if (this.closed) return;
    if (this.queue.length > 0 && this.hasRoom()) this.send();
    const waits = this.queue.length > 0;
    if (this.over && !waits) this.close(closeCodes.over, 'the run is over');
    else if (waits || (!this.following && !this.hasRoom())) this.watchStall();
    else if (!this.following && !this.joining) this.follow();
  }

  /** Sends something that has no position. Left out for a client that is behind, so nobody may count on it alone. */
  tell(json: string): void {
    if (!this.closed && this.hasRoom()) this.ws.send(`[${json}]`);
  }

  /** Drops a client that did not answer the last two. */
  ping(): void {
    if (this.missedPongs++ >= 2) this.ws.terminate();
    else this.ws.ping();
  }

  close(code: number, reason: string): void {
    if (this.closed) return;
    this.stop();
    this.ws.close(code, reason);
    const ms = code === closeCodes.over ? CLOSE_MS : CUT_MS;
    const callOff = this.deps.host.timer(ms, () => this.ws.terminate());
    this.ws.once('close', callOff);
  }

  /** Lets go of everything; called when the connection is gone, too. */
  stop(): void {
    this.closed = true;
    this.leave?.();
    this.callOffStall?.();
    this.queue = [];
  }

  private readonly take = (item: StreamItem, json: string): unknown => {
    const { items, bytes } = this.deps.limits;
    if (this.closed || this.queue.length >= items || this.queuedLength >= bytes) {
      this.following = false;
      return false;
    }
    this.queuedLength += json.length;
    this.queuedTo = this.source.position(item);
    this.over ||= this.source.isLast(item);
    // Where something waited before, it was woken then, or is when its socket has room.
    if (this.queue.push(json) === 1) this.deps.wake(this);
    return true;
  };

  private hasRoom(): boolean {
    return this.ws.bufferedAmount < this.deps.limits.bytes;
  }

  private send(): void {
    const items = this.queue;
    this.queue = [];
    this.queuedLength = 0;
    this.sentTo = this.queuedTo;
    for (const frame of this.deps.frames(items)) this.ws.send(frame, { binary: false }, this.sent);
  }

  private readonly sent = (error?: Error | null): void => {
    if (error) return;
    this.callOffStall?.();
    this.callOffStall = undefined;
    if (!this.closed && (this.queue.length > 0 || !this.following)) this.deps.wake(this);
  };

  private watchStall(): void {
    this.callOffStall ??= this.deps.host.timer(this.deps.limits.stallMs, () =>
      this.close(closeCodes.tooSlow, `too slow; resume with after=${this.sentTo ?? ''}`),
    );
  }

  private answer(message: string): void {
    if (message !== 'ping' && message !== '{"type":"ping"}') return;
    this.tell('{"kind":"pong"}');
  }
}

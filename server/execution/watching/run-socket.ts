import type { WebSocket } from 'ws';
import type { Host } from '#engine';
import type { Position, StreamItem, StreamSource } from './stream-source.ts';

/** Close codes of a client's socket. */
export const closeCodes = { over: 1000, refused: 1008, restart: 1012, tooSlow: 4008 } as const;

/** Limits of what waits for a client; beyond them it is told of a gap. */
export interface SocketLimits {
  /** The most items that wait for one client. */
  readonly items: number;
  /** The most characters of items that wait for one client, and bytes that its socket may hold. */
  readonly bytes: number;
  /** How long a full client may accept nothing before it is closed, in milliseconds. */
  readonly stallMs: number;
}

export const socketLimits: SocketLimits = { items: 1000, bytes: 1024 * 1024, stallMs: 10_000 };

/**
 * How long a client may take to read the rest and to close, in milliseconds: one that keeps up, and one that does not.
 */
const CLOSE_MS = 30_000;
const CUT_MS = 1000;
/** The bytes that fit into a closing frame. */
const MAX_REASON = 123;

export interface SocketDeps {
  readonly host: Host;
  readonly limits: SocketLimits;
  readonly frames: (items: string[]) => Buffer[];
  /** Asks for a `flush` soon. */
  readonly wake: (socket: RunSocket) => void;
  /** Called when the source failed; the client is asked to reconnect. */
  readonly failed: (error: unknown) => void;
}

/**
 * One websocket client.
 * RS1. The queue of a client is bounded. When it is full, the client leaves the source, and joins it again at its
 *      position when there is room; so a slow client survives, and gets a gap if its past is gone by then.
 * RS2. A full client that accepts nothing for `stallMs` is closed, with the position to resume from as the reason.
 * RS3. Items are sent in order of position, each once.
 */
export class RunSocket {
  private readonly ws: WebSocket;
  private readonly source: StreamSource;
  private readonly deps: SocketDeps;
  /** Position of the last queued item, and of the last sent one. */
  private queuedTo: Position | undefined;
  private sentTo: Position | undefined;
  private queue: string[] = [];
  private queuedLength = 0;
  private following = false;
  private joining = false;
  private over = false;
  private closed = false;
  private leave: (() => void) | undefined;
  private callOffStall: (() => void) | undefined;
  private missedPongs = 0;

  constructor(ws: WebSocket, source: StreamSource, after: Position | undefined, deps: SocketDeps) {
    this.ws = ws;
    this.source = source;
    this.deps = deps;
    this.queuedTo = after;
    this.sentTo = after;
  }

  pong(): void {
    this.missedPongs = 0;
  }

  answer(message: string): void {
    if (message !== 'ping' && message !== '{"type":"ping"}') return;
    this.notify('{"kind":"pong"}');
  }

  /** Joins the source at this client's position. */
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
    // A client whose run is deleted, or that has everything of an ended run, has nothing to wait for.
    if (leave === undefined || (await this.source.isOver())) this.over ||= this.following;
    if (this.closed || !this.following) leave?.();
    else this.leave = leave;
  }

  /** Sends waiting items, as far as the socket accepts them. */
  flush(): void {
    if (this.closed) return;
    if (this.queue.length > 0 && this.hasRoom()) this.send();
    const waits = this.queue.length > 0;
    if (this.over && !waits) this.close(closeCodes.over, 'the run is over');
    else if (waits || (!this.following && !this.hasRoom())) this.watchStall();
    else if (!this.following && !this.joining) this.follow();
  }

  /**
   * Sends a message without a position. Skipped for a client that is behind, so it must not be the only source of a
   * fact.
   */
  notify(json: string): void {
    if (!this.closed && this.hasRoom()) this.ws.send(`[${json}]`);
  }

  /** Drops a client that did not answer the last two pings. */
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

  /** Releases everything; also called when the connection is gone. */
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
    // An earlier item has already woken the socket, or its socket will when it has room.
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
    this.callOffStall ??= this.deps.host.timer(this.deps.limits.stallMs, () => {
      const reason = `too slow; resume with after=${this.sentTo ?? ''}`;
      this.close(closeCodes.tooSlow, reason.length > MAX_REASON ? 'too slow; resume' : reason);
    });
  }
}

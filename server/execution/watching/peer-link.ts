import type { Host } from '#engine';
import type { OtherServer } from '../../access/peers/other-servers.ts';

/** The part of a websocket that is used. */
export interface LinkSocket {
  on(event: 'open' | 'close' | 'pong', fn: () => void): unknown;
  on(event: 'error', fn: (error: Error) => void): unknown;
  on(event: 'message', fn: (data: { toString(): string }) => void): unknown;
  send(text: string): void;
  ping(): void;
  terminate(): void;
}

interface Deps {
  readonly host: Pick<Host, 'timer'>;
  connect(server: OtherServer): LinkSocket;
  /** Called when the state has changed. */
  changed(link: PeerLink): void;
}

type Lines = (lines: readonly string[]) => void;

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2000;
/** The interval of pings, in milliseconds. A server that does not answer two of them counts as lost. */
const PING_MS = 3000;

/** The one websocket to another server, over which its feed is followed in channels; `FeedLink` is the other end. */
export class PeerLink {
  readonly server: OtherServer;
  /** Only an open link has channels. */
  state: 'opening' | 'open' | 'lost' = 'opening';
  private readonly deps: Deps;
  private readonly channels = new Map<number, Lines>();
  private socket: LinkSocket | undefined;
  private lastChannel = 0;
  private tries = 0;
  private missedPongs = 0;
  private callOff = (): void => {};

  constructor(server: OtherServer, deps: Deps) {
    this.server = server;
    this.deps = deps;
    this.connect();
  }

  /** Follows a flow, or all flows, after a position, or from now on; `fn` gets the lines of `FeedLink`. */
  open(flow: string | undefined, after: number | undefined, fn: Lines): number {
    const channel = ++this.lastChannel;
    this.channels.set(channel, fn);
    this.socket?.send(JSON.stringify({ open: channel, flow, after }));
    return channel;
  }

  /** Asks for the newest position of the server, which comes as a line of the channel. */
  askWhere(channel: number): void {
    this.socket?.send(JSON.stringify({ where: channel }));
  }

  end(channel: number): void {
    if (this.channels.delete(channel)) this.socket?.send(JSON.stringify({ close: channel }));
  }

  close(): void {
    this.drop();
    this.state = 'lost';
  }

  private connect(): void {
    let socket: LinkSocket;
    try {
      socket = this.deps.connect(this.server);
    } catch {
      this.lose();
      return;
    }
    this.socket = socket;
    const own =
      <A extends unknown[]>(fn: (...args: A) => void) =>
      (...args: A): void => {
        if (socket === this.socket) fn(...args);
      };
    socket.on(
      'open',
      own(() => this.opened()),
    );
    socket.on(
      'pong',
      own(() => (this.missedPongs = 0)),
    );
    socket.on(
      'message',
      own((data: { toString(): string }) => this.receive(data.toString())),
    );
    // The socket is closed after an error.
    socket.on('error', () => {});
    socket.on(
      'close',
      own(() => this.lose()),
    );
  }

  private opened(): void {
    this.tries = 0;
    this.missedPongs = 0;
    this.state = 'open';
    this.ping();
    this.deps.changed(this);
  }

  private ping(): void {
    if (this.missedPongs++ >= 2) {
      this.lose();
      return;
    }
    this.socket?.ping();
    this.callOff = this.deps.host.timer(PING_MS, () => this.ping());
  }

  private lose(): void {
    this.drop();
    this.state = 'lost';
    const ms = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.tries++);
    this.callOff = this.deps.host.timer(ms, () => this.connect());
    this.deps.changed(this);
  }

  private drop(): void {
    this.callOff();
    this.channels.clear();
    const { socket } = this;
    this.socket = undefined;
    socket?.terminate();
  }

  private receive(text: string): void {
    this.missedPongs = 0;
    const [channel, ...lines] = text.split('\n');
    this.channels.get(Number(channel))?.(lines);
  }
}

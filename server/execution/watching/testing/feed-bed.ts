import { EventEmitter } from 'node:events';
import type { WebSocket } from 'ws';
import type { RunEvent } from '#shared/run-event.ts';
import type { RunReads } from '../../history/run-reads.ts';
import { createHandHost, type HandHost } from '../../runs/testing/hand-host.ts';
import { Feed } from '../feed.ts';
import { FeedLink } from '../feed-link.ts';
import { FeedOfAll } from '../feed-of-all.ts';
import { createFlushes } from '../flushes.ts';
import type { LinkSocket } from '../peer-link.ts';
import type { RunWatches } from '../run-watches.ts';

const LIMITS = { items: 40, bytes: 100_000, lingerMs: 30_000 };
/** The queue of a link: small, so that it is sometimes full. */
const QUEUE = { items: 5, bytes: 100_000, stallMs: 10_000 };

/** One end of a connection between two servers; the test delivers its messages. */
export class Wire extends EventEmitter {
  other!: Wire;
  /** Messages on their way to this end. */
  inbox: (() => void)[] = [];
  isOver = false;

  get bufferedAmount(): number {
    return this.other.inbox.length;
  }

  send(data: unknown, ...more: unknown[]): void {
    const sent = more.find((one): one is () => void => typeof one === 'function');
    this.other.inbox.push(() => {
      this.other.emit('message', String(data));
      sent?.();
    });
  }

  ping(): void {
    this.other.inbox.push(() => this.inbox.push(() => this.emit('pong')));
  }

  terminate(): void {
    for (const end of [this, this.other]) {
      if (end.isOver) continue;
      end.isOver = true;
      end.inbox = [() => end.emit('close')];
    }
  }

  close(): void {
    this.terminate();
  }
}

export interface Emitted {
  readonly n: number;
  readonly flow: string;
  /** Its cursor; for an unwatched item, half a step after the previous one. */
  readonly position: number;
}

export class FakeServer {
  readonly tag: string;
  readonly name: string;
  readonly url = 'http://here';
  readonly feed: Feed;
  readonly all: FeedOfAll;
  readonly emitted: Emitted[] = [];
  readonly links = new Map<FeedLink, Wire>();
  isAlive = true;
  private readonly runs: RunReads & RunWatches;
  private readonly host: HandHost;
  private readonly flushes: ReturnType<typeof createFlushes>;

  constructor(number: number, net: FakeNet) {
    this.tag = String(number).padStart(10, '0');
    this.name = `server/${number}`;
    const { host } = net;
    this.host = host;
    this.flushes = createFlushes(host);
    this.feed = new Feed(host, () => {}, LIMITS);
    const runs: RunWatches = {
      watch: async () => undefined,
      feedAt: () => this.feed.head,
      watchAll: (after, flow, fn) => this.feed.watch(after, flow, fn),
    };
    this.runs = runs as RunReads & RunWatches;
    this.all = new FeedOfAll({
      runs,
      host,
      self: this,
      others: async () => net.servers.filter((one) => one.isAlive && one !== this),
      connect: (to) => net.connect(this, to as FakeServer),
      warn: (err) => {
        throw err;
      },
    });
  }

  emit(flow: string): void {
    const n = this.emitted.length + 1;
    const { feed } = this;
    const isWanted = feed.wants(flow);
    const event = { kind: 'log', n, flow, of: this.tag } as unknown as RunEvent;
    if (isWanted) feed.add(flow, event, JSON.stringify(event));
    this.emitted.push({ n, flow, position: isWanted ? feed.head : feed.head + 0.5 });
    feed.deliver();
  }

  accept(wire: Wire): void {
    const link = new FeedLink(wire as unknown as WebSocket, {
      runs: this.runs,
      host: this.host,
      limits: QUEUE,
      wake: this.flushes.wake,
      forget: this.flushes.forget,
      failed: (error) => {
        throw error;
      },
    });
    this.links.set(link, wire);
    wire.on('message', (text: string) => link.answer(text));
    wire.on('close', () => {
      link.stop();
      this.links.delete(link);
    });
  }

  die(): void {
    this.isAlive = false;
    for (const wire of this.links.values()) wire.terminate();
    this.all.close();
  }
}

/** Servers on one database, and the messages between them. */
export class FakeNet {
  readonly host = createHandHost();
  readonly servers: FakeServer[] = [];
  readonly wires = new Set<Wire>();
  /** Names of servers that no other server reaches. */
  readonly cut = new Set<string>();

  start(): FakeServer {
    const server = new FakeServer(this.servers.length + 1, this);
    this.servers.push(server);
    return server;
  }

  alive(): FakeServer[] {
    return this.servers.filter(({ isAlive }) => isAlive);
  }

  connect(from: FakeServer, to: FakeServer): LinkSocket {
    const [near, far] = [new Wire(), new Wire()];
    near.other = far;
    far.other = near;
    const isReached = to.isAlive && !this.cut.has(to.name) && !this.cut.has(from.name);
    if (isReached) {
      near.inbox.push(() => near.emit('open'));
      to.accept(far);
    } else near.terminate();
    for (const wire of [near, far]) this.wires.add(wire);
    return near as unknown as LinkSocket;
  }

  /** Delivers one message at each end that `goes`. */
  step(goes: (index: number) => boolean = () => true): boolean {
    let moved = false;
    let index = 0;
    for (const wire of this.wires) {
      if (!goes(index++)) continue;
      const next = wire.inbox.shift();
      if (next === undefined) {
        if (wire.isOver) this.wires.delete(wire);
        continue;
      }
      moved = true;
      next();
    }
    return moved;
  }

  /** Delivers everything. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 3; ) {
      await new Promise((resolve) => setImmediate(resolve));
      this.host.advance(20);
      quiet = this.step() ? 0 : quiet + 1;
    }
  }

  /** Lets time pass while everything is delivered. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 500) {
      this.host.advance(500);
      await this.settle();
    }
  }
}

import type { Host } from '#engine';
import type { Gap } from '../history/follower.ts';
import type { OtherServer } from '../../access/peers/other-servers.ts';
import { type FeedCursor, FeedCursors } from './feed-cursor.ts';
import { SharedChannels, type Subscriber } from './feed-channels.ts';
import { type LinkSocket, PeerLink } from './peer-link.ts';
import type { RunWatches } from './run-watches.ts';
import type { Position, SharedItem, StreamSource } from './stream-source.ts';

export interface FeedOfAllDeps {
  readonly runs: Pick<RunWatches, 'watchAll' | 'feedAt'>;
  readonly host: Pick<Host, 'timer'>;
  /** This server. */
  readonly self: Pick<OtherServer, 'name' | 'tag'>;
  /** The other live servers. */
  others(): Promise<readonly OtherServer[]>;
  connect(server: OtherServer): LinkSocket;
  readonly warn: (err: unknown, message: string) => void;
}

type ItemFn = (item: SharedItem, json: string) => unknown;

/** The last list of servers that a client got; kept while it leaves and rejoins because it is slow. */
interface LastSent {
  servers: string | undefined;
}

interface Follower extends Subscriber {
  readonly fn: ItemFn;
  readonly lastSent: LastSent;
  cursor: FeedCursor;
  /** It wants no items from before it joined. */
  isNew: boolean;
  left: boolean;
  leaveOwn: () => void;
}

/** The interval at which the list of servers is read while there are clients, in milliseconds. */
const LOOK_MS = 2000;
/** How long links stay without clients, in milliseconds, because a slow client leaves and rejoins. */
const LINGER_MS = 5000;
/** The most servers that are gone but stay in a cursor, in case they come back. */
const GONE_IN_CURSOR = 4;

/**
 * The feed of the runs of all servers on one database.
 * FA1. The items of a server come in their order, each once, or a gap in their place; a client has a position in each
 *      server, and its cursor names all of them, so it can continue at any server.
 * FA2. Each server has one link, however many clients follow whatever flows, and none while there are no clients.
 * FA3. Nothing is stored here: a client that is behind is served from the ring of the server that has the items.
 * FA4. A client gets the names of the servers that its feed shows, and of those that live but are not shown at present.
 */
export class FeedOfAll {
  private readonly deps: FeedOfAllDeps;
  private readonly cursors = new FeedCursors();
  private readonly links = new Map<string, PeerLink>();
  private readonly channels: SharedChannels<Follower>;
  private readonly followers = new Set<Follower>();
  private awake = false;
  /** Whether the list of servers was read since the first client joined. */
  private known = false;
  private callOffLook = (): void => {};
  private callOffSleep = (): void => {};

  constructor(deps: FeedOfAllDeps) {
    this.deps = deps;
    this.channels = new SharedChannels({
      positionOf: ({ cursor }, tag) => cursor.positions.get(tag),
      begin: (follower, server, at) => this.begin(follower, server, at),
      item: (follower, { tag }, position, rest) => this.deliver(follower, tag, position, rest),
      gap: (follower, server, gap) => this.giveGap(follower, server, gap),
    });
  }

  source(flow: string | undefined): StreamSource {
    const lastSent: LastSent = { servers: undefined };
    return {
      follow: async (after, fn) => this.follow({ after, flow, fn, lastSent }),
      position: (item) => (item as SharedItem).cursor,
      isLast: () => false,
      isOver: async () => false,
    };
  }

  close(): void {
    this.followers.clear();
    this.sleep();
  }

  private follow(asked: {
    readonly after: Position | undefined;
    readonly flow: string | undefined;
    readonly fn: ItemFn;
    readonly lastSent: LastSent;
  }): () => void {
    const { after, ...rest } = asked;
    const cursor = typeof after === 'string' ? this.cursors.read(after) : this.cursorOf(after);
    const isNew = typeof after !== 'string' && asked.lastSent.servers === undefined;
    const channels: Follower['channels'] = new Map();
    const follower: Follower = { ...rest, cursor, isNew, channels, left: false, leaveOwn: () => {} };
    this.followers.add(follower);
    this.wake();
    this.followOwn(follower);
    for (const link of this.links.values()) if (!follower.left) this.channels.join(follower, link);
    this.giveServers(follower);
    return () => this.leave(follower);
  }

  /** A number is a cursor of this server. */
  private cursorOf(after: number | undefined): FeedCursor {
    return this.cursors.of(new Map(after === undefined ? [] : [[this.deps.self.tag, after]]));
  }

  private followOwn(follower: Follower): void {
    const { runs, self } = this.deps;
    if (!follower.cursor.positions.has(self.tag)) this.begin(follower, self, runs.feedAt());
    if (follower.left) return;
    const at = follower.cursor.positions.get(self.tag);
    follower.leaveOwn = runs.watchAll(at, follower.flow, (item, json) =>
      'kind' in item
        ? this.giveGap(follower, self, item)
        : this.deliver(follower, self.tag, item.cursor, json.slice(json.indexOf(',') + 1)),
    );
    if (follower.left) follower.leaveOwn();
  }

  /** Sets the client to the newest position of a server in which it had none. */
  private begin(follower: Follower, server: Pick<OtherServer, 'name' | 'tag'>, at: number): void {
    if (follower.isNew) follower.cursor = this.cursors.with(follower.cursor, server.tag, at);
    else this.giveGap(follower, server, { kind: 'gap', from: 1, to: at, reason: 'not-watched' });
    this.giveServers(follower);
  }

  private giveGap(follower: Follower, { name, tag }: Pick<OtherServer, 'name' | 'tag'>, gap: Gap): boolean {
    const { kind, ...rest } = gap;
    return this.deliver(follower, tag, gap.to, JSON.stringify({ kind, server: name, ...rest }).slice(1));
  }

  /** False if the client wants no more. */
  private deliver(follower: Follower, tag: string, position: number, rest: string): boolean {
    follower.cursor = this.cursors.with(follower.cursor, tag, position);
    return this.give(follower, rest);
  }

  private give(follower: Follower, rest: string): boolean {
    const { cursor, fn } = follower;
    if (fn({ cursor: cursor.text }, this.cursors.json(cursor, rest)) !== false) return true;
    this.leave(follower);
    return false;
  }

  private leave(follower: Follower): void {
    if (follower.left) return;
    follower.left = true;
    this.followers.delete(follower);
    follower.leaveOwn();
    this.channels.leave(follower);
    if (this.followers.size === 0 && this.awake)
      this.callOffSleep = this.deps.host.timer(LINGER_MS, () => this.sleep());
  }

  /** For FA4: first once it is known for each server whether it is shown, then with every change. */
  private giveServers(follower: Follower): void {
    const { lastSent, channels, cursor, left } = follower;
    if (!this.known || left) return;
    const shown = [this.deps.self.name];
    const missing: string[] = [];
    for (const { server, state } of this.links.values()) {
      if (state === 'lost') missing.push(server.name);
      else if (channels.has(server.tag) && cursor.positions.has(server.tag)) shown.push(server.name);
      else if (lastSent.servers === undefined) return;
    }
    const rest = JSON.stringify({ kind: 'servers', shown: shown.sort(), missing: missing.sort() }).slice(1);
    if (lastSent.servers === rest) return;
    follower.isNew = false;
    if (this.give(follower, rest)) lastSent.servers = rest;
  }

  private giveServersToAll(): void {
    for (const follower of this.followers) this.giveServers(follower);
  }

  private linkChanged(link: PeerLink): void {
    if (this.links.get(link.server.tag) !== link) return;
    if (link.state === 'open') for (const follower of this.followers) this.channels.join(follower, link);
    else this.channels.lose(link);
    this.giveServersToAll();
  }

  private wake(): void {
    this.callOffSleep();
    if (this.awake) return;
    this.awake = true;
    void this.look();
  }

  private sleep(): void {
    this.awake = false;
    this.known = false;
    this.callOffSleep();
    this.callOffLook();
    for (const link of this.links.values()) this.remove(link);
  }

  private async look(): Promise<void> {
    try {
      const others = await this.deps.others();
      if (this.awake) this.apply(others);
    } catch (err) {
      this.deps.warn(err, 'the servers whose runs are followed could not be listed; this is tried again');
    }
    if (!this.awake) return;
    this.known = true;
    this.giveServersToAll();
    this.callOffLook();
    this.callOffLook = this.deps.host.timer(LOOK_MS, () => void this.look());
  }

  private apply(others: readonly OtherServer[]): void {
    const at = new Map(others.map(({ tag, url }) => [tag, url]));
    for (const link of this.links.values())
      if (at.get(link.server.tag) !== link.server.url) this.remove(link);
    for (const server of others) if (!this.links.has(server.tag)) this.add(server);
    for (const follower of this.followers) this.forgetGone(follower);
  }

  private add(server: OtherServer): void {
    const { host } = this.deps;
    const changed = (link: PeerLink): void => this.linkChanged(link);
    const connect = (to: OtherServer): LinkSocket => this.deps.connect(to);
    this.links.set(server.tag, new PeerLink(server, { host, connect, changed }));
  }

  private remove(link: PeerLink): void {
    this.links.delete(link.server.tag);
    this.channels.lose(link);
    link.close();
  }

  private forgetGone(follower: Follower): void {
    const { positions } = follower.cursor;
    const gone = [...positions.keys()].filter((tag) => tag !== this.deps.self.tag && !this.links.has(tag));
    if (gone.length <= GONE_IN_CURSOR) return;
    const old = new Set(gone.slice(0, -GONE_IN_CURSOR));
    follower.cursor = this.cursors.of(new Map([...positions].filter(([tag]) => !old.has(tag))));
  }
}

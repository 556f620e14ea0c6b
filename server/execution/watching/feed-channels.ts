import type { Gap } from '../history/follower.ts';
import type { OtherServer } from '../../access/peers/other-servers.ts';
import type { PeerLink } from './peer-link.ts';

/** A client of the feed of all servers that follows other servers. */
export interface Subscriber {
  readonly flow: string | undefined;
  /** By the tag of the server. */
  readonly channels: Map<string, SharedChannel<never>>;
}

interface SharedChannel<R> {
  readonly link: PeerLink;
  readonly flow: string | undefined;
  readonly subscribers: Set<R>;
  channel: number;
  /** The position of the last item; undefined until the first one is known. */
  to: number | undefined;
}

interface Deps<R> {
  /** The position of a client in the feed of the server with this tag; undefined if it has none yet. */
  positionOf(subscriber: R, tag: string): number | undefined;
  /** Sets the position of a client that has none. */
  begin(subscriber: R, server: OtherServer, at: number): void;
  item(subscriber: R, server: OtherServer, position: number, rest: string): void;
  gap(subscriber: R, server: OtherServer, gap: Gap): void;
}

/**
 * The channels to other servers and the clients that follow them. Clients at the same position share a channel of a
 * link, and two channels that reach the same position become one. So clients share new items, and one that is behind
 * has a channel of its own until it has caught up.
 */
export class SharedChannels<R extends Subscriber> {
  private readonly deps: Deps<R>;
  /** In the order in which they were opened. */
  private readonly channels = new Set<SharedChannel<R>>();

  constructor(deps: Deps<R>) {
    this.deps = deps;
  }

  /** Does nothing if the link is not open. */
  join(subscriber: R, link: PeerLink): void {
    const { tag } = link.server;
    if (link.state !== 'open' || subscriber.channels.has(tag)) return;
    const position = this.deps.positionOf(subscriber, tag);
    const known = this.like(link, subscriber.flow, (to) => position === undefined || to === position);
    // Items that come meanwhile are older than the requested position.
    if (known !== undefined && position === undefined) link.askWhere(known.channel);
    const shared = known ?? this.open(link, subscriber.flow, position);
    shared.subscribers.add(subscriber);
    subscriber.channels.set(tag, shared as SharedChannel<never>);
  }

  leave(subscriber: R): void {
    for (const shared of subscriber.channels.values() as Iterable<unknown> as Iterable<SharedChannel<R>>) {
      shared.subscribers.delete(subscriber);
      if (shared.subscribers.size === 0) this.end(shared);
    }
    subscriber.channels.clear();
  }

  /** The link is lost, and its channels with it. */
  lose(link: PeerLink): void {
    for (const shared of this.channels) {
      if (shared.link !== link) continue;
      this.channels.delete(shared);
      for (const subscriber of shared.subscribers) subscriber.channels.delete(link.server.tag);
    }
  }

  private open(link: PeerLink, flow: string | undefined, after: number | undefined): SharedChannel<R> {
    const shared: SharedChannel<R> = { link, flow, subscribers: new Set(), channel: 0, to: after };
    shared.channel = link.open(flow, after, (lines) => this.receive(shared, lines));
    this.channels.add(shared);
    return shared;
  }

  private end(shared: SharedChannel<R>): void {
    if (this.channels.delete(shared)) shared.link.end(shared.channel);
  }

  private like(
    link: PeerLink,
    flow: string | undefined,
    isAt: (to: number | undefined) => boolean,
  ): SharedChannel<R> | undefined {
    for (const shared of this.channels)
      if (shared.link === link && shared.flow === flow && isAt(shared.to)) return shared;
    return undefined;
  }

  private receive(shared: SharedChannel<R>, lines: readonly string[]): void {
    for (const line of lines) {
      if (line.startsWith('{"at":')) this.begin(shared, Number(line.slice(6, -1)));
      else if (line.startsWith('{"cursor":')) this.item(shared, line);
      else this.gap(shared, JSON.parse(line) as Gap);
    }
    this.merge(shared);
  }

  private begin(shared: SharedChannel<R>, at: number): void {
    const { server } = shared.link;
    shared.to ??= at;
    for (const subscriber of shared.subscribers)
      if (this.deps.positionOf(subscriber, server.tag) === undefined) this.deps.begin(subscriber, server, at);
  }

  private item(shared: SharedChannel<R>, line: string): void {
    const { server } = shared.link;
    const comma = line.indexOf(',');
    const position = Number(line.slice('{"cursor":'.length, comma));
    const rest = line.slice(comma + 1);
    shared.to = position;
    for (const subscriber of shared.subscribers) {
      const seen = this.deps.positionOf(subscriber, server.tag);
      if (seen !== undefined && seen < position) this.deps.item(subscriber, server, position, rest);
    }
  }

  private gap(shared: SharedChannel<R>, gap: Gap): void {
    const { server } = shared.link;
    shared.to = gap.to;
    for (const subscriber of shared.subscribers) {
      const seen = this.deps.positionOf(subscriber, server.tag);
      // A cursor that the server never issued is set back.
      const isNews = seen !== undefined && (seen < gap.to || gap.reason === 'unknown-cursor');
      if (isNews) this.deps.gap(subscriber, server, gap);
    }
  }

  private merge(shared: SharedChannel<R>): void {
    const { link, flow, to, subscribers } = shared;
    if (!this.channels.has(shared) || to === undefined) return;
    const other = [...this.channels].find(
      (one) => one !== shared && one.link === link && one.flow === flow && one.to === to,
    );
    if (other === undefined) return;
    for (const subscriber of subscribers) {
      other.subscribers.add(subscriber);
      subscriber.channels.set(link.server.tag, other as SharedChannel<never>);
    }
    subscribers.clear();
    this.end(shared);
  }
}

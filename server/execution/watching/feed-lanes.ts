import type { Gap } from '../history/follower.ts';
import type { OtherServer } from '../../access/peers/other-servers.ts';
import type { PeerLink } from './peer-link.ts';

/** A client of the feed of all servers, as far as it follows others. */
export interface Rider {
  readonly flow: string | undefined;
  /** By the tag of the server. */
  readonly lanes: Map<string, Lane<never>>;
}

interface Lane<R> {
  readonly link: PeerLink;
  readonly flow: string | undefined;
  readonly riders: Set<R>;
  channel: number;
  /** Position of the last item that came; undefined while it is not known from where on they come. */
  to: number | undefined;
}

interface Deps<R> {
  /** The position of a client in the feed of the server with this tag; undefined if it has none yet. */
  positionOf(rider: R, tag: string): number | undefined;
  /** A client that has no position is at this one. */
  begin(rider: R, server: OtherServer, at: number): void;
  item(rider: R, server: OtherServer, position: number, rest: string): void;
  gap(rider: R, server: OtherServer, gap: Gap): void;
}

/**
 * What is followed of other servers, and for whom. A lane is a channel of a link, with the clients that are at its position; two
 * lanes that come to the same position become one. So clients share what comes now, and one that is behind has a lane of its own
 * until it has caught up.
 */
export class Lanes<R extends Rider> {
  private readonly deps: Deps<R>;
  /** In the order in which they were opened. */
  private readonly lanes = new Set<Lane<R>>();

  constructor(deps: Deps<R>) {
    this.deps = deps;
  }

  /** Nothing, if the link is not open. */
  join(rider: R, link: PeerLink): void {
    const { tag } = link.server;
    if (link.state !== 'open' || rider.lanes.has(tag)) return;
    const position = this.deps.positionOf(rider, tag);
    const known = this.like(link, rider.flow, (to) => position === undefined || to === position);
    // What comes meanwhile is older than the position that is asked for.
    if (known !== undefined && position === undefined) link.askWhere(known.channel);
    const lane = known ?? this.open(link, rider.flow, position);
    lane.riders.add(rider);
    rider.lanes.set(tag, lane as Lane<never>);
  }

  leave(rider: R): void {
    for (const lane of rider.lanes.values() as Iterable<unknown> as Iterable<Lane<R>>) {
      lane.riders.delete(rider);
      if (lane.riders.size === 0) this.end(lane);
    }
    rider.lanes.clear();
  }

  /** The link is lost, and its channels with it. */
  lose(link: PeerLink): void {
    for (const lane of this.lanes) {
      if (lane.link !== link) continue;
      this.lanes.delete(lane);
      for (const rider of lane.riders) rider.lanes.delete(link.server.tag);
    }
  }

  private open(link: PeerLink, flow: string | undefined, after: number | undefined): Lane<R> {
    const lane: Lane<R> = { link, flow, riders: new Set(), channel: 0, to: after };
    lane.channel = link.open(flow, after, (lines) => this.receive(lane, lines));
    this.lanes.add(lane);
    return lane;
  }

  private end(lane: Lane<R>): void {
    if (this.lanes.delete(lane)) lane.link.end(lane.channel);
  }

  private like(
    link: PeerLink,
    flow: string | undefined,
    isAt: (to: number | undefined) => boolean,
  ): Lane<R> | undefined {
    for (const lane of this.lanes) if (lane.link === link && lane.flow === flow && isAt(lane.to)) return lane;
    return undefined;
  }

  private receive(lane: Lane<R>, lines: readonly string[]): void {
    for (const line of lines) {
      if (line.startsWith('{"at":')) this.begin(lane, Number(line.slice(6, -1)));
      else if (line.startsWith('{"cursor":')) this.item(lane, line);
      else this.gap(lane, JSON.parse(line) as Gap);
    }
    this.merge(lane);
  }

  private begin(lane: Lane<R>, at: number): void {
    const { server } = lane.link;
    lane.to ??= at;
    for (const rider of lane.riders)
      if (this.deps.positionOf(rider, server.tag) === undefined) this.deps.begin(rider, server, at);
  }

  private item(lane: Lane<R>, line: string): void {
    const { server } = lane.link;
    const comma = line.indexOf(',');
    const position = Number(line.slice('{"cursor":'.length, comma));
    const rest = line.slice(comma + 1);
    lane.to = position;
    for (const rider of lane.riders) {
      const seen = this.deps.positionOf(rider, server.tag);
      if (seen !== undefined && seen < position) this.deps.item(rider, server, position, rest);
    }
  }

  private gap(lane: Lane<R>, gap: Gap): void {
    const { server } = lane.link;
    lane.to = gap.to;
    for (const rider of lane.riders) {
      const seen = this.deps.positionOf(rider, server.tag);
      // A cursor that the server never gave is set back.
      const isNews = seen !== undefined && (seen < gap.to || gap.reason === 'unknown-cursor');
      if (isNews) this.deps.gap(rider, server, gap);
    }
  }

  private merge(lane: Lane<R>): void {
    const { link, flow, to, riders } = lane;
    if (!this.lanes.has(lane) || to === undefined) return;
    const other = [...this.lanes].find(
      (one) => one !== lane && one.link === link && one.flow === flow && one.to === to,
    );
    if (other === undefined) return;
    for (const rider of riders) {
      other.riders.add(rider);
      rider.lanes.set(link.server.tag, other as Lane<never>);
    }
    riders.clear();
    this.end(lane);
  }
}

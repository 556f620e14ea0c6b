import { expect, test } from 'vitest';
import { fc } from '../../../tests/support/property.ts';
import { FakeNet, type FakeServer, type Emitted } from './testing/feed-bed.ts';

type Step =
  | { kind: 'emit'; server: number; flow: string; count: number }
  | { kind: 'connect'; client: number; server: number }
  | { kind: 'leave'; client: number }
  | { kind: 'fill'; client: number; room: number }
  | { kind: 'cut' | 'heal'; server: number }
  | { kind: 'break'; link: number }
  | { kind: 'kill' }
  | { kind: 'start' }
  | { kind: 'arrive'; seed: number }
  | { kind: 'advance'; ms: number };

const index = fc.nat({ max: 5 });
const one = <T extends object>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });
const step = fc.oneof(
  one(
    8,
    fc.record({
      kind: fc.constant('emit'),
      server: index,
      flow: fc.constantFrom('a', 'b'),
      count: fc.constantFrom(1, 1, 2, 12, 60),
    }),
  ),
  one(5, fc.record({ kind: fc.constant('connect'), client: index, server: index })),
  one(1, fc.record({ kind: fc.constant('leave'), client: index })),
  one(1, fc.record({ kind: fc.constant('fill'), client: index, room: fc.nat({ max: 10 }) })),
  one(1, fc.record({ kind: fc.constantFrom('cut', 'heal'), server: index })),
  one(2, fc.record({ kind: fc.constant('break'), link: index })),
  one(1, fc.record({ kind: fc.constantFrom('kill', 'start') })),
  one(6, fc.record({ kind: fc.constant('arrive'), seed: fc.nat() })),
  one(4, fc.record({ kind: fc.constant('advance'), ms: fc.constantFrom(16, 16, 500, 3000, 40_000) })),
) as fc.Arbitrary<Step>;

interface Seen {
  readonly cursor: string;
  readonly kind?: string;
  readonly event?: { readonly n: number; readonly flow: string; readonly of: string };
  readonly server?: string;
  readonly from?: number;
  readonly to?: number;
  readonly shown?: readonly string[];
  readonly missing?: readonly string[];
}

/** A client that reconnects with its last cursor, to any server. */
class Client {
  readonly flow: string | undefined;
  readonly seen: Seen[] = [];
  cursor: string | undefined;
  at: FakeServer | undefined;
  /** The number of items that it still accepts. */
  room = Number.POSITIVE_INFINITY;
  private leaveIt: (() => void) | undefined;
  private source: ReturnType<FakeServer['all']['source']> | undefined;

  constructor(flow: string | undefined) {
    this.flow = flow;
  }

  async connect(server: FakeServer): Promise<void> {
    this.leave();
    this.room = Number.POSITIVE_INFINITY;
    // A client that was only slow is the same client for the server.
    if (server !== this.at) this.source = server.all.source(this.flow);
    this.at = server;
    this.leaveIt = await this.source?.follow(this.cursor, (item, json) => {
      if (this.room-- <= 0) return false;
      const seen = JSON.parse(json) as Seen;
      expect(seen.cursor).toBe((item as { cursor: string }).cursor);
      this.seen.push(seen);
      this.cursor = seen.cursor;
      return true;
    });
  }

  leave(): void {
    this.leaveIt?.();
    this.leaveIt = undefined;
  }
}

const positionIn = (cursor: string | undefined, tag: string): number | undefined => {
  const part = cursor?.split('.').find((text) => text.startsWith(`${tag}-`));
  return part === undefined ? undefined : Number.parseInt(part.slice(tag.length + 1), 36);
};

/** FA1: the items that a client has received of a server. */
function judge(client: Client, server: FakeServer): void {
  const from = client.seen.map(({ cursor }) => positionIn(cursor, server.tag)).find((at) => at !== undefined);
  if (from === undefined) return;
  const seen = new Set<number>();
  const gaps: { from: number; to: number }[] = [];
  let last = 0;
  for (const item of client.seen) {
    if (item.kind === 'gap' && item.server === server.name)
      gaps.push({ from: item.from as number, to: item.to as number });
    if (item.event?.of !== server.tag) continue;
    const emitted = server.emitted[item.event.n - 1] as Emitted;
    expect([emitted.flow, emitted.position]).toEqual([item.event.flow, positionIn(item.cursor, server.tag)]);
    expect(client.flow ?? emitted.flow).toBe(emitted.flow);
    expect(emitted.n).toBeGreaterThan(last);
    last = emitted.n;
    seen.add(emitted.n);
  }
  const end = server.isAlive ? Number.POSITIVE_INFINITY : (positionIn(client.cursor, server.tag) ?? 0);
  for (const { n, flow, position } of server.emitted) {
    // An item that was not watched before any client came is behind no position.
    const isDue = Math.floor(position) > from && position <= end && (client.flow ?? flow) === flow;
    const isGap = gaps.some((gap) => gap.from <= position + 0.5 && position <= gap.to + 0.5);
    if (isDue && !seen.has(n) && !isGap)
      expect.fail(
        `${server.name} ${n} at ${position} of ${flow} was neither delivered nor reported as missed`,
      );
  }
}

async function play(net: FakeNet, clients: readonly Client[], script: readonly Step[]): Promise<void> {
  const serverAt = (i: number): FakeServer => net.alive()[i % net.alive().length] as FakeServer;
  const clientAt = (i: number): Client => clients[i % clients.length] as Client;
  for (const one of script) {
    if (one.kind === 'emit') for (let i = 0; i < one.count; i++) serverAt(one.server).emit(one.flow);
    else if (one.kind === 'connect') await clientAt(one.client).connect(serverAt(one.server));
    else if (one.kind === 'leave') clientAt(one.client).leave();
    else if (one.kind === 'fill') clientAt(one.client).room = one.room;
    else if (one.kind === 'cut') net.cut.add(serverAt(one.server).name);
    else if (one.kind === 'heal') net.cut.delete(serverAt(one.server).name);
    else if (one.kind === 'break') [...net.wires][one.link]?.terminate();
    else if (one.kind === 'start' && net.alive().length < 4) net.start();
    else if (one.kind === 'kill' && net.alive().length > 2) net.alive()[0]?.die();
    else if (one.kind === 'arrive')
      for (let i = 0; i < 8; i++) net.step((wire) => ((one.seed >> (wire + i)) & 1) === 0);
    else if (one.kind === 'advance') net.host.advance(one.ms);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('FA1: each client gets the items of each server in order and once, or a gap in their place', async () => {
  let judged = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (script) => {
      const net = new FakeNet();
      for (let i = 0; i < 3; i++) net.start();
      const clients = [undefined, 'a', 'b', 'a'].map((flow) => new Client(flow));
      await play(net, clients, script);
      net.cut.clear();
      for (const [i, client] of clients.entries())
        await client.connect(client.at?.isAlive ? client.at : (net.alive()[i % 2] as FakeServer));
      await net.pass(4000);
      for (const server of net.alive()) for (const flow of ['a', 'b']) server.emit(flow);
      await net.settle();
      for (const client of clients) {
        for (const server of net.servers) judge(client, server);
        // FA4, and no client is stuck.
        const names = net.alive().map(({ name }) => name);
        const servers = client.seen.filter(({ kind }) => kind === 'servers').at(-1);
        expect(servers).toMatchObject({ shown: names, missing: [] });
        for (const { tag, emitted } of net.alive()) {
          const mine = emitted.filter(({ flow }) => (client.flow ?? flow) === flow).at(-1);
          expect(positionIn(client.cursor, tag)).toBe(mine?.position);
        }
        judged += client.seen.filter(({ event }) => event !== undefined).length;
      }
      // FA2
      for (const server of net.alive()) expect(server.links.size).toBeLessThanOrEqual(net.alive().length - 1);
      for (const client of clients) client.leave();
      await net.pass(6000);
      expect(net.alive().map(({ links }) => links.size)).toEqual(net.alive().map(() => 0));
      expect(net.wires.size).toBe(0);
      for (const server of net.servers) server.all.close();
    }),
    { numRuns: 150 },
  );
  expect(judged).toBeGreaterThan(1000);
});

import { fc } from '../../../tests/support/property.ts';
import { expect, test } from 'vitest';
import type { RunEvent } from '#shared/run-event.ts';
import type { FeedItem } from '../watching/feed-ring.ts';
import type { Gap } from '../history/follower.ts';
import { UNKNOWN_END } from '../history/follower.ts';
import type { FakeRun } from './testing/fake-run.ts';
import { createHubBed, type HubBed } from './testing/hub-bed.ts';

/** Events in any order: runs that do things, and clients that come, go and come back. */
type Step =
  | { kind: 'start'; flow: string; record: 'default' | 'full' | 'summary' }
  | { kind: 'output'; run: number }
  | { kind: 'finish'; run: number }
  | { kind: 'connect'; client: number }
  | { kind: 'disconnect'; client: number }
  | { kind: 'settle' }
  | { kind: 'advance'; ms: number };

const index = fc.nat({ max: 3 });
const flow = fc.constantFrom('a', 'b');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('start' as const),
    flow,
    record: fc.constantFrom('default', 'full', 'summary'),
  }),
  fc.record({ kind: fc.constant('output' as const), run: index }),
  fc.record({ kind: fc.constant('finish' as const), run: index }),
  fc.record({ kind: fc.constant('connect' as const), client: index }),
  fc.record({ kind: fc.constant('connect' as const), client: index }),
  fc.record({ kind: fc.constant('disconnect' as const), client: index }),
  fc.record({ kind: fc.constant('settle' as const) }),
  fc.record({ kind: fc.constant('advance' as const), ms: fc.constantFrom(1, 100, 20_000, 40_000) }),
) as fc.Arbitrary<Step>;
const steps = fc.array(step, { minLength: 10, maxLength: 80 });

interface Client {
  connect(): Promise<void>;
  disconnect(): void;
}

async function play(
  bed: HubBed,
  script: readonly Step[],
  clientOf: (i: number) => Client | undefined,
): Promise<void> {
  const act = (i: number, fn: (run: FakeRun) => void) => {
    const run = bed.runs[i % Math.max(1, bed.runs.length)];
    if (run !== undefined && run.outcome === undefined) fn(run);
  };
  for (const event of script) {
    if (event.kind === 'start') bed.start(event.flow, { record: event.record });
    else if (event.kind === 'output') act(event.run, (run) => run.output(run.emitted.length));
    else if (event.kind === 'finish') act(event.run, (run) => run.finish());
    else if (event.kind === 'connect') await clientOf(event.client)?.connect();
    else if (event.kind === 'disconnect') clientOf(event.client)?.disconnect();
    else if (event.kind === 'settle') bed.host.settle();
    else bed.host.advance(event.ms);
  }
}

/** Follows one run; after each disconnect it continues where it was. */
function createRunClient(bed: HubBed, run: FakeRun) {
  const items: (RunEvent | Gap)[] = [];
  let after = 0;
  let leave: (() => void) | undefined;
  const disconnect = () => {
    leave?.();
    leave = undefined;
  };
  return {
    run,
    items,
    disconnect,
    async connect() {
      disconnect();
      leave = await bed.hub.watch(run.id, after, (item) => {
        items.push(item);
        after = 'seq' in item ? item.seq : item.to;
      });
    },
  };
}

test('every follower of a run sees its events without holes or repeats, whatever happens in between', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const bed = createHubBed();
      const clients = new Map<number, ReturnType<typeof createRunClient>>();
      const clientOf = (i: number) => {
        const run = bed.runs[i % Math.max(1, bed.runs.length)];
        if (run !== undefined && !clients.has(i)) clients.set(i, createRunClient(bed, run));
        return clients.get(i);
      };
      await play(bed, script, clientOf);
      for (const client of clients.values()) await client.connect();
      bed.host.settle();

      for (const { run, items } of clients.values()) {
        let next = 1;
        for (const item of items) {
          if ('seq' in item) expect(item).toEqual(run.emitted[next - 1]);
          else expect(item).toMatchObject({ from: next, to: UNKNOWN_END, reason: 'not-recorded' });
          next = 'seq' in item ? next + 1 : item.to;
        }
        const gap = items.some((item) => item.kind === 'gap');
        if (gap) expect(run.outcome).toBeDefined();
        else expect(next).toBe(run.emitted.length + 1);
      }
    }),
    { numRuns: 300 },
  );
});

/** Follows all runs, or those of one flow. */
function createFeedClient(bed: HubBed, only: string | undefined) {
  const items: (FeedItem | Gap)[] = [];
  let after: number | undefined;
  let leave: (() => void) | undefined;
  const disconnect = () => {
    leave?.();
    leave = undefined;
  };
  return {
    only,
    items,
    /** Runs that had ended before this client first came. */
    before: new Set<string>(),
    disconnect,
    async connect() {
      disconnect();
      if (after === undefined)
        this.before = new Set(bed.runs.filter((run) => run.outcome).map((run) => run.id));
      leave = bed.hub.watchAll(after, only, (item) => {
        items.push(item);
        after = 'cursor' in item ? item.cursor : item.to;
      });
      // A client gets its position with the connection, even if nothing happens for a while.
      if (after === undefined) bed.start(only ?? 'a', { record: 'default' });
      bed.host.settle();
    },
  };
}

test('every follower of all runs gets growing cursors, and the end of each run or a gap in its place', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const bed = createHubBed();
      const clients = new Map<number, ReturnType<typeof createFeedClient>>();
      const clientOf = (i: number) => {
        const known = clients.get(i) ?? createFeedClient(bed, [undefined, 'a', 'b'][i % 3]);
        clients.set(i, known);
        return known;
      };
      await play(bed, script, clientOf);
      for (const client of clients.values()) await client.connect();
      for (const run of bed.runs) if (!run.outcome) run.finish();
      bed.host.settle();

      for (const client of clients.values()) {
        let cursor = 0;
        for (const item of client.items) {
          expect('cursor' in item ? item.cursor : item.from).toBeGreaterThan(cursor);
          cursor = 'cursor' in item ? item.cursor : item.to;
        }
        const events = client.items.flatMap((item) => ('cursor' in item ? [item.event] : []));
        const ends = events.flatMap((event) => (event.kind === 'run-summary' ? [event.summary.run] : []));
        expect(new Set(ends).size).toBe(ends.length);
        if (client.items.some((item) => !('cursor' in item))) continue;
        const due = bed.runs.filter(
          (run) => (!client.only || run.flow === client.only) && !client.before.has(run.id),
        );
        expect(ends.toSorted()).toEqual(due.map((run) => run.id).toSorted());
      }
    }),
    { numRuns: 300 },
  );
});

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Flow, FlowNode } from '#shared/flow.ts';
import type { LiveFlow } from '../context.ts';
import {
  createWorld,
  durableFlow,
  effectNode,
  type OpenEngine,
  type Process,
  until,
  waitNode,
  type World,
} from './testing/durable-bed.ts';

/** What durable runs promise, whatever engine is behind the port. */
export function durableContract(name: string, open: OpenEngine): void {
  describe(`durable runs over ${name}`, () => {
    let world: World;
    let process: Process;

    beforeEach(async () => {
      world = await createWorld(open);
      process = await world.boot();
    });
    afterEach(() => world.remove());

    async function restart(): Promise<void> {
      await process.kill();
      process = await world.boot();
    }

    async function start(flow: LiveFlow, output: unknown = 1, key?: string): Promise<string> {
      const request = { flow, trigger: 't', request: {}, output, source: 'manual' as const };
      return (await process.durable.start(request, { key })).run;
    }

    const parked = (run: string) => until(async () => (await process.durable.get(run))?.status === 'waiting');
    const row = (id: string, nodes: Record<string, FlowNode>, settings = {}): LiveFlow => {
      const names = ['t', ...Object.keys(nodes)];
      const edges = names.slice(1).map((to, i) => `${names[i]} > ${to}`);
      return world.flow(durableFlow(id, nodes, edges, settings));
    };

    test('a run ends with its answer, which is there after a restart too', async () => {
      const run = await start(row('f', { a: effectNode(), b: effectNode() }), { x: [1] });
      const end = await process.durable.ended(run);
      expect(end).toMatchObject({
        status: 'ok',
        answer: { status: 200, body: { x: [1] } },
        flow: 'f',
        passes: 1,
      });
      await restart();
      expect(await process.durable.ended(run)).toEqual(end);
      expect(world.carried).toEqual(['a', 'b']);
    });

    test('a second start with the same key gives the first run', async () => {
      const flow = row('f', { a: effectNode() });
      const first = await start(flow, 1, 'order 7');
      await process.durable.ended(first);
      expect(await start(flow, 1, 'order 7')).toBe(first);
      await restart();
      expect(await start(flow, 2, 'order 7')).toBe(first);
      expect(world.carried).toEqual(['a']);
    });

    test('a crash repeats the step in flight, under the same idempotency key, and nothing else', async () => {
      const run = await start(row('f', { a: effectNode(), b: effectNode({ ms: 60 }), c: effectNode() }));
      await until(() => world.carried.includes('b'));
      await restart();
      const end = await process.durable.ended(run);
      expect(end).toMatchObject({ status: 'ok', passes: 2 });
      expect(world.carried).toEqual(['a', 'b', 'b', 'c']);
      expect(new Set(world.keys.get('b'))).toEqual(new Set([`${run}:b`]));
    });

    test('steps side by side are recorded each by itself', async () => {
      const nodes = { a: effectNode(), b: effectNode({ ms: 20 }), c: effectNode({ ms: 150 }) };
      const join_ = { operator: 'core.merge' };
      const flow = world.flow(
        durableFlow('f', { ...nodes, m: join_ }, ['t > a', 't > b', 't > c', 'a > m', 'b > m', 'c > m']),
      );
      const run = await start(flow);
      await until(async () => world.carried.length === 3);
      await new Promise((resolve) => setTimeout(resolve, 60));
      await restart();
      expect((await process.durable.ended(run)).status).toBe('ok');
      expect(world.carried.slice(3)).toEqual(['c']);
    });

    test('a failed attempt is recorded, and tried again by the interpreter', async () => {
      const retry = { attempts: 3, backoffMs: 1, factor: 1, jitter: 0 };
      const flow = row('f', { a: effectNode({ failures: 2 }, { retry }), b: effectNode({ ms: 40 }) });
      const run = await start(flow);
      await until(() => world.carried.includes('b'));
      await restart();
      expect(await process.durable.ended(run)).toMatchObject({ status: 'ok' });
      expect(world.carried).toEqual(['a', 'a', 'a', 'b', 'b']);
      expect(new Set(world.keys.get('a')).size).toBe(1);
    });

    test('a failure is the end of the run, with its error', async () => {
      const run = await start(row('f', { a: effectNode({ failures: 9 }) }));
      expect(await process.durable.ended(run)).toMatchObject({
        status: 'failed',
        error: { code: 'node_failed', node: 'a', message: 'not yet' },
      });
    });

    test('a time parks the run, and wakes it', async () => {
      const run = await start(row('f', { a: effectNode(), w: waitNode({ ms: 1200 }), b: effectNode() }));
      const view = await process.durable.settled(run);
      expect(view).toMatchObject({ status: 'waiting', waitingFor: [{ node: 'w', what: { kind: 'time' } }] });
      expect(process.hub.inFlight).toBe(0);
      expect(await process.durable.ended(run)).toMatchObject({ status: 'ok', passes: 2 });
      expect(world.carried).toEqual(['a', 'b']);
    });

    test('a time that came while nothing ran is seen to at the start', async () => {
      const run = await start(row('f', { a: effectNode(), w: waitNode({ ms: 1100 }), b: effectNode() }));
      await parked(run);
      await process.kill();
      await new Promise((resolve) => setTimeout(resolve, 1200));
      process = await world.boot();
      expect((await process.durable.ended(run)).status).toBe('ok');
      expect(world.carried).toEqual(['a', 'b']);
    });

    test('the time of a run goes on while it waits', async () => {
      const run = await start(
        row('f', { w: waitNode({ title: '?' }), b: effectNode() }, { timeoutMs: 1300 }),
      );
      expect(await process.durable.settled(run)).toMatchObject({ status: 'waiting' });
      expect(await process.durable.ended(run)).toMatchObject({
        status: 'failed',
        error: { code: 'run_timeout' },
      });
      expect(world.carried).toEqual([]);
    });

    describe('an answer', () => {
      const flow = () => row('f', { a: effectNode(), w: waitNode({ title: 'May it?' }), b: effectNode() });

      test('that comes during the wait wakes the run', async () => {
        const run = await start(flow());
        await parked(run);
        world.waits.decide(run, 'w', 'yes');
        expect(await process.durable.ended(run)).toMatchObject({ status: 'ok', answer: { body: 'yes' } });
        expect(world.carried).toEqual(['a', 'b']);
      });

      test('that comes before the wait is not lost', async () => {
        const early = row('f', { a: effectNode({ ms: 50 }), w: waitNode({ title: 'May it?' }) });
        const run = await start(early);
        await until(() => world.carried.includes('a'));
        world.waits.decide(run, 'w', 'early');
        expect(await process.durable.ended(run)).toMatchObject({ answer: { body: 'early' } });
      });

      test('that was stored when the process died is found at the start', async () => {
        const run = await start(flow());
        await parked(run);
        await process.kill();
        world.waits.decide(run, 'w', 'late');
        process = await world.boot();
        expect(await process.durable.ended(run)).toMatchObject({ answer: { body: 'late' } });
        expect(world.carried).toEqual(['a', 'b']);
      });

      test('that comes at any moment around the park is taken once', async () => {
        for (let i = 0; i < 10; i++) {
          const run = await start(flow());
          await new Promise((resolve) => setTimeout(resolve, i));
          world.waits.decide(run, 'w', i);
          expect(await process.durable.ended(run)).toMatchObject({ status: 'ok', answer: { body: i } });
        }
      });

      test('that nobody gives in time is none', async () => {
        const run = await start(row('f', { w: waitNode({ title: 'May it?', ms: 1100 }) }), 'in');
        expect(await process.durable.ended(run)).toMatchObject({ status: 'ok', answer: { body: 'in' } });
      });
    });

    test('a park waits for the branches that run, and repeats none of them', async () => {
      const nodes = { w: waitNode({ title: '?' }), s: effectNode({ ms: 80 }), m: { operator: 'core.merge' } };
      const run = await start(world.flow(durableFlow('f', nodes, ['t > w', 't > s', 'w > m', 's > m'])));
      await parked(run);
      world.waits.decide(run, 'w', 'yes');
      expect((await process.durable.ended(run)).status).toBe('ok');
      expect(world.carried).toEqual(['s']);
    });

    test('a run that waits is cancelled, and its waits are closed', async () => {
      const run = await start(row('f', { a: effectNode(), w: waitNode({ title: '?' }), b: effectNode() }));
      await parked(run);
      expect(world.waits.open_.size).toBe(1);
      expect(await process.durable.cancel(run, 'ann')).toBe(true);
      expect(await process.durable.ended(run)).toMatchObject({ status: 'cancelled', cancelledBy: 'ann' });
      await until(() => world.waits.open_.size === 0);
      expect(await process.durable.cancel(run, 'bob')).toBe(false);
      expect(world.carried).toEqual(['a']);
    });

    test('a run in a step is cancelled, also when the process dies before it has ended', async () => {
      const run = await start(row('f', { a: effectNode({ ms: 5000 }), b: effectNode() }));
      await until(() => world.carried.includes('a'));
      expect(await process.durable.cancel(run, 'ann')).toBe(true);
      expect((await process.durable.ended(run)).status).toBe('cancelled');
      const other = await start(row('g', { a: effectNode({ ms: 5000 }), b: effectNode() }));
      await until(() => world.carried.length === 2);
      expect(await process.durable.cancel(other, 'ann')).toBe(true);
      await restart();
      expect((await process.durable.ended(other)).status).toBe('cancelled');
      expect(world.carried).toEqual(['a', 'a']);
    });

    test('a shutdown leaves runs where they are', async () => {
      const run = await start(row('f', { a: effectNode(), b: effectNode({ ms: 80 }), c: effectNode() }));
      await until(() => world.carried.includes('b'));
      await process.stop();
      process = await world.boot();
      expect((await process.durable.ended(run)).status).toBe('ok');
      expect(world.carried).toEqual(['a', 'b', 'c']);
    });

    test('an edit does not touch a run that goes on', async () => {
      const nodes = (give: string) => ({ a: effectNode({ ms: 60 }), b: effectNode({ give }) });
      const run = await start(row('f', nodes('old')));
      await until(() => world.carried.includes('a'));
      row('f', nodes('a newer one'));
      await restart();
      expect(await process.durable.ended(run)).toMatchObject({ answer: { body: 'old' } });
    });

    test('a failed run is tried again from its failed step', async () => {
      const run = await start(row('f', { a: effectNode(), b: effectNode({ failures: 1 }), c: effectNode() }));
      expect((await process.durable.ended(run)).status).toBe('failed');
      const { run: again } = await process.durable.retry(run);
      expect(await process.durable.ended(again)).toMatchObject({ status: 'ok', retryOf: run });
      expect(world.carried).toEqual(['a', 'b', 'b', 'c']);
      expect(new Set(world.keys.get('b')).size).toBe(1);
      await expect(process.durable.retry(again)).rejects.toMatchObject({ code: 'run_not_retryable' });
      await expect(process.durable.retry('nobody')).rejects.toMatchObject({ code: 'run_not_found' });
    });

    test('tried again on the live version it keeps what did not change', async () => {
      const nodes = (b: FlowNode) => ({ a: effectNode(), b, c: effectNode() });
      const run = await start(row('f', nodes(effectNode({ failures: 9 }))));
      await process.durable.ended(run);
      row('f', nodes(effectNode({ give: 'mended' })));
      const { run: again } = await process.durable.retry(run, { version: 'live' });
      expect(await process.durable.ended(again)).toMatchObject({ status: 'ok', answer: { body: 'mended' } });
      expect(world.carried).toEqual(['a', 'b', 'b', 'c']);
    });

    test('a large result is kept whole', async () => {
      const give = 'x'.repeat(300_000);
      const run = await start(row('f', { a: effectNode({ give }), w: waitNode({ title: '?' }) }));
      await parked(run);
      await restart();
      world.waits.decide(run, 'w', undefined);
      expect((await process.durable.ended(run)).answer?.body).toBe(give);
      expect(world.carried).toEqual(['a']);
    });

    test('a secret is nowhere on the disk in clear', async () => {
      const secret = 'hunter2-and-more';
      world.redactor.add(secret);
      const run = await start(row('f', { a: effectNode(), w: waitNode({ title: '?' }) }), { token: secret });
      await parked(run);
      await restart();
      world.waits.decide(run, 'w', undefined);
      expect((await process.durable.ended(run)).answer?.body).toEqual({ token: secret });
      expect(filesBelow(world.folder).filter((file) => readFileSync(file).includes(secret))).toEqual([]);
    });

    test('a stream that looks at the outside is recorded as a whole', async () => {
      const nodes = {
        s: { operator: 'test.items', params: { list: [1, 2, 3] } },
        u: { operator: 'core.unstreamify' },
        w: waitNode({ title: '?' }),
      };
      const run = await start(row('f', nodes));
      await parked(run);
      await restart();
      world.waits.decide(run, 'w', undefined);
      expect((await process.durable.ended(run)).answer?.body).toEqual([1, 2, 3]);
      expect(world.carried).toEqual(['s']);
    });

    test('too many steps are refused before anything is carried out', async () => {
      const nodes = Object.fromEntries(Array.from({ length: 901 }, (_, i) => [`n${i}`, effectNode()]));
      await expect(start(row('f', nodes))).rejects.toMatchObject({ code: 'durable_too_large' });
    });

    test('every end is told, also when the process died before', async () => {
      const run = await start(row('f', { a: effectNode({ ms: 30 }) }));
      await until(() => world.carried.length === 1);
      await restart();
      await until(() => world.ended.some((end) => end.run === run));
      expect(world.ended.filter((end) => end.run === run)[0]).toMatchObject({ status: 'ok' });
    });

    test('watchers see one sequence of events over parks and restarts', async () => {
      const run = await start(row('f', { a: effectNode(), w: waitNode({ title: '?' }), b: effectNode() }));
      await parked(run);
      const seen: { seq: number; kind: string }[] = [];
      await process.hub.watch(run, 0, (event) => void ('seq' in event && seen.push(event)));
      expect(await process.hub.get(run)).toMatchObject({ status: 'waiting' });
      world.waits.decide(run, 'w', 'yes');
      await process.durable.ended(run);
      await until(() => seen.at(-1)?.kind === 'run-finished');
      expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, i) => i + 1));
      expect(seen.filter(({ kind }) => kind === 'run-started')).toHaveLength(1);
      expect(seen.filter(({ kind }) => kind === 'node-waiting')).toHaveLength(1);
      const kept = await process.hub.events(run, 0);
      expect(kept).toEqual(seen);
      expect(await process.hub.get(run)).toMatchObject({ status: 'ok', recorded: true });
    });

    test('any graph gives the same over crashes as without, and no finished step is repeated', async () => {
      await fc.assert(
        fc.asyncProperty(graphs, fc.array(fc.nat(30), { maxLength: 3 }), async (flow, crashes) => {
          const live = world.flow(flow);
          const calm = await process.durable.ended(await start(live));
          world.carried.length = 0;
          const run = await start(live);
          for (const ms of crashes) {
            await new Promise((resolve) => setTimeout(resolve, ms));
            await restart();
          }
          const end = await process.durable.ended(run);
          expect({ status: end.status, answer: end.answer }).toEqual({
            status: calm.status,
            answer: calm.answer,
          });
          const most = Math.max(0, ...countsOf(world.carried));
          expect(most).toBeLessThanOrEqual(1 + crashes.length);
        }),
        { numRuns: 12 },
      );
    }, 60_000);
  });
}

/** Graphs of effects with random times; each node hangs on one or two before it. */
const graphs: fc.Arbitrary<Flow> = fc
  .array(fc.record({ ms: fc.nat(12), on: fc.array(fc.nat(), { minLength: 1, maxLength: 2 }) }), {
    minLength: 2,
    maxLength: 7,
  })
  .map((list) => {
    const nodes: Record<string, FlowNode> = { end: { operator: 'core.merge' } };
    const edges: string[] = [];
    list.forEach(({ ms, on }, i) => {
      nodes[`m${i}`] = { operator: 'core.merge' };
      nodes[`n${i}`] = effectNode({ ms, give: `{{ [input, ${i}] }}` });
      const sources = new Set(on.map((at) => (i === 0 ? 't' : `n${at % i}`)));
      for (const source of sources) edges.push(`${source} > m${i}`);
      edges.push(`m${i} > n${i}`, `n${i} > end`);
    });
    return durableFlow('graph', nodes, edges);
  });

function countsOf(list: readonly string[]): number[] {
  const counts = new Map<string, number>();
  for (const item of list) counts.set(item, (counts.get(item) ?? 0) + 1);
  return [...counts.values()];
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((file) => statSync(file).isFile());
}

import { describe, expect, test } from 'vitest';
import type { RunEvent } from '#shared/run-event.ts';
import type { FeedItem } from '../watching/feed-ring.ts';
import type { Gap } from '../history/follower.ts';
import { createMemoryHistory } from '../history/memory-history.ts';
import { createHubBed, seqs } from './testing/hub-bed.ts';

describe('watching one run', () => {
  test('a watcher from the start sees every event once, in order, and as the same text', async () => {
    const { hub, host, start } = createHubBed();
    const run = start();
    const seen: unknown[] = [];
    await hub.watch(run.id, 0, (event, json) => {
      expect(JSON.parse(json)).toEqual(event);
      seen.push(event);
    });
    run.output(1);
    host.settle();
    run.output(2);
    run.finish();
    host.settle();
    expect(seen).toEqual(run.emitted);
  });

  test('a watcher who joins late gets the past first', async () => {
    const { hub, host, start } = createHubBed();
    const run = start();
    run.output(1);
    run.output(2);
    const seen: (RunEvent | Gap)[] = [];
    await hub.watch(run.id, 1, (event) => seen.push(event));
    expect(seqs(seen)).toEqual([2, 3]);
    run.output(3);
    host.settle();
    expect(seqs(seen)).toEqual([2, 3, 4]);
  });

  test('events that are queued when a watcher joins come to it once', async () => {
    const { hub, host, start } = createHubBed();
    const run = start('hello', { record: 'full' });
    run.output(1);
    const seen: (RunEvent | Gap)[] = [];
    await hub.watch(run.id, 0, (event) => seen.push(event));
    host.settle();
    expect(seqs(seen)).toEqual([1, 2]);
  });

  test('watchers who come back for the rest of a run that is over read its record once, all together', async () => {
    const history = createMemoryHistory();
    const { events } = history;
    let reads = 0;
    history.events = (run, after) => (reads++, events.call(history, run, after));
    const { hub, host, start } = createHubBed({ history });
    const run = start('hello', { record: 'full' });
    for (let i = 0; i < 500; i++) run.output(i);
    run.finish();
    host.settle();
    const watchers = Array.from({ length: 20 }, () => [] as (RunEvent | Gap)[]);
    for (let at = 0; at < run.emitted.length; at += 100) {
      const more = (seen: unknown[]) => (event: RunEvent | Gap) => seen.push(event) % 100 !== 0;
      await Promise.all(watchers.map((seen) => hub.watch(run.id, at, more(seen))));
    }
    for (const seen of watchers) expect(seen).toEqual(run.emitted);
    expect(reads).toBe(1);
  });

  test('however many watch, the engine has one observer', async () => {
    const { hub, start } = createHubBed();
    const run = start();
    let observers = 0;
    const { observe } = run;
    run.observe = (fn) => {
      observers++;
      return observe.call(run, fn);
    };
    for (let i = 0; i < 10; i++) await hub.watch(run.id, 0, () => {});
    await hub.events(run.id, 0);
    expect(observers).toBe(1);
  });

  test('a watcher that returns false, throws or leaves gets nothing more; the others do', async () => {
    const { hub, host, start } = createHubBed();
    const run = start();
    const counts = { ended: 0, threw: 0, left: 0, stays: 0 };
    await hub.watch(run.id, 1, () => ++counts.ended < 2);
    await hub.watch(run.id, 1, () => {
      counts.threw++;
      throw new Error('a bug');
    });
    const leave = await hub.watch(run.id, 1, () => void counts.left++);
    await hub.watch(run.id, 1, () => void counts.stays++);
    run.output(1);
    run.output(2);
    host.settle();
    leave?.();
    run.output(3);
    host.settle();
    expect(counts).toEqual({ ended: 2, threw: 1, left: 2, stays: 3 });
  });

  test('an ended run is given from the history, to the same numbers', async () => {
    const { hub, start } = createHubBed();
    const run = start('hello', { record: 'full' });
    run.output(1);
    run.finish();
    const seen: (RunEvent | Gap)[] = [];
    await hub.watch(run.id, 1, (event) => seen.push(event));
    expect(seen).toEqual(run.emitted.slice(1));
  });

  test('a watcher may read and watch from within', async () => {
    const { hub, host, start } = createHubBed();
    const run = start('hello', { record: 'full' });
    const outer: (RunEvent | Gap)[] = [];
    const inner: (RunEvent | Gap)[] = [];
    const done: Promise<unknown>[] = [];
    await hub.watch(run.id, 0, (event) => {
      outer.push(event);
      if (outer.length === 2)
        done.push(
          hub.watch(run.id, 0, (e) => inner.push(e)),
          hub.get(run.id),
        );
    });
    run.output(1);
    run.output(2);
    run.finish();
    host.settle();
    await Promise.all(done);
    expect(outer).toEqual(run.emitted);
    expect(inner).toEqual(run.emitted);
  });
});

describe('watching all runs', () => {
  type Item = FeedItem | Gap;
  const brief = (items: Item[]) =>
    items.map((item) => {
      if ('kind' in item) return `gap ${item.reason}`;
      return item.event.kind === 'run-summary' ? `end ${item.event.summary.flow}` : item.event.kind;
    });
  const cursor = (item: Item | undefined) =>
    item === undefined ? 0 : 'cursor' in item ? item.cursor : item.to;

  test('runs that start while someone watches are observed, their events and ends come with growing cursors', () => {
    const { hub, host, start } = createHubBed();
    const seen: Item[] = [];
    hub.watchAll(undefined, undefined, (item, json) => {
      expect(JSON.parse(json)).toEqual(item);
      seen.push(item);
    });
    const run = start();
    run.finish();
    host.settle();
    expect(brief(seen)).toEqual(['run-started', 'run-finished', 'end hello']);
    const cursors = seen.map(cursor);
    expect(cursors).toEqual([0, 1, 2].map((i) => (cursors[0] ?? 0) + i));
  });

  test('a watcher of one flow gets only that flow, and no other flow pays for it', () => {
    const { hub, host, start } = createHubBed();
    const seen: Item[] = [];
    hub.watchAll(undefined, 'a', (item) => seen.push(item));
    const [a, b] = [start('a'), start('b')];
    a.finish();
    b.finish();
    host.settle();
    expect(brief(seen)).toEqual(['run-started', 'run-finished', 'end a']);
    expect([a.options.observer === undefined, b.options.observer === undefined]).toEqual([false, true]);
  });

  test('a run that is in progress when someone starts watching is told from its beginning', () => {
    const { hub, host, start } = createHubBed();
    const run = start();
    run.output(1);
    const seen: Item[] = [];
    hub.watchAll(undefined, 'hello', (item) => seen.push(item));
    run.output(2);
    host.settle();
    expect(brief(seen)).toEqual(['run-started', 'node-output', 'node-output']);
  });

  test('runs of flows that are not recorded stay out of it', () => {
    const { hub, host, start } = createHubBed();
    const seen: Item[] = [];
    hub.watchAll(undefined, undefined, (item) => seen.push(item));
    start('hello', { record: 'off' }).finish();
    host.settle();
    expect(seen).toEqual([]);
  });

  test('without a watcher nothing is collected, and coming back with an old cursor is answered with a gap', () => {
    const { hub, host, start } = createHubBed();
    const first: Item[] = [];
    const leave = hub.watchAll(undefined, undefined, (item) => first.push(item));
    start().finish();
    host.settle();
    leave();
    host.advance(30_000);
    const missed = start();
    missed.finish();
    expect(missed.options.observer).toBeUndefined();
    host.settle();
    const second: Item[] = [];
    hub.watchAll(cursor(first.at(-1)), undefined, (item) => second.push(item));
    start().finish();
    host.settle();
    expect(brief(second)).toEqual(['gap not-watched', 'run-started', 'run-finished', 'end hello']);
  });

  test('coming back within half a minute misses nothing', () => {
    const { hub, host, start } = createHubBed();
    const first: Item[] = [];
    const leave = hub.watchAll(undefined, undefined, (item) => first.push(item));
    start().finish();
    host.settle();
    leave();
    host.advance(29_000);
    start('between').finish();
    host.settle();
    const second: Item[] = [];
    hub.watchAll(cursor(first.at(-1)), undefined, (item) => second.push(item));
    expect(brief(second)).toEqual(['run-started', 'run-finished', 'end between']);
    expect(cursor(second[0])).toBe(cursor(first.at(-1)) + 1);
  });

  test('more than the feed holds is announced as one gap', () => {
    const { hub, host, start } = createHubBed();
    const first: Item[] = [];
    hub.watchAll(undefined, undefined, (item) => first.push(item));
    const run = start();
    host.settle();
    for (let i = 0; i < 6000; i++) run.output(i);
    host.settle();
    const second: Item[] = [];
    hub.watchAll(cursor(first[0]), undefined, (item) => second.push(item));
    for (const seen of [first.slice(1), second]) {
      expect(brief(seen.slice(0, 2))).toEqual(['gap over-limit', 'node-output']);
      expect(seen).toHaveLength(5001);
      expect(cursor(seen[1])).toBe(cursor(seen[0]) + 1);
    }
  });

  test('a cursor from the future is answered with a gap, then with what comes', () => {
    const { hub, host, start } = createHubBed();
    const seen: Item[] = [];
    hub.watchAll(Number.MAX_SAFE_INTEGER, undefined, (item) => seen.push(item));
    start();
    host.settle();
    expect(brief(seen)).toEqual(['gap unknown-cursor', 'run-started']);
  });

  test('above a thousand watched runs a second the others are told by their end alone', () => {
    const { hub, host, start } = createHubBed({ script: (run) => run.finish() });
    let events = 0;
    let ends = 0;
    hub.watchAll(undefined, undefined, (item) => {
      if ('event' in item && item.event.kind === 'run-summary') ends++;
      else events++;
    });
    for (let i = 0; i < 1200; i++) {
      start();
      if (i % 100 === 99) host.settle();
    }
    expect({ events, ends }).toEqual({ events: 2000, ends: 1200 });
  });
});

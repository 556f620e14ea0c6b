import { expect, test } from 'vitest';
import type { RunPart } from '../../flows/service/run-request.ts';
import type { FeedItem } from '../watching/feed-ring.ts';
import type { Gap } from '../history/follower.ts';
import { createHubBed } from './testing/hub-bed.ts';

/** Runs that are parts of others, as the hub treats them. */
const part: RunPart = { parent: { id: 'r0', depth: 3 }, key: 'r0:node' };

test('a part starts below its parent, with keys and a limit of its own, but not the usual time limit', () => {
  const { start } = createHubBed();
  const { options } = start('hello', {}, { part: { ...part, atMostMs: 5 } });
  expect(options).toMatchObject({ parent: part.parent, key: 'r0:node', atMostMs: 5, timeoutMs: 0 });
});

test('parts take no places of runs, are admitted while the server drains, and have a limit of their own', () => {
  const { hub, start } = createHubBed({ maxRuns: 1 });
  const parts = Array.from({ length: 10 }, () => start('hello', {}, { part }));
  expect(() => start('hello', {}, { part })).toThrow(expect.objectContaining({ code: 'overloaded' }));
  const outer = start();
  expect(() => start()).toThrow(expect.objectContaining({ code: 'overloaded' }));
  expect(hub.stats()).toMatchObject({ inFlight: 11, refused: 2 });
  parts[0]?.finish();
  void hub.drain(1000);
  expect(() => start('hello', {}, { part })).not.toThrow();
  expect(() => start()).toThrow(expect.objectContaining({ code: 'draining' }));
  outer.finish();
});

test('the feed contains runs but not their parts, which can be watched by their id', async () => {
  const { hub, host, start } = createHubBed();
  const seen: string[] = [];
  const collect = (item: FeedItem | Gap): void => {
    if ('event' in item)
      seen.push(item.event.kind === 'run-summary' ? item.event.summary.run : item.event.run);
  };
  const before = start('hello', {}, { part });
  hub.watchAll(undefined, undefined, collect);
  const inside = start('hello', {}, { part });
  const outside = start();
  expect([before.observed, inside.observed, outside.observed]).toEqual([false, false, true]);
  for (const run of [before, inside, outside]) run.finish();
  host.settle();
  expect(new Set(seen)).toEqual(new Set([outside.id]));
  const watched = start('hello', {}, { part });
  const kinds: string[] = [];
  await hub.watch(watched.id, 0, (event) => kinds.push(event.kind));
  watched.finish();
  host.settle();
  expect(kinds).toEqual(['run-started', 'run-finished']);
  expect(seen).not.toContain(watched.id);
});

test('the line of a part names its parent', async () => {
  const { hub, start } = createHubBed();
  const run = start('hello', {}, { part, source: 'flow' });
  expect(await hub.get(run.id)).toMatchObject({ parent: 'r0', source: 'flow', status: 'running' });
  run.finish();
  expect(await hub.get(run.id)).toMatchObject({ parent: 'r0', status: 'ok' });
});

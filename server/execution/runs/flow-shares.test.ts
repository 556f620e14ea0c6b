import { expect, test } from 'vitest';
import type { FakeRun } from './testing/fake-run.ts';
import { createHubBed } from './testing/hub-bed.ts';

/** Starts runs of the flow until one is refused, or `most` were started. */
function fill(bed: ReturnType<typeof createHubBed>, flow: string, most = 1000): FakeRun[] {
  const runs: FakeRun[] = [];
  try {
    while (runs.length < most) runs.push(bed.start(flow));
  } catch (error) {
    expect(error).toMatchObject({ code: 'overloaded', headers: { 'retry-after': '1' } });
  }
  return runs;
}

test('a flow alone takes all places; once another flow was refused, it keeps no more than its share', () => {
  const bed = createHubBed({ maxRuns: 100 });
  const greedy = fill(bed, 'greedy');
  expect(greedy).toHaveLength(100);
  expect(fill(bed, 'hello')).toHaveLength(0);
  for (const run of greedy.splice(0, 10)) run.finish();
  expect(fill(bed, 'greedy')).toHaveLength(0);
  const others = fill(bed, 'hello');
  expect(others).toHaveLength(10);
  for (const run of greedy.splice(0, 20)) run.finish();
  expect(fill(bed, 'greedy')).toHaveLength(10);
  expect(fill(bed, 'hello')).toHaveLength(10);
  for (const run of others) run.finish();
  expect(fill(bed, 'greedy')).toHaveLength(0);
  expect(fill(bed, 'hello')).toHaveLength(10);
});

test('no call is refused of a flow that keeps asking while another flow holds its share', () => {
  const bed = createHubBed({ maxRuns: 100 });
  bed.start('hello').finish();
  expect(fill(bed, 'greedy')).toHaveLength(80);
  for (let i = 0; i < 200; i++) {
    expect(fill(bed, 'greedy')).toHaveLength(0);
    bed.start('hello').finish();
    bed.host.advance(1000);
  }
});

test('a flow without requests for a minute needs no places', () => {
  const bed = createHubBed({ maxRuns: 10 });
  bed.start('hello').finish();
  expect(fill(bed, 'greedy')).toHaveLength(8);
  bed.host.advance(60_000);
  expect(fill(bed, 'greedy')).toHaveLength(2);
});

test('parts of a run take no places of their own', () => {
  const bed = createHubBed({ maxRuns: 10 });
  bed.start('hello').finish();
  const part = { run: 'r', node: 'n', depth: 1 } as never;
  for (let i = 0; i < 20; i++) bed.start('greedy', {}, { part });
  expect(fill(bed, 'greedy')).toHaveLength(8);
});

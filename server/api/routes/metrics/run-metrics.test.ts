import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../../../testing/platform-bed.ts';
import type { Outcome, Run } from '#engine';
import { createMetrics } from './metrics.ts';
import { MAX_NAMES, RunCounts } from '../../../execution/runs/run-counts.ts';
import { callNode, createFlowBed, endOf, rowFlow } from '../../../execution/runs/testing/flow-bed.ts';

/** The metrics of runs for Prometheus. */

const ended = (flow: string, ms: number): Parameters<RunCounts['took']> => [
  { flow } as Run,
  { status: 'ok', error: undefined, ms, nodes: { ok: 1, failed: 0, skipped: 0 } } satisfies Outcome,
];

const stats = (counts: RunCounts) => ({
  inFlight: 0,
  started: 0,
  ok: 0,
  failed: 0,
  cancelled: 0,
  refused: 0,
  dropped: 0,
  lostValues: 0,
  untraced: 3,
  flows: counts.flows,
  failures: counts.failures,
});

async function lines(counts: RunCounts, data = '/nowhere'): Promise<string[]> {
  const model = { tokens: { input: 10, output: 4 }, cost: 0.5 };
  const modelUsage = { byModel: () => new Map([['local/m', model]]) };
  const calls = {
    errorFlow: { stats: () => ({ started: 0, dropped: 0 }) },
    deadLetters: { count: async () => 0 },
  };
  const registry = createMetrics({
    runs: { stats: () => stats(counts) },
    durable: { waiting: 2 },
    modelUsage,
    calls,
    rates: { refused: () => [] },
    config: { data },
    host: { now: Date.now },
  });
  return (await registry.metrics()).split('\n').filter((line) => line.startsWith('weft_'));
}

test('times of runs are a histogram by flow, whose buckets hold what is below them', async () => {
  const counts = new RunCounts();
  for (const ms of [0.5, 1, 7, 2_000_000]) counts.took(...ended('a', ms));
  const metrics = await lines(counts);
  expect(metrics).toEqual(
    expect.arrayContaining([
      'weft_run_duration_seconds_bucket{flow="a",le="0.001"} 2',
      'weft_run_duration_seconds_bucket{flow="a",le="0.005"} 2',
      'weft_run_duration_seconds_bucket{flow="a",le="0.01"} 3',
      'weft_run_duration_seconds_bucket{flow="a",le="300"} 3',
      'weft_run_duration_seconds_bucket{flow="a",le="+Inf"} 4',
      'weft_run_duration_seconds_sum{flow="a"} 2000.0085',
      'weft_run_duration_seconds_count{flow="a"} 4',
      'weft_model_input_tokens_total{model="local/m"} 10',
      'weft_model_cost_dollars_total{model="local/m"} 0.5',
      'weft_runs_waiting 2',
      'weft_traces_dropped_total 3',
    ]),
  );
});

test('flows beyond the first ones share a name, and no count ever falls', async () => {
  const counts = new RunCounts();
  for (let i = 0; i < MAX_NAMES + 20; i++) counts.took(...ended(`f${i}`, 1));
  const before = (await lines(counts)).filter((line) => line.includes('_count'));
  expect(before).toHaveLength(MAX_NAMES + 1);
  expect(before).toContain('weft_run_duration_seconds_count{flow="other"} 20');
  counts.took(...ended('f3', 1));
  expect(await lines(counts)).toContain('weft_run_duration_seconds_count{flow="f3"} 2');
});

test('the hub counts every run and every node that failed, by operator', async () => {
  const failing = { ...callNode('nope'), onError: 'continue' as const, fallback: { out: 1 } };
  const bed = await createFlowBed([rowFlow('f', { failing }), rowFlow('g', { last: callNode('nope') })]);
  await endOf(bed.start('f', null));
  await endOf(bed.start('g', null)).catch(() => undefined);
  const { flows, failures } = bed.hub.stats();
  expect([flows.get('f')?.count, flows.get('g')?.count]).toEqual([1, 1]);
  expect([...failures]).toEqual([['flow.call', 2]]);
});

test('the disk space of the data folder is counted by kind', async () => {
  const data = await tempFolder();
  for (const [path, bytes] of [
    ['files/ab/one', 300],
    ['blobs/two', 20],
    ['runs/a.db', 7],
    ['weft.db', 5],
    ['weft.db-wal', 1],
  ] as const) {
    mkdirSync(dirname(join(data, path)), { recursive: true });
    writeFileSync(join(data, path), new Uint8Array(bytes));
  }
  const metrics = await lines(new RunCounts(), data);
  expect(metrics.filter((line) => line.startsWith('weft_disk_used_bytes'))).toEqual([
    'weft_disk_used_bytes{kind="files"} 300',
    'weft_disk_used_bytes{kind="blobs"} 20',
    'weft_disk_used_bytes{kind="runs"} 7',
    'weft_disk_used_bytes{kind="databases"} 6',
    'weft_disk_used_bytes{kind="other"} 0',
  ]);
  expect(metrics.find((line) => line.startsWith('weft_disk_free_bytes'))).toMatch(/ [1-9]\d+/);
});

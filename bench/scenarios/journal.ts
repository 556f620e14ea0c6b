import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunSummary } from '#shared/run-event.ts';
import { createJournal } from '../../server/execution/history/journal/journal.ts';
import type { EventBatch, RunHistory } from '../../server/execution/history/history.ts';
import { besideServing } from '../journal-beside.ts';
import { type BenchContext, type Line, measureSlowness, median, type Scenario } from '../harness.ts';

const BATCH = 1000;
const GB = 1024 ** 3;

/** What a run of ten nodes says: start, output and end of each, and of the run. */
const EVENTS = Array.from({ length: 32 }, (_, i) => ({
  seq: i + 1,
  json: `{"run":"x","seq":${i + 1},"at":1767225600000,"kind":"node-output","node":"n${i}","port":"out","value":{"name":"Ada","age":18}}`,
}));

/** The history on disk by itself: what it takes a second, from the server's thread through its own to the file. */
export const journal: Scenario = {
  name: 'journal',
  title: 'Run history on disk, alone',
  async run({ quick }: BenchContext): Promise<Line[]> {
    const rounds = quick ? 1 : 5;
    const slowness = measureSlowness();
    const lines: number[] = [];
    const whole: number[] = [];
    for (let round = 0; round < rounds; round++) {
      lines.push(await perSecond(quick ? 50_000 : 300_000, appendLines));
      whole.push(await perSecond(quick ? 5000 : 20_000, appendWhole));
    }
    return [
      {
        name: 'summaries of runs',
        figure: median(lines),
        unit: '/s',
        bar: { kind: 'at least', value: 100_000 },
        slowness,
      },
      {
        name: 'whole runs of ten nodes',
        figure: median(whole),
        unit: '/s',
        bar: { kind: 'at least', value: 5000 },
        slowness,
      },
      await withHistory((history) => besideServing(history, rowsFrom, quick ? 2000 : 10_000)),
    ];
  },
};

function perSecond(
  runs: number,
  append: (history: RunHistory, from: number) => Promise<void>,
): Promise<number> {
  return withHistory(async (history) => {
    const start = performance.now();
    const pending: Promise<void>[] = [];
    for (let from = 0; from < runs; from += BATCH) pending.push(append(history, from));
    await Promise.all(pending);
    return (runs / (performance.now() - start)) * 1000;
  });
}

async function withHistory<T>(measure: (history: RunHistory) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'weft-bench-'));
  const limits = { bytes: 4 * GB, days: 30 };
  const history = createJournal({
    folder: join(folder, 'runs'),
    blobs: join(folder, 'blobs'),
    limits,
    warn: console.error,
  });
  try {
    await history.get('begins the thread');
    return await measure(history);
  } finally {
    await history.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function appendLines(history: RunHistory, from: number): Promise<void> {
  await history.appendSummaries(rowsFrom(from, false));
}

async function appendWhole(history: RunHistory, from: number): Promise<void> {
  const rows = rowsFrom(from, true);
  const batches = rows.map(
    ({ run, flow, startedAt }): EventBatch => ({ run, flow, startedAt, events: EVENTS }),
  );
  await Promise.all([history.appendEvents(batches), history.appendSummaries(rows)]);
}

function rowsFrom(from: number, recorded: boolean, count = BATCH): RunSummary[] {
  return Array.from({ length: count }, (_, i) => ({
    run: `001k6zq0f8${String(from + i).padStart(8, '0')}9f31c2ab77`,
    flow: `flow_${(from + i) % 10}`,
    version: '0123456789abcdef',
    trigger: 'trigger',
    source: 'http',
    startedAt: Date.now(),
    ms: 0.13,
    status: 'ok',
    recorded,
  }));
}

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openWeftSql } from '../../server/storage/database/weft-tables.ts';
import {
  type BenchContext,
  type Line,
  measureSlowness,
  median,
  percentile,
  type Scenario,
} from '../harness.ts';

const WRITERS = 4;
/** Others may wait so long for a write, in milliseconds. */
const WAIT_LIMIT_MS = 20;
/** How long one waits for a lock, in milliseconds. */
const BUSY_MS = 10_000;
const PUT = `INSERT INTO state (project, scope, key, json) VALUES ('bench', 'here', ?, '1')
  ON CONFLICT (project, scope, key) DO UPDATE SET json = excluded.json`;
const rowWriter = fileURLToPath(new URL('../row-writer.ts', import.meta.url));

/** What writes to a database cost those who want something else meanwhile. */
export const rows: Scenario = {
  name: 'rows',
  title: 'Rows in SQLite, with four other processes that write the same file',
  async run({ quick, say }: BenchContext): Promise<Line[]> {
    const data = mkdtempSync(join(tmpdir(), 'weft-bench-rows-'));
    const sql = openWeftSql(data);
    const direct = new DatabaseSync(join(data, 'weft.db'), { timeout: BUSY_MS });
    const put = direct.prepare(PUT);
    try {
      const alone = await timesOf(quick ? 500 : 5000, (at) => sql.run(PUT, `k${at % 100}`));
      say('rows were written alone');
      const others = await Promise.all(Array.from({ length: WRITERS }, (_, at) => startWriter(data, at)));
      const [apart, here] = [[] as number[], [] as number[]];
      for (let round = 0; round < (quick ? 1 : 9); round++) {
        apart.push(await longestGap((at) => sql.run(PUT, `k${at % 100}`)));
        here.push(await longestGap(async (at) => put.run(`k${at % 100}`)));
      }
      for (const other of others) other.kill('SIGKILL');
      return [
        {
          name: 'one write, until it is stored',
          figure: median(alone) * 1000,
          unit: 'µs',
          note: `99 of 100 below ${(percentile(alone, 99) * 1000).toFixed(0)} µs`,
        },
        {
          name: 'event loop held up by writes in a thread',
          figure: median(apart),
          unit: 'ms',
          bar: { kind: 'at most', value: WAIT_LIMIT_MS },
          slowness: measureSlowness(),
          note: `median of the longest of ${apart.length} rounds; longest ${Math.max(...apart).toFixed(0)} ms`,
        },
        {
          name: 'the same by writes on its own thread',
          figure: median(here),
          unit: 'ms',
          note: `longest ${Math.max(...here).toFixed(0)} ms`,
        },
      ];
    } finally {
      direct.close();
      await sql.close();
      rmSync(data, { recursive: true, force: true });
    }
  },
};

async function startWriter(data: string, at: number): Promise<ChildProcess> {
  const child = fork(rowWriter, [data, `writer-${at}`]);
  await once(child, 'message');
  return child;
}

async function timesOf(count: number, write: (at: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < count; at++) {
    const started = performance.now();
    await write(at);
    times.push(performance.now() - started);
  }
  return times;
}

/** The longest time between two turns of a loop that a timer wakes each millisecond, while a write begins every ten. */
async function longestGap(write: (at: number) => Promise<unknown>): Promise<number> {
  const writes: Promise<unknown>[] = [];
  let longest = 0;
  let last = performance.now();
  for (let at = 0; at < 1500; at++) {
    await pause(1);
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (at % 10 === 0) writes.push(write(at));
  }
  await Promise.all(writes);
  return longest;
}

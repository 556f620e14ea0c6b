import { mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { valueOf } from '../blobs/blob-store.contract.ts';
import { createDiskBlobs } from '../blobs/disk-blobs.ts';
import { batch, historyContract, row } from '../history.contract.ts';
import type { RunHistory } from '../history.ts';
import { createJournal } from './journal.ts';

const GB = 1024 ** 3;
let folder: string;
const open: RunHistory[] = [];
const warnings: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-journal-'));
  warnings.length = 0;
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((history) => history.close()));
  rmSync(folder, { recursive: true, force: true });
});

function journal(limits: Partial<{ bytes: number; days: number }> = {}): RunHistory {
  const history = createJournal({
    folder: join(folder, 'runs'),
    blobs: join(folder, 'blobs'),
    // The contract's runs started in 1970.
    limits: { bytes: GB, days: 100_000, ...limits },
    warn: (message) => warnings.push(message),
  });
  open.push(history);
  return history;
}

/** Hashes of the large values on the disk. */
function blobsOf(data: string): string[] {
  return createDiskBlobs(join(data, 'blobs')).hashes();
}

historyContract('on disk', () => {
  folder = mkdtempSync(join(tmpdir(), 'weft-journal-'));
  return journal();
});

describe('the history on disk', () => {
  test('is there again after a restart', async () => {
    const before = journal();
    const error = { code: 'bad_input', message: 'no', node: 'work' };
    const failed = row('r2', { status: 'failed', error, recorded: true });
    await before.appendEvents([batch('r2', 1, 2)]);
    await before.appendSummaries([row('r1'), failed]);
    await before.close();
    const after = journal();
    expect(await after.list({ limit: 10 })).toEqual([failed, row('r1')]);
    expect(await after.events('r2', 0)).toEqual(batch('r2', 1, 2).events);
  });

  test('creates no file and no thread before the first write or read', async () => {
    await journal().close();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('stays below its size by removing the oldest runs, and frees their disk space', async () => {
    const history = journal({ bytes: 2_000_000 });
    const line = 'x'.repeat(20_000);
    for (let i = 0; i < 200; i++) {
      const run = `r${1000 + i}`;
      await history.appendEvents([{ ...batch(run), events: [{ seq: 1, json: `"${line}"` }] }]);
      await history.appendSummaries([row(run, { recorded: true })]);
    }
    const kept = await history.list({ limit: 500 });
    expect(kept.length).toBeGreaterThan(40);
    expect(kept.length).toBeLessThan(110);
    expect(kept[0]?.run).toBe('r1199');
    expect(await history.get('r1000')).toBeUndefined();
    expect(await history.events('r1000', 0)).toEqual([]);
    const files = readdirSync(join(folder, 'runs')).filter((name) => name.endsWith('.db'));
    expect(files.length).toBeGreaterThan(10);
    expect(files.length).toBeLessThan(20);
    const sizes = readdirSync(join(folder, 'runs')).map((name) => statSync(join(folder, 'runs', name)).size);
    // Including the write-ahead logs, except that of the newest file.
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(3_000_000);
  });

  test('forgets runs that are older than its days when it is opened', async () => {
    const before = journal();
    await before.appendSummaries([row('r1'), row('r2', { startedAt: Date.now() })]);
    await before.close();
    const kept = await journal({ days: 30 }).list({ limit: 10 });
    expect(kept.map(({ run }) => run)).toEqual(['r2']);
  });

  test('sets aside a file that is no database, reports that, and continues', async () => {
    const before = journal();
    await before.appendSummaries([row('r1')]);
    await before.close();
    const [name = ''] = readdirSync(join(folder, 'runs')).filter((file) => file.endsWith('.db'));
    writeFileSync(
      join(folder, 'runs', name),
      'this is no database, and longer than a header of one'.repeat(100),
    );
    const after = journal();
    await after.appendSummaries([row('r2')]);
    expect((await after.list({ limit: 10 })).map(({ run }) => run)).toEqual(['r2']);
    expect(readdirSync(join(folder, 'runs'))).toContain(`${name}.broken`);
    expect(warnings).toEqual([expect.stringContaining(`${name}.broken`)]);
  });

  test('reads a read-only file, and writes to it again once it is writable', async () => {
    const before = journal();
    await before.appendSummaries([row('r1')]);
    await before.close();
    const runs = join(folder, 'runs');
    const [name = ''] = readdirSync(runs).filter((file) => file.endsWith('.db'));
    mkdirSync(join(runs, `${name}-shm`));
    const after = journal();
    expect((await after.list({ limit: 10 })).map(({ run }) => run)).toEqual(['r1']);
    await expect(after.appendSummaries([row('r2')])).rejects.toMatchObject({ code: 'storage_failed' });
    expect(readdirSync(runs).filter((file) => file.includes('broken'))).toEqual([]);
    rmdirSync(join(runs, `${name}-shm`));
    await after.appendSummaries([row('r3')]);
    expect((await after.list({ limit: 10 })).map(({ run }) => run)).toEqual(['r3', 'r1']);
  });

  test('fails with a code while the folder is unusable, and accepts runs again afterwards', async () => {
    writeFileSync(join(folder, 'runs'), 'a file where the folder should be');
    const history = journal();
    await expect(history.appendSummaries([row('r1')])).rejects.toMatchObject({ code: 'storage_failed' });
    rmSync(join(folder, 'runs'));
    await history.appendSummaries([row('r2')]);
    expect((await history.get('r2'))?.run).toBe('r2');
  });

  test('finds a row by every filter together, over several files', async () => {
    const history = journal({ bytes: 2_000_000 });
    const rows = Array.from({ length: 3000 }, (_, i) => {
      const failed = i % 10 === 0;
      return row(`r${10_000 + i}`, {
        flow: i % 2 === 0 ? 'even' : 'odd',
        startedAt: 1000 + i,
        source: i % 3 === 0 ? 'manual' : 'http',
        ...(failed && {
          status: 'failed' as const,
          error: { code: `code_${i % 4}`, message: `No ÜBER ${i}` },
        }),
      });
    });
    for (let i = 0; i < rows.length; i += 100) await history.appendSummaries(rows.slice(i, i + 100));
    const ids = async (query: object) =>
      (await history.list({ limit: 5, ...query })).map(({ run }) => Number(run.slice(1)) - 10_000);
    expect(await ids({ flow: 'odd' })).toEqual([2999, 2997, 2995, 2993, 2991]);
    expect(await ids({ code: 'code_2' })).toEqual([2990, 2970, 2950, 2930, 2910]);
    expect(await ids({ since: 2000, until: 2003 })).toEqual([1002, 1001, 1000]);
    expect(await ids({ text: 'NO über 2960' })).toEqual([2960]);
    expect(await ids({ source: 'manual', status: 'failed', flow: 'even' })).toEqual([
      2970, 2940, 2910, 2880, 2850,
    ]);
  });

  test('frees a large value with the last run that holds it: deleted, too old, or with its file', async () => {
    const history = journal({ bytes: 2_000_000 });
    const shared = valueOf(JSON.stringify('s'.repeat(1000)));
    const append = async (run: string, startedAt: number, values = [shared]) => {
      await history.appendEvents([{ ...batch(run, 1), startedAt, values }]);
      await history.appendSummaries([row(run, { recorded: true, startedAt })]);
    };
    await append('r1', 1000);
    await append('r2', 2000);
    await append('r3', 3000);
    await history.remove('r1');
    expect(blobsOf(folder)).toEqual([shared.hash]);
    await history.prune(2500);
    expect(await history.value('r3', shared.hash)).toBe(shared.json);
    for (let i = 0; i < 40; i++)
      await append(`s${100 + i}`, 4000 + i, [valueOf(JSON.stringify(`${i}`.padEnd(100_000, 'v')))]);
    expect(await history.get('r3')).toBeUndefined();
    const left = blobsOf(folder);
    expect(left).not.toContain(shared.hash);
    expect(left.length).toBeGreaterThan(10);
    expect(left.length).toBeLessThan(21);
  });

  test('removes unreferenced values after a crash, but not those of a file that was set aside', async () => {
    const [mine, stray] = [valueOf('"mine"'), valueOf('"stray"')];
    const before = journal();
    await before.appendEvents([{ ...batch('r1', 1), values: [mine] }]);
    await before.appendSummaries([row('r1', { recorded: true })]);
    await before.close();
    const restarted = async (): Promise<string[]> => {
      createDiskBlobs(join(folder, 'blobs')).put(stray);
      const history = journal();
      await history.list({ limit: 1 });
      await history.close();
      return blobsOf(folder);
    };
    expect(await restarted()).toEqual([mine.hash]);
    const [name = ''] = readdirSync(join(folder, 'runs')).filter((file) => file.endsWith('.db'));
    writeFileSync(join(folder, 'runs', name), 'no database any more'.repeat(100));
    expect((await restarted()).toSorted()).toEqual([mine.hash, stray.hash].toSorted());
  });

  test('keeps the events of a run whose large values the disk refuses, and reports how many', async () => {
    writeFileSync(join(folder, 'blobs'), 'a file where the folder should be');
    const history = journal();
    const values = [valueOf('"one"'), valueOf('"two"')];
    expect(await history.appendEvents([{ ...batch('r1', 1), values }])).toBe(2);
    await history.appendSummaries([row('r1', { recorded: true })]);
    expect(await history.events('r1', 0)).toHaveLength(1);
    expect(await history.value('r1', values[0]?.hash ?? '')).toBeUndefined();
  });

  test('a run that is deleted is gone with its events', async () => {
    const history = journal();
    await history.appendEvents([batch('r1', 1)]);
    await history.appendSummaries([row('r1', { recorded: true })]);
    expect(await history.remove('r1')).toBe(true);
    expect(await history.remove('r1')).toBe(false);
    expect(await history.get('r1')).toBeUndefined();
    expect(await history.events('r1', 0)).toEqual([]);
  });
});

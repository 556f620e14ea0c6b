import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RunSummary } from '#shared/run-event.ts';
import { isRefusedByDisk } from '../../../base/errors/storage-refusal.ts';
import type { RunQuery } from '../history.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { newestFirst } from '../memory-history.ts';
import type { RecordedEvent } from '../recorded-event.ts';
import { HeldValues } from './held-values.ts';
import { idsOf, type Pack, unpackRows } from './packs.ts';
import { type Appended, Segment } from './segment.ts';
import type { Found } from './segment-rows.ts';

/** Limits of the journal. */
export interface JournalLimits {
  /** The limit for all files and large values together, in bytes; above it the oldest runs are removed. */
  readonly bytes: number;
  /** Days after which a run is removed. */
  readonly days: number;
}

/** The number of files that share the limit: when it is reached, this fraction of the history is removed at once. */
const SHARES = 16;
const DAY_MS = 24 * 3600 * 1000;
/** The end of the name of a file that is being made. */
const PART = '.part';
const NAME = /^runs-(\d{4}-\d{2}-\d{2})-(\d+)\.db$/;

interface File {
  readonly name: string;
  readonly day: string;
  readonly number: number;
  readonly segment: Segment;
  /** Bytes of large values that came with its runs. */
  values: number;
}

export interface SegmentsDeps {
  readonly folder: string;
  readonly limits: JournalLimits;
  readonly blobs: BlobStore;
  readonly now: () => number;
}

/**
 * Runs in files `runs-<day>-<number>.db` of one folder. Used in a separate thread, because SQLite blocks.
 * JS1. New runs go to the newest file; a new file starts with a new day (UTC), or when the newest has its share of the
 *      limit.
 * JS2. A run's events may be in an older file than its row, never in a newer one.
 * JS3. Data beyond the limits is removed by whole files, oldest first, which frees the disk at once. The newest file
 *      always stays.
 * JS4. A damaged file is renamed to its name with `.broken`; the others are still read. If the disk refuses to open a
 *      file, the file itself is sound: it stays, and the call fails.
 * JS5. A waiting run is reported only by its latest line, in whichever file that is.
 * JS6. A run whose end is written twice, because the process died in between, is listed once.
 * JS7. Large values are stored beside the files (`held-values.ts`) and count for the file whose runs brought them.
 */
export class Segments {
  /** Files that were set aside, with the reasons. */
  readonly broken: { readonly file: string; readonly reason: string }[] = [];
  private readonly folder: string;
  private readonly limits: JournalLimits;
  private readonly held: HeldValues;
  private readonly now: () => number;
  /** Oldest first. */
  private files: File[] = [];
  /** Bytes of the limit that other data takes. */
  private reserved = 0;
  /** Waiting runs, each with the file of its latest line. */
  private readonly waiting = new Map<string, File>();

  constructor({ folder, limits, blobs, now }: SegmentsDeps) {
    this.folder = folder;
    this.limits = limits;
    this.held = new HeldValues(blobs, () => this.files.map(({ segment }) => segment.values));
    this.now = now;
    mkdirSync(folder, { recursive: true });
    try {
      this.openAll();
    } catch (error) {
      this.close();
      throw error;
    }
  }

  private openAll(): void {
    const names = readdirSync(this.folder);
    for (const found of names.flatMap((name) => parse(name) ?? []).sort(byAge))
      if (!this.putEmptyAside(found)) this.open(found);
    for (const [run, of] of this.waiting) this.removeOldLine(run, of);
    // The values of a file that was set aside stay, so that a repaired file still has them.
    if (!readdirSync(this.folder).some((name) => name.endsWith('.broken'))) this.held.sweep();
    this.prune(this.now() - this.limits.days * DAY_MS);
  }

  /** Returns how many large values the disk refused. */
  append(appended: Appended): number {
    const file = this.newest();
    const before = this.held.bytes;
    const stored = this.held.store(appended.batches);
    const { rows, packs } = this.waiting.size > 0 ? this.takenApart(appended) : appended;
    try {
      file.segment.append({ rows, packs, batches: stored.batches });
    } catch (error) {
      this.held.free(stored.fresh);
      throw error;
    }
    for (const row of rows) this.noteWaiting(row, file);
    file.values += this.held.bytes - before;
    if (file.segment.bytes + file.values > this.limits.bytes / SHARES) this.begin();
    return stored.lost;
  }

  /** A run that waited has a row, which only another row replaces, so it is not packed. */
  private takenApart({ rows, packs }: Appended): Pick<Appended, 'rows' | 'packs'> {
    const isNew = (pack: Pack): boolean => !idsOf(pack).some((run) => this.waiting.has(run));
    const known = packs.filter((pack) => !isNew(pack));
    return { rows: [...rows, ...known.flatMap(unpackRows)], packs: packs.filter(isNew) };
  }

  /**
   * Removes the earlier line of a run whose end is in a newer file, because the process died or the disk refused it
   * then.
   */
  private removeOldLine(run: string, of: File): void {
    const newer = this.files.slice(this.files.indexOf(of) + 1);
    if (!newer.some(({ segment }) => segment.hasRow(run))) return;
    removeLine(of, run);
    this.waiting.delete(run);
  }

  private noteWaiting({ run, status }: Pick<RunSummary, 'run' | 'status'>, file: File): void {
    const before = this.waiting.get(run);
    if (before !== undefined && before !== file) removeLine(before, run);
    if (status === 'waiting') this.waiting.set(run, file);
    else if (before !== undefined) this.waiting.delete(run);
  }

  value(run: string, hash: string): string | undefined {
    return this.held.get(run, hash);
  }

  tape(run: string): string | undefined {
    for (const { segment } of this.files) {
      const tape = segment.values.tape(run);
      if (tape !== undefined) return tape;
    }
    return undefined;
  }

  get(run: string): RunSummary | undefined {
    for (const { segment } of this.files.toReversed()) {
      const found = segment.get(run);
      if (found !== undefined) return this.shown(found);
    }
    return undefined;
  }

  list(query: RunQuery): RunSummary[] {
    // Ids sort by start and files by end: a long run may be in a newer file than shorter runs that started after it.
    const found = this.files.flatMap(({ segment }) => segment.list(query)).map((row) => this.shown(row));
    const byRun = new Map(found.map((row) => [row.run, row]));
    return [...byRun.values()].sort(newestFirst).slice(0, query.limit);
  }

  events(run: string, after: number): RecordedEvent[] {
    return this.files.flatMap(({ segment }) => segment.events(run, after));
  }

  remove(run: string): boolean {
    const held = this.files.flatMap(({ segment }) => segment.values.remove(run));
    const removed = this.files.map(({ segment }) => segment.remove(run)).some(Boolean);
    this.held.free(held);
    this.waiting.delete(run);
    return removed;
  }

  /** Deletes runs that started before `time`; returns how many. */
  prune(time: number): number {
    let count = 0;
    const newest = this.files.at(-1);
    for (const file of [...this.files]) {
      const { newestStart } = file.segment;
      if (file !== newest && (newestStart === undefined || newestStart < time)) {
        count += file.segment.count;
        this.drop(file);
      } else if (file.segment.hasOlder(time)) {
        const held = file.segment.values.prune(time);
        count += file.segment.prune(time);
        this.held.free(held);
      }
    }
    return count;
  }

  get bytes(): number {
    return this.files.reduce((sum, { segment }) => sum + segment.bytes, this.held.bytes);
  }

  /** Reserves `bytes` of the limit for other data from now on. Returns the stored bytes. */
  reserve(bytes: number): number {
    this.reserved = bytes;
    this.shrink();
    return this.bytes;
  }

  close(): void {
    for (const { segment } of this.files) segment.close();
    this.files = [];
  }

  private newest(): File {
    const newest = this.files.at(-1);
    return newest?.day === this.today() ? newest : this.begin();
  }

  /** Opens the next file, and makes room for it. */
  private begin(): File {
    const day = this.today();
    const last = this.files.at(-1);
    // A clock that was set back must not put new runs before old ones.
    const behind = last !== undefined && last.day >= day;
    const file = this.open({ day: behind ? last.day : day, number: behind ? last.number + 1 : 0 });
    if (file === undefined) throw new Error(this.broken.at(-1)?.reason ?? 'no file');
    last?.segment.shrinkLog();
    this.shrink();
    this.prune(this.now() - this.limits.days * DAY_MS);
    return file;
  }

  private shrink(): void {
    while (this.files.length > 1 && this.bytes > this.limits.bytes - this.reserved) {
      const [oldest] = this.files;
      if (oldest) this.drop(oldest);
    }
  }

  private open({ day, number }: { day: string; number: number }): File | undefined {
    const name = `runs-${day}-${number}.db`;
    const path = join(this.folder, name);
    try {
      if (!existsSync(path)) createWhole(path);
      const segment = new Segment(path);
      const file = { name, day, number, segment, values: segment.values.bytes };
      this.files.push(file);
      for (const run of segment.waiting()) this.noteWaiting({ run, status: 'waiting' }, file);
      return file;
    } catch (error) {
      if (isRefusedByDisk(error)) throw error;
      this.broken.push({ file: name, reason: (error as Error).message });
      putAside(path);
      return undefined;
    }
  }

  /** A file without content was emptied from outside, because a new one appears with its tables. */
  private putEmptyAside({ day, number }: { day: string; number: number }): boolean {
    const name = `runs-${day}-${number}.db`;
    const path = join(this.folder, name);
    if (statSync(path).size > 0) return false;
    this.broken.push({ file: name, reason: 'it is empty' });
    putAside(path);
    return true;
  }

  private drop(file: File): void {
    const held = file.segment.values.hashes();
    file.segment.close();
    for (const [run, of] of this.waiting) if (of === file) this.waiting.delete(run);
    this.files = this.files.filter((other) => other !== file);
    for (const end of ['', '-wal', '-shm']) rmSync(`${join(this.folder, file.name)}${end}`, { force: true });
    this.held.free(held);
  }

  /** With H3 of the history: `recorded` shows whether events are stored now. */
  private shown({ row, elsewhere }: Found): RunSummary {
    const recorded =
      row.recorded || (elsewhere && this.files.some(({ segment }) => segment.hasEvents(row.run)));
    return recorded === row.recorded ? row : { ...row, recorded };
  }

  private today(): string {
    return new Date(this.now()).toISOString().slice(0, 10);
  }
}

function removeLine({ segment }: File, run: string): void {
  try {
    segment.removeRow(run);
  } catch {
    // Newer data can still be written: it is listed beside the old line until the files are opened again.
  }
}

function parse(name: string): { day: string; number: number } | undefined {
  const [, day, number] = NAME.exec(name) ?? [];
  return day === undefined ? undefined : { day, number: Number(number) };
}

function byAge(a: { day: string; number: number }, b: { day: string; number: number }): number {
  return a.day === b.day ? a.number - b.number : a.day < b.day ? -1 : 1;
}

/** Under its name at once, so that a process that dies midway leaves no file without tables. */
function createWhole(path: string): void {
  const folder = dirname(path);
  for (const left of readdirSync(folder).filter((name) => name.includes(PART)))
    rmSync(join(folder, left), { force: true });
  const part = `${path}${PART}`;
  new Segment(part).close();
  renameSync(part, path);
}

/** Renames the file instead of deleting its runs, so that it can be repaired. */
function putAside(path: string): void {
  for (const end of ['', '-wal', '-shm']) {
    try {
      renameSync(`${path}${end}`, `${path}.broken${end}`);
    } catch {
      // It is missing, or in a read-only folder, where the next start finds it again.
    }
  }
}

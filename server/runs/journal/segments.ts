import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RunSummary } from '#shared/run-event.ts';
import type { RunQuery } from '../../context.ts';
import type { EventBatch } from '../history.ts';
import { newestFirst } from '../memory-history.ts';
import type { RecordedEvent } from '../recorded-event.ts';
import { type Found, Segment } from './segment.ts';

export interface JournalLimits {
  /** Bytes of all files together, above which the oldest go. */
  readonly bytes: number;
  /** Days after which a run is forgotten. */
  readonly days: number;
}

/** The files that the limit is shared among: so much of the history goes at once when it is reached. */
const SHARES = 16;
const DAY_MS = 24 * 3600 * 1000;
const NAME = /^runs-(\d{4}-\d{2}-\d{2})-(\d+)\.db$/;

interface File {
  readonly name: string;
  readonly day: string;
  readonly number: number;
  readonly segment: Segment;
}

/**
 * Runs in files `runs-<day>-<number>.db` of one folder. Used in a thread of its own, since SQLite blocks.
 * S1. New runs go to the newest file; a new one begins with a new day (UTC), or when the newest has its share of the limit.
 * S2. A run's events may lie in an older file than its row, never in a newer one.
 * S3. What is over the limits goes by whole files, oldest first, which frees the disk at once. The newest file always stays.
 * S4. A file that cannot be opened is put aside with its name and `.broken`; the others are read all the same.
 */
export class Segments {
  /** Files that were put aside, with what was wrong. */
  readonly broken: { readonly file: string; readonly reason: string }[] = [];
  private readonly folder: string;
  private readonly limits: JournalLimits;
  private readonly now: () => number;
  /** Oldest first. */
  private files: File[] = [];

  constructor(folder: string, limits: JournalLimits, now: () => number) {
    this.folder = folder;
    this.limits = limits;
    this.now = now;
    mkdirSync(folder, { recursive: true });
    const names = readdirSync(folder).flatMap((name) => parse(name) ?? []);
    for (const found of names.sort(byAge)) this.open(found);
    this.prune(this.now() - limits.days * DAY_MS);
  }

  append(rows: readonly RunSummary[], batches: readonly EventBatch[]): void {
    const file = this.newest();
    file.segment.append(rows, batches);
    if (file.segment.bytes > this.limits.bytes / SHARES) this.begin();
  }

  get(run: string): RunSummary | undefined {
    for (const { segment } of this.files.toReversed()) {
      const found = segment.get(run);
      if (found !== undefined) return this.shown(found);
    }
    return undefined;
  }

  list(query: RunQuery): RunSummary[] {
    // Ids sort by start and files by end: a long run may be found in a newer file than shorter ones that began after it.
    const found = this.files.flatMap(({ segment }) => segment.list(query)).map((row) => this.shown(row));
    return found.sort(newestFirst).slice(0, query.limit);
  }

  events(run: string, after: number): RecordedEvent[] {
    return this.files.flatMap(({ segment }) => segment.events(run, after));
  }

  remove(run: string): boolean {
    return this.files.map(({ segment }) => segment.remove(run)).some(Boolean);
  }

  /** Forgets runs that started before `time`; gives how many. */
  prune(time: number): number {
    let count = 0;
    const newest = this.files.at(-1);
    for (const file of [...this.files]) {
      const { newestStart } = file.segment;
      if (file !== newest && (newestStart === undefined || newestStart < time)) {
        count += file.segment.count;
        this.drop(file);
      } else count += file.segment.prune(time);
    }
    return count;
  }

  get bytes(): number {
    return this.files.reduce((sum, { segment }) => sum + segment.bytes, 0);
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
    while (this.files.length > 1 && this.bytes > this.limits.bytes) {
      const [oldest] = this.files;
      if (oldest) this.drop(oldest);
    }
    this.prune(this.now() - this.limits.days * DAY_MS);
    return file;
  }

  private open({ day, number }: { day: string; number: number }): File | undefined {
    const name = `runs-${day}-${number}.db`;
    const path = join(this.folder, name);
    try {
      const file = { name, day, number, segment: new Segment(path) };
      this.files.push(file);
      return file;
    } catch (error) {
      this.broken.push({ file: name, reason: (error as Error).message });
      putAside(path);
      return undefined;
    }
  }

  private drop(file: File): void {
    file.segment.close();
    this.files = this.files.filter((other) => other !== file);
    for (const end of ['', '-wal', '-shm']) rmSync(`${join(this.folder, file.name)}${end}`, { force: true });
  }

  /** H3 of the history: whether events are kept now. */
  private shown({ row, elsewhere }: Found): RunSummary {
    const recorded =
      row.recorded || (elsewhere && this.files.some(({ segment }) => segment.hasEvents(row.run)));
    return recorded === row.recorded ? row : { ...row, recorded };
  }

  private today(): string {
    return new Date(this.now()).toISOString().slice(0, 10);
  }
}

function parse(name: string): { day: string; number: number } | undefined {
  const [, day, number] = NAME.exec(name) ?? [];
  return day === undefined ? undefined : { day, number: Number(number) };
}

function byAge(a: { day: string; number: number }, b: { day: string; number: number }): number {
  return a.day === b.day ? a.number - b.number : a.day < b.day ? -1 : 1;
}

/** Nobody's runs are deleted because they could not be read: whoever wants to mend the file finds it. */
function putAside(path: string): void {
  for (const end of ['', '-wal', '-shm']) {
    try {
      renameSync(`${path}${end}`, `${path}.broken${end}`);
    } catch {
      // Not there, or a folder that may not be written: then it is met again at the next start.
    }
  }
}

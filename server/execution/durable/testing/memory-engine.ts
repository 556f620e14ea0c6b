import type { Host } from '#engine';
import type {
  DurableEngine,
  EngineHost,
  Forgotten,
  NewRun,
  Pass,
  PassEnd,
  RecordedStep,
  StoredQuery,
  StoredRun,
} from '../port.ts';

/** The state of a memory engine; passed to another one, it stands for a disk that outlives the process. */
export interface MemoryDisk {
  readonly runs: Map<string, Entry>;
  readonly texts: Map<string, string>;
}

interface Entry {
  stored: StoredRun;
  readonly texts: readonly string[];
  readonly steps: Map<string, string>;
  told: boolean;
  /** When it continues, in Unix milliseconds; undefined if only once it is woken. */
  due: number | undefined;
}

const MAX_AT_ONCE = 100;
/** Delay before a failed pass is retried, in milliseconds. */
const AGAIN_MS = 1000;

export function createMemoryDisk(): MemoryDisk {
  return { runs: new Map(), texts: new Map() };
}

/** The port in memory. */
export function createMemoryEngine(
  clock: Pick<Host, 'now' | 'timer'>,
  disk: MemoryDisk = createMemoryDisk(),
): DurableEngine {
  return new MemoryEngine(clock, disk);
}

class MemoryEngine implements DurableEngine {
  private readonly clock: Pick<Host, 'now' | 'timer'>;
  private readonly disk: MemoryDisk;
  private readonly passes = new Map<string, Promise<void>>();
  /** Runs that were woken during a pass. */
  private readonly woken = new Set<string>();
  private host: EngineHost | undefined = undefined;
  private stopTimer: (() => void) | undefined = undefined;
  private closed = false;

  constructor(clock: Pick<Host, 'now' | 'timer'>, disk: MemoryDisk) {
    this.clock = clock;
    this.disk = disk;
  }

  begin(host: EngineHost): void {
    this.host = host;
    for (const { stored, told } of this.disk.runs.values())
      if (stored.end !== undefined && !told) host.ended(stored);
    this.look();
  }

  async start({ steps, texts, ...run }: NewRun): Promise<{ run: string; created: boolean }> {
    const known = [...this.disk.runs.values()].find(
      ({ stored }) => stored.run === run.run || isSame(stored, run),
    );
    if (known) return { run: known.stored.run, created: false };
    this.disk.runs.set(run.run, {
      stored: { ...run, status: 'pending', passes: 0 },
      texts,
      steps: new Map(steps?.map(({ key, result }) => [key, result])),
      told: false,
      due: run.startedAt,
    });
    this.look();
    return { run: run.run, created: true };
  }

  async wake(run: string): Promise<void> {
    const entry = this.disk.runs.get(run);
    if (entry === undefined || entry.stored.end !== undefined) return;
    if (this.passes.has(run)) this.woken.add(run);
    entry.due = this.clock.now();
    this.look();
  }

  async cancel(run: string, by: string): Promise<boolean> {
    const entry = this.disk.runs.get(run);
    if (entry === undefined || entry.stored.end !== undefined) return false;
    entry.stored = { ...entry.stored, cancelledBy: by };
    await this.wake(run);
    return true;
  }

  async get(run: string): Promise<StoredRun | undefined> {
    return this.disk.runs.get(run)?.stored;
  }

  async list({ flow, key, status, before, limit }: StoredQuery): Promise<StoredRun[]> {
    return [...this.disk.runs.values()]
      .map(({ stored }) => stored)
      .filter((run) => flow === undefined || run.flow === flow)
      .filter((run) => key === undefined || run.key === key)
      .filter((run) => status === undefined || status.includes(run.status))
      .filter((run) => before === undefined || run.run < before)
      .sort((a, b) => (a.run < b.run ? 1 : -1))
      .slice(0, limit);
  }

  async steps(run: string): Promise<RecordedStep[]> {
    return listOf(this.disk.runs.get(run));
  }

  async putText(name: string, text: string): Promise<void> {
    this.disk.texts.set(name, text);
  }

  async getText(name: string): Promise<string | undefined> {
    return this.disk.texts.get(name);
  }

  async dropTexts(except: readonly string[]): Promise<void> {
    const needed = new Set([...except, ...[...this.disk.runs.values()].flatMap(({ texts }) => texts)]);
    for (const name of this.disk.texts.keys()) if (!needed.has(name)) this.disk.texts.delete(name);
  }

  async told(run: string, input?: string): Promise<void> {
    const entry = this.disk.runs.get(run);
    if (entry === undefined) return;
    entry.told = true;
    if (input !== undefined) entry.stored = { ...entry.stored, input };
  }

  async prune(time: number): Promise<string[]> {
    const old = [...this.disk.runs].filter(([, { stored, told }]) => told && (stored.endedAt ?? time) < time);
    for (const [run] of old) this.disk.runs.delete(run);
    return old.map(([run]) => run);
  }

  async forget(runs: readonly string[]): Promise<Forgotten> {
    const known = runs.filter((run) => this.disk.runs.has(run));
    const isOver = (run: string): boolean => this.disk.runs.get(run)?.stored.end !== undefined;
    const sorted = { gone: known.filter(isOver), left: known.filter((run) => !isOver(run)) };
    for (const run of sorted.gone) this.disk.runs.delete(run);
    return sorted;
  }

  async close(): Promise<void> {
    this.closed = true;
    this.stopTimer?.();
    await Promise.all(this.passes.values());
  }

  /** Hands out due runs, and looks again when the next run is due. */
  private look(): void {
    if (this.host === undefined || this.closed) return;
    this.stopTimer?.();
    const now = this.clock.now();
    let soonest = Number.POSITIVE_INFINITY;
    for (const [run, { stored, due }] of this.disk.runs) {
      if (stored.end !== undefined || due === undefined || this.passes.has(run)) continue;
      if (due > now) soonest = Math.min(soonest, due);
      else if (this.passes.size < MAX_AT_ONCE) this.passes.set(run, this.handOut(run, this.host));
    }
    if (soonest < Number.POSITIVE_INFINITY)
      this.stopTimer = this.clock.timer(soonest - now, () => this.look());
  }

  private async handOut(run: string, host: EngineHost): Promise<void> {
    const entry = this.disk.runs.get(run) as Entry;
    entry.stored = {
      ...entry.stored,
      status: 'running',
      passes: entry.stored.passes + 1,
      waitingFor: undefined,
    };
    const end = await this.pass(entry, host);
    if (!this.closed || end?.kind === 'ended') this.take(entry, end, host);
    this.passes.delete(run);
    this.look();
  }

  private async pass(entry: Entry, host: EngineHost): Promise<PassEnd | undefined> {
    const pass: Pass = {
      run: entry.stored,
      steps: listOf(entry),
      step: async (key, fn, replaces = []) => {
        const result = await fn();
        if (this.closed) throw new Error('The engine is closed.');
        entry.steps.set(key, result);
        for (const gone of replaces) entry.steps.delete(gone);
        return result;
      },
    };
    try {
      return await host.carryOn(pass);
    } catch {
      return undefined;
    }
  }

  private take(entry: Entry, end: PassEnd | undefined, host: EngineHost): void {
    const { run } = entry.stored;
    const woken = this.woken.delete(run);
    if (end === undefined) entry.due = this.clock.now() + AGAIN_MS;
    else if (end.kind === 'parked') {
      entry.stored = { ...entry.stored, status: 'waiting', waitingFor: end.waitingFor };
      entry.due = woken ? this.clock.now() : end.until;
      host.parked(entry.stored);
    } else if (end.kind === 'ended') {
      entry.stored = { ...entry.stored, status: end.status, end: end.end, endedAt: end.at };
      host.ended(entry.stored);
    }
  }
}

function isSame(stored: StoredRun, { key }: Pick<NewRun, 'key'>): boolean {
  return key !== undefined && stored.key === key;
}

function listOf(entry: Entry | undefined): RecordedStep[] {
  return [...(entry?.steps ?? [])].map(([key, result]) => ({ key, result }));
}

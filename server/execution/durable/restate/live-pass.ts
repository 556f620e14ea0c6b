import type { Pass, PassEnd, RecordedStep } from '../port.ts';

/** The limits of one journal entry: steps, and characters of their results. */
const MOST = { steps: 500, size: 2_000_000 };

/** The next event of a pass. */
export type Happened = { readonly steps: readonly Recording[] } | { readonly end: PassEnd };

/** A step to record, and the keys of the records that go with that. */
export interface Recording extends RecordedStep {
  readonly replaces?: readonly string[];
}

interface Begun extends Pick<Pass, 'run' | 'claim'> {
  readonly given: readonly RecordedStep[];
}

interface Waiting {
  readonly step: Recording;
  readonly done: PromiseWithResolvers<void>;
}

/**
 * A pass of a run here, as a sequence of facts that are recorded one after the other: steps that end while others are
 * being recorded are recorded together. A pass outlives its connection to Restate, which resumes it where it was.
 * LP1. A step returns its result once it is recorded.
 * LP2. An attempt with another past than this pass does not get it.
 * LP3. A pass that is handed over begins no step.
 */
export class LivePass {
  /** The recorded steps, in order, including those of earlier passes. */
  private known: RecordedStep[];
  private sent: Waiting[] = [];
  private queue: Waiting[] = [];
  private end: Promise<PassEnd> | undefined;
  private more = Promise.withResolvers<void>();
  private refused: Error | undefined;
  private readonly refusal = Promise.withResolvers<never>();
  /** The number of steps that are being executed. */
  private inFlight = 0;
  private handing: PromiseWithResolvers<void> | undefined;
  /** The number of the last caller of `next`. */
  private asker = 0;

  constructor(known: readonly RecordedStep[]) {
    this.known = [...known];
    // Only steps that have not begun wait for it.
    this.refusal.promise.catch(() => {});
  }

  /** Begins the run's interpretation, with the given steps and under the claim. */
  start({ run, given, claim }: Begun, carryOn: (pass: Pass) => Promise<PassEnd>): void {
    const step: Pass['step'] = async (key, fn, replaces) => {
      if (this.handing !== undefined) return this.refusal.promise;
      const result = await this.execute(fn);
      await this.record({ key, result, ...(replaces && { replaces }) });
      return result;
    };
    this.end = carryOn({ run, steps: [...given, ...this.known], step, claim });
    // The caller of `next` gets the rejection.
    this.end.catch(() => {});
  }

  /**
   * Resolves to the steps to record, or to the end if none are left. Rejects if the pass was given up, and for the
   * previous caller: results that an attempt without a connection took would never be recorded.
   */
  async next(): Promise<Happened> {
    const { end } = this;
    if (end === undefined) throw new Error('The pass was not begun.');
    const asker = ++this.asker;
    while (this.queue.length === 0) {
      const ended = await Promise.race([end, this.more.promise]);
      if (asker !== this.asker) throw new Error('Another attempt records this pass.');
      if (ended !== undefined && this.queue.length === 0) return { end: ended };
    }
    this.sent = this.queue.splice(0, roomFor(this.queue));
    if (this.queue.length === 0) this.more = Promise.withResolvers();
    return { steps: this.sent.map(({ step }) => step) };
  }

  /** Call it once the results of `next` are recorded. */
  recorded(): void {
    const sent = this.sent.splice(0);
    this.known = after(
      this.known,
      sent.map(({ step }) => step),
    );
    for (const { done } of sent) done.resolve();
  }

  /** Whether these records are the past of this pass, which then continues after them. */
  resumes(known: readonly RecordedStep[]): boolean {
    const sent = this.sent.map(({ step }) => step);
    const arrived = [...Array(sent.length + 1).keys()].find((count) =>
      areSame(after(this.known, sent.slice(0, count)), known),
    );
    if (this.refused !== undefined || arrived === undefined) return false;
    const again = this.sent.splice(arrived);
    this.recorded();
    if (again.length > 0) {
      this.queue.unshift(...again);
      this.more.resolve();
    }
    return true;
  }

  get isHandedOver(): boolean {
    return this.handing !== undefined;
  }

  /** The results beyond its records, once its steps in flight have ended; call `refuse` then. */
  async handOver(): Promise<readonly Recording[]> {
    this.handing ??= Promise.withResolvers();
    if (this.inFlight > 0) await this.handing.promise;
    return [...this.sent, ...this.queue].map(({ step }) => step);
  }

  /** Nothing more of the pass is recorded. */
  refuse(reason: Error): void {
    this.refused = reason;
    this.refusal.reject(reason);
    for (const { done } of [...this.sent.splice(0), ...this.queue.splice(0)]) done.reject(reason);
  }

  private async execute(fn: () => Promise<string>): Promise<string> {
    this.inFlight++;
    try {
      return await fn();
    } finally {
      // Its result is queued before the waiting caller continues.
      if (--this.inFlight === 0) setImmediate(() => this.handing?.resolve());
    }
  }

  private async record(step: RecordedStep): Promise<void> {
    if (this.refused !== undefined) throw this.refused;
    const done = Promise.withResolvers<void>();
    this.queue.push({ step, done });
    this.more.resolve();
    return done.promise;
  }
}

/** The records once these are recorded too. */
export function after(known: readonly RecordedStep[], steps: readonly Recording[]): RecordedStep[] {
  const gone = new Set(steps.flatMap(({ replaces = [] }) => replaces));
  const all = [...known, ...steps.map(({ key, result }) => ({ key, result }))];
  return gone.size === 0 ? all : all.filter(({ key }) => !gone.has(key));
}

function areSame(some: readonly RecordedStep[], others: readonly RecordedStep[]): boolean {
  return some.length === others.length && some.every(({ key }, at) => others[at]?.key === key);
}

/** The number of results that fit into one entry. */
function roomFor(queue: readonly Waiting[]): number {
  let size = 0;
  const end = queue.findIndex(({ step }, at) => at >= MOST.steps || (size += step.result.length) > MOST.size);
  return end === -1 ? queue.length : Math.max(end, 1);
}

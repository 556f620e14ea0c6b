import { setTimeout as sleep } from 'node:timers/promises';
import type { DurableEngine, Pass, PassEnd, RecordedStep, StoredRun } from '../port.ts';
import type { Removed, SharedRun } from './shared-rows.ts';
import { SharedRowsEngine, type SharedRowsEngineDeps } from './shared-rows-engine.ts';
import { signalOf, Waking } from './waking.ts';
import { type Leased, Leases, type Moment, thisMoment } from './leases.ts';
import { type Claimed, Workflows, type WorkflowsDeps } from './workflows.ts';

/** The most runs that are executed at once. */
const MAX_AT_ONCE = 100;
/** The most claims that are requested together. */
const CLAIMS_AT_ONCE = 4;
/** How often due runs of others are looked for, in milliseconds. */
const LOOK_MS = 500;
/** The delays before a pass that was given up is repeated: doubled from the first to the last, in milliseconds. */
const [AGAIN_MS, LONGEST_MS] = [1000, 30_000];
/** The delay before a step that the database refused is recorded again, in milliseconds. */
const RECORD_AGAIN_MS = 200;
const CLOSE_MS = 5000;
/** The database counts as available for so long after an answer, in milliseconds. */
const RECENT_MS = 20;

interface Deps extends SharedRowsEngineDeps, WorkflowsDeps {}

/** A run in a pass here. */
interface Held extends Leased {
  /** The reasons to go on that the pass knows of. */
  wakes: number;
  /** The reasons of which the pass was told. */
  told: number;
  done: Promise<void>;
}

/** The port over OpenWorkflow on PostgreSQL. `kill` stops it where it is, as a crash does. */
export function createPostgresEngine(deps: Deps): DurableEngine & { kill(): Promise<void> } {
  return new PostgresEngine(deps);
}

/**
 * This server's share of the durable runs in a database.
 * PE1. Only the claimant of a run records its steps, parks and ends it. Whoever lost its claim stops at the next of these.
 * PE2. What only memory knew when a server died is found in the rows by another one: claims by their leases, the
 *      rest by `sweep`.
 * PE3. A step begins, and sends what it sends, only while the claim is known to hold: whoever stood still asks first.
 * PE4. After the database was away, claims are left alone for two leases: those who live renew theirs, slowly perhaps.
 */
class PostgresEngine extends SharedRowsEngine<Deps> {
  private readonly workflows: Workflows;
  private readonly waking: Waking;
  private readonly leases: Leases;
  private readonly held = new Map<string, Held>();
  /** How often in a row a run's pass was given up here. */
  private readonly failures = new Map<string, number>();
  private isLooking = false;
  private looksAgain = false;
  private claimsFrom = 0;
  private answeredAt = 0;
  /** The database failed to answer, and has not answered promptly since. */
  private failing = false;

  constructor(deps: Deps) {
    super(deps);
    const { rows } = this;
    const workflows = (this.workflows = new Workflows(deps));
    this.leases = new Leases({
      workflows,
      isClosed: () => this.closed,
      lost: (held) => {
        if (this.held.get(held.run) === held) this.lose(held as Held);
        else held.isLost = true;
      },
      failed: (error) => this.failed(error),
    });
    this.waking = new Waking({ rows, workflows, bus: deps.bus, due: () => this.lookHere() });
  }

  protected takePart(): void {
    const { bus } = this.deps;
    this.stops.push(
      bus.subscribe('run-due', () => this.look()),
      bus.subscribe('run-woken', (run, isOwn) => {
        if (!isOwn && this.held.has(run)) void this.tellWoken().catch(this.complain);
      }),
    );
    this.timers.every(LOOK_MS, async () => this.look());
    this.timers.every(this.leases.everyMs, async () => this.leases.renew(this.held.values()));
    this.timers.every(this.workflows.leaseMs / 3, () => this.tellWoken());
    this.look();
  }

  protected make(run: string): Promise<void> {
    return this.waking.make(run);
  }

  protected spread(run: string, woken: SharedRun): Promise<void> {
    return this.waking.spread(run, woken);
  }

  protected catchUp(): Promise<void> {
    return this.waking.sweep();
  }

  protected removeRecords(runs: readonly Removed[]): Promise<void> {
    return this.workflows.remove(runs.flatMap(({ workflow }) => workflow ?? []));
  }

  protected override failed(error: unknown): void {
    this.away();
    super.failed(error);
  }

  async steps(run: string): Promise<RecordedStep[]> {
    const found = await this.rows.find(run);
    if (found === undefined) return [];
    const recorded = found.workflow && (await this.workflows.steps(found.workflow));
    return [...found.given, ...(recorded ? recorded.steps : [])];
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.stop();
    const passes = [...this.held.values()].map(({ done }) => done);
    await Promise.race([Promise.all(passes), sleep(CLOSE_MS, undefined, { ref: false })]);
    await this.workflows.close();
  }

  async kill(): Promise<void> {
    this.stop();
    for (const held of this.held.values()) held.isLost = true;
    await this.workflows.close(1);
  }

  // -------------------------------------------------------------------------------------------------------- claims

  /** Claims what is due as far as there is room; several requests are combined. */
  private look(): void {
    this.looksAgain = true;
    if (this.isLooking || this.closed || this.host === undefined) return;
    this.isLooking = true;
    void this.claimAll().finally(() => {
      this.isLooking = false;
    });
  }

  private async claimAll(): Promise<void> {
    try {
      // One asks whether there is anything; while there is, more do.
      for (let wanted = 1; this.looksAgain && !this.closed; ) {
        this.looksAgain = false;
        const room = Math.min(wanted, MAX_AT_ONCE - this.held.size);
        if (room <= 0 || (!this.failing && performance.now() < this.claimsFrom)) return;
        if (!(await this.mayClaim())) return;
        const at = thisMoment();
        const asked = Array.from({ length: room }, () => this.workflows.claim());
        const found = (await Promise.all(asked)).filter((claimed) => claimed !== undefined);
        this.answeredAt = performance.now();
        this.isAway = false;
        for (const claimed of found) this.hold(claimed, at);
        if (found.length > 0) this.looksAgain = true;
        wanted = found.length < room ? 1 : Math.min(2 * wanted, CLAIMS_AT_ONCE);
      }
    } catch (error) {
      this.failed(error);
    }
  }

  /**
   * Whether there is something to claim, and the database says so promptly. A claim that waited for a database that was away would
   * be made at the first moment of its return, before those who live can renew theirs: the first answer after a failure begins
   * their time for that.
   */
  private async mayClaim(): Promise<boolean> {
    const asked = performance.now();
    if (!this.failing && asked - this.answeredAt < RECENT_MS) return true;
    // A mere read would not notice that nothing can be written.
    if (this.failing) await this.workflows.ping();
    const isDue = await this.workflows.isDue();
    this.answeredAt = performance.now();
    this.isAway = false;
    const isPrompt = this.answeredAt - asked < this.workflows.leaseMs / 2;
    const wasFailing = this.failing;
    if (!isPrompt || wasFailing) this.away();
    this.failing = !isPrompt;
    return isPrompt && !wasFailing && isDue;
  }

  private hold(claimed: Claimed, provenAt: Moment): void {
    const before = this.held.get(claimed.run);
    if (before !== undefined) this.lose(before);
    const none = { wakes: 0, told: 0, isLost: false, isRenewing: false };
    const held: Held = { ...claimed, ...none, provenAt, done: Promise.resolve() };
    this.held.set(claimed.run, held);
    held.done = (before?.done ?? Promise.resolve())
      .then(() => this.execute(held))
      .catch(this.complain)
      .finally(() => {
        if (this.held.get(held.run) === held) this.held.delete(held.run);
        this.look();
      });
  }

  private async execute(held: Held): Promise<void> {
    try {
      const begun = await this.rows.begin(held);
      // It has ended, was deleted, or belongs to another workflow: this one has nothing to do.
      if (begun === undefined) return await this.workflows.complete(held);
      held.wakes = held.told = begun.wakes;
      const end = await this.pass(held, begun);
      if (!held.isLost) await this.settle(held, begun.stored, end);
      this.failures.delete(held.run);
    } catch (error) {
      if (held.isLost || this.closed) return;
      const failures = (this.failures.get(held.run) ?? 0) + 1;
      this.failures.set(held.run, failures);
      await this.workflows.release(held, Math.min(AGAIN_MS * 2 ** (failures - 1), LONGEST_MS));
      // The executor has said why a pass was given up.
      if ((error as { readonly code?: unknown }).code !== 'storage_failed') return;
      this.away();
    }
  }

  private async pass(held: Held, { stored, given }: SharedRun): Promise<PassEnd> {
    const isFirst = held.attempt === 1;
    const known = isFirst ? { steps: [], next: 0 } : await this.workflows.steps(held.workflow, held);
    let n = known.next;
    const step: Pass['step'] = async (key, fn, replaces = []) => {
      await this.leases.prove(held);
      const result = await fn();
      const kept = { n: n++, result };
      await this.record(held, key, () =>
        replaces.length === 0
          ? this.workflows.record(held, key, kept)
          : this.workflows.replace(held, key, kept, replaces),
      );
      return result;
    };
    const steps = [...given, ...known.steps];
    const claim = { isFresh: () => this.leases.isFresh(held), prove: () => this.leases.prove(held) };
    return (await this.host?.carryOn({ run: stored, steps, step, claim })) ?? { kind: 'suspended' };
  }

  /** Until it is written, or another server has the run: a database that is away for a moment loses nothing. */
  private async record(held: Held, key: string, write: () => Promise<boolean>): Promise<void> {
    for (;;) {
      try {
        if (!held.isLost && (await write())) return;
        this.lose(held);
      } catch (error) {
        if (held.isLost || this.closed) throw error;
        this.away();
        await sleep(RECORD_AGAIN_MS, undefined, { ref: false });
      }
      if (held.isLost) throw new Error(`The run of step ${key} is executed elsewhere.`);
    }
  }

  private async settle(held: Held, stored: StoredRun, end: PassEnd): Promise<void> {
    if (end.kind === 'suspended') {
      // The server stops: the others go on with it at once.
      this.claimsFrom = Number.POSITIVE_INFINITY;
      await this.workflows.release(held, 0);
      this.deps.bus.publish('run-due');
      return;
    }
    if (end.kind === 'parked') return this.park(held, end);
    if (!(await this.rows.end(held, end, this.deps.node))) return;
    const { kind: _, at: endedAt, ...more } = end;
    // Only who cancelled it can be news.
    const known = end.status === 'cancelled' ? ((await this.rows.find(held.run))?.stored ?? stored) : stored;
    this.host?.ended({ ...known, ...more, endedAt });
    this.deps.bus.publish('run-settled', held.run);
    await this.workflows.complete(held);
  }

  private async park(
    held: Held,
    { waitingFor, until }: Extract<PassEnd, { readonly kind: 'parked' }>,
  ): Promise<void> {
    const { run } = held;
    const parked = await this.rows.park(held, waitingFor);
    if (parked === undefined) return;
    const left = until === undefined ? undefined : until - this.deps.now();
    await this.workflows.park(held, signalOf(run, parked), until);
    // Those of other servers are found by looking.
    if (left !== undefined) this.timers.once(left, () => this.look());
    this.host?.parked(parked.stored);
    this.deps.bus.publish('run-settled', run);
    await this.waking.parked(run, held.wakes);
  }

  private lose(held: Held): void {
    if (held.isLost) return;
    held.isLost = true;
    this.host?.lost?.(held.run);
  }

  private lookHere(): void {
    if (this.held.size >= MAX_AT_ONCE || this.host === undefined) this.deps.bus.publish('run-due');
    else this.look();
  }

  /** Tells passes here what other servers were told. */
  private async tellWoken(): Promise<void> {
    for (const { stored, wakes } of await this.rows.woken([...this.held.keys()])) {
      const held = this.held.get(stored.run);
      if (held === undefined || wakes === held.told) continue;
      held.told = wakes;
      this.host?.woken?.(stored);
    }
  }

  private away(): void {
    this.failing = true;
    this.claimsFrom = Math.max(this.claimsFrom, performance.now() + 2 * this.workflows.leaseMs);
  }
}

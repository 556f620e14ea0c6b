import {
  type CodedError,
  decodeError,
  type DurableStep,
  encodeError,
  type Host,
  type RunCtx,
  type Stretch,
  type Stretches,
  stretchKey,
  WeftError,
  type WaitFor,
} from '#engine';
import type { WaitStore } from './durable-runs.ts';
import { KeptStretches } from './kept-stretches.ts';
import type { Pass } from './port.ts';
import { type RecordLimits, tooLarge } from './size.ts';
import { readRecord, writeRecord } from './step-record.ts';
import type { Values } from './values.ts';

export interface ContextDeps {
  readonly pass: Pass;
  readonly limits: RecordLimits;
  readonly values: Values;
  readonly waits: WaitStore;
  readonly host: Pick<Host, 'now' | 'timer'>;
  /** How far the clock that operators read is ahead of the host's, in milliseconds; 0 by default. */
  readonly ahead?: () => number;
  /** A wait with less than this left does not park the run: the pass waits, in milliseconds. */
  readonly parkMs?: number;
  /** Called when only waits are left. */
  park(waits: readonly OpenOne[]): void;
  /** Called when the run was asked to end. */
  cancel(): void;
  /** Called when a step or a question could not be recorded: the pass must be given up. */
  lost(error: unknown): void;
}

/** A wait that has not ended. */
export interface OpenOne {
  readonly key: string;
  readonly node: string;
  readonly what: WaitFor;
}

/** The default of `parkMs`. */
const PARK_MS = 1000;

/** The share of a run's records that parts of steps may use, so that room is left for whole steps. */
const SHARE_OF_PARTS = 0.5;

/** The signal of what no abort ends. */
const NEVER = new AbortController().signal;

interface Executed {
  readonly signal: AbortSignal;
  /** The records that go with this one. */
  readonly replaces?: readonly string[];
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

/**
 * Executes the steps and waits of a run in one pass.
 * PC1. A step with a record is not executed; a result is used only once it is recorded.
 * PC2. Ends are taken in the order in which earlier passes took them, as far as they recorded it.
 * PC3. The time or question of a wait is fixed when the wait starts, by the host's clock; its end is recorded like a
 *      step.
 * PC4. The run is parked when each awaited attempt is at a wait, so that parking never repeats a step in flight.
 * PC5. The records of a stretch of a loop go when the record of the whole stretch comes.
 * PC6. After `over` is set nothing is recorded and nothing ends any more.
 */
export class PassContext implements RunCtx {
  over = false;
  /** The run was asked to end: it ends at the first step without a record, or where it would park. */
  cancelled = false;
  readonly claim: RunCtx['claim'];
  private readonly deps: ContextDeps;
  private readonly records = new Map<string, string>();
  private readonly lengths = new Map<string, number>();
  private readonly byStretch = new KeptStretches();
  /** The size of all records, in characters. */
  private size = 0;
  /** The order in which earlier passes took ends, and the ends that this pass took since its last record. */
  private readonly order = new Map<string, { readonly keys: string[]; at: number }>();
  private taken: string[] = [];
  private readonly open = new Map<string, OpenOne & { poke(): void }>();
  /** How often `poke` was called. */
  private pokes = 0;
  /** The steps in progress; those of them that have parts, which are steps too; and how many parts those now wait for. */
  private readonly inFlight = new Set<string>();
  private readonly wholes = new Set<string>();
  private readonly holding = new Map<string, number>();
  /** Facts that are being recorded. */
  private readonly facts = new Map<string, Promise<unknown>>();
  private closing = false;
  private considering = false;
  private readonly whenQuiet: (() => void)[] = [];
  private awaited: () => number = () => Number.POSITIVE_INFINITY;

  constructor(deps: ContextDeps) {
    this.deps = deps;
    this.claim = deps.pass.claim;
    for (const { key, result } of deps.pass.steps) {
      const { order, text } = readRecord(result);
      this.records.set(key, text);
      this.added(key, result.length, order);
      for (const node of order) this.orderOf(node).keys.push(node);
    }
  }

  private added(key: string, length: number, order: readonly string[]): void {
    this.size += length;
    this.lengths.set(key, length);
    this.byStretch.add(key, order);
  }

  async step({ key, whole, signal }: DurableStep, fn: () => Promise<unknown>): Promise<unknown> {
    const known = this.known(key);
    if (known !== undefined) return valueOf(known);
    const work = (): Promise<unknown> => unlessAborted(signal, fn);
    if (whole === undefined) return valueOf(await this.execute(key, work, { signal }));
    // In a loop that is too long, the remaining parts are not recorded: they belong to the whole step.
    const isLeft = !this.over && !this.closing && !this.cancelled;
    if (isLeft && this.refusal(SHARE_OF_PARTS)) return work();
    const release = this.parts(whole);
    return valueOf(await this.execute(key, work, { signal }).finally(release));
  }

  async next(running: ReadonlyMap<string, unknown>, first: () => Promise<string>): Promise<string> {
    const key = this.nextKnown(running) ?? (await first());
    this.taken.push(key);
    return key;
  }

  async wait(key: string, node: string, what: WaitFor, signal: AbortSignal): Promise<unknown> {
    const record = async (name: string, value: unknown): Promise<unknown> =>
      valueOf(this.known(name) ?? (await this.execute(name, async () => value, { signal })));
    const begun = (await record(`${key}:wait`, this.byHost(what))) as WaitFor;
    const end = this.known(`${key}:waited`);
    if (end !== undefined) return valueOf(end);
    return record(`${key}:waited`, await this.waitFor(key, node, begun, signal));
  }

  parts(key: string): () => void {
    if (!this.inFlight.has(key)) return () => {};
    this.wholes.add(key);
    this.holding.set(key, (this.holding.get(key) ?? 0) + 1);
    return () => {
      const left = (this.holding.get(key) ?? 1) - 1;
      if (left > 0) this.holding.set(key, left);
      else this.holding.delete(key);
      if (this.open.size > 0) this.considerSoon();
    };
  }

  readonly stretches: Stretches = {
    kept: (of) => {
      const known = this.known(stretchKey(of));
      return known && { value: valueOf(known) };
    },
    keep: (of, value) => this.keepStretch(of, value),
  };

  private keepStretch(of: Stretch, value: unknown): Promise<void> | undefined {
    const { loop, from } = of;
    if (this.over || this.closing || this.cancelled) return undefined;
    const replaces = this.byStretch.goneWith(loop, from);
    if (replaces === undefined || this.isUnfit(value)) return undefined;
    return this.execute(stretchKey(of), async () => value, { signal: NEVER, replaces }).then(() => {
      for (const key of replaces) {
        this.records.delete(key);
        this.size -= this.lengths.get(key) ?? 0;
        this.lengths.delete(key);
      }
      this.byStretch.replaced(loop, from, replaces);
    });
  }

  /** A value that cannot be recorded as a whole: the records of the items stay. */
  private isUnfit(value: unknown): boolean {
    try {
      return typeof this.textOf('', { value }) !== 'string';
    } catch {
      // An error of the disk: whoever records the value finds that out too.
      return false;
    }
  }

  once(name: string, fn: () => Promise<unknown>): Promise<unknown> {
    const known = this.facts.get(name);
    if (known !== undefined) return known;
    const fact = this.fact(`:${name}`, fn);
    this.facts.set(name, fact);
    fact.catch(() => this.facts.delete(name));
    return fact;
  }

  private async fact(key: string, fn: () => Promise<unknown>): Promise<unknown> {
    const known = this.known(key);
    if (known !== undefined) return valueOf(known);
    const value = await fn();
    return valueOf(await this.execute(key, async () => value, { signal: NEVER }));
  }

  idle(awaited: () => number): void {
    this.awaited = awaited;
    if (this.open.size > 0) this.considerSoon();
  }

  /** Ends the run; a step in flight is aborted. */
  cancel(): void {
    this.cancelled = true;
    this.deps.cancel();
  }

  /** Resolves when no step is in flight; no step starts any more. */
  async quiet(): Promise<void> {
    this.closing = true;
    while (this.inFlight.size > this.wholes.size && !this.over)
      await new Promise<void>((resolve) => this.whenQuiet.push(resolve));
  }

  /** Call it when an event that an open wait is waiting for may have happened. */
  poke(): void {
    this.pokes++;
    for (const { poke } of [...this.open.values()]) poke();
  }

  // --------------------------------------------------------------------------------------------------------- steps

  private known(key: string): Outcome | undefined {
    const text = this.records.get(key);
    if (text === undefined) return undefined;
    const kept = this.deps.values.read(text) as { value: unknown } | { failed: CodedError };
    return 'failed' in kept ? { error: decodeError(kept.failed) } : kept;
  }

  private async execute(
    key: string,
    fn: () => Promise<unknown>,
    { signal, replaces }: Executed,
  ): Promise<Outcome> {
    if (this.over || this.closing) return forever();
    if (this.cancelled) return this.endRun(signal);
    const refusal = this.refusal();
    if (refusal) return { error: refusal };
    // It takes its place now, so that parallel steps cannot exceed the limit together.
    this.records.set(key, '');
    this.inFlight.add(key);
    try {
      const outcome = await this.record(key, fn, replaces);
      return this.over ? forever() : outcome;
    } catch (error) {
      if (!this.over) this.deps.lost(error);
      return forever();
    } finally {
      this.inFlight.delete(key);
      this.wholes.delete(key);
      this.holding.delete(key);
      for (const resolve of this.whenQuiet.splice(0)) resolve();
      if (this.open.size > 0) this.considerSoon();
    }
  }

  /** The error if there is no room for another record; `share` is a fraction of the limits. */
  private refusal(share = 1): WeftError | undefined {
    const used = { steps: (this.records.size + 1) / share, size: this.size / share };
    return tooLarge(this.deps.limits, used);
  }

  private async endRun(signal: AbortSignal): Promise<never> {
    // Only after this turn does the run know that this step is awaited, and ends it too.
    await Promise.resolve();
    if (this.over) return forever();
    this.deps.cancel();
    return whenAborted(signal);
  }

  private async record(
    key: string,
    fn: () => Promise<unknown>,
    replaces?: readonly string[],
  ): Promise<Outcome> {
    let outcome: Outcome = { value: undefined };
    const work = async (): Promise<string> => {
      outcome = await outcomeOf(fn);
      if (this.over) throw new Error('The pass is over.');
      const text = this.textOf(key, outcome);
      if (typeof text !== 'string') outcome = { error: text };
      const order = this.taken;
      this.taken = [];
      const written = writeRecord({
        order,
        text: typeof text === 'string' ? text : this.failureText(text),
      });
      this.added(key, written.length, order);
      return written;
    };
    await this.deps.pass.step(key, work, replaces);
    return outcome;
  }

  /**
   * The text of an outcome, or the error if it contains a value that cannot be recorded: the step then ends with it.
   */
  private textOf(key: string, outcome: Outcome): string | WeftError {
    try {
      if ('error' in outcome) return this.failureText(outcome.error);
      return this.deps.values.write(outcome, `The result of step ${key}`);
    } catch (error) {
      if (error instanceof WeftError && error.code.startsWith('durable_')) return error;
      throw error;
    }
  }

  private failureText(error: unknown): string {
    return this.deps.values.write({ failed: encodeError(error) });
  }

  private nextKnown(running: ReadonlyMap<string, unknown>): string | undefined {
    const [any] = running.keys();
    if (any === undefined) return undefined;
    const order = this.orderOf(any);
    while (order.at < order.keys.length) {
      const key = order.keys[order.at++] as string;
      if (running.has(key)) return key;
    }
    return undefined;
  }

  /** The ends of the run, and of each run of a body in it, have an order of their own. */
  private orderOf(key: string): { readonly keys: string[]; at: number } {
    const place = key.slice(0, key.lastIndexOf('/') + 1);
    let order = this.order.get(place);
    if (order === undefined) this.order.set(place, (order = { keys: [], at: 0 }));
    return order;
  }

  // --------------------------------------------------------------------------------------------------------- waits

  /** Converts to the host's clock, because the run may continue under another clock than the operator's. */
  private byHost(what: WaitFor): WaitFor {
    const ahead = this.deps.ahead?.() ?? 0;
    return what.until === undefined || ahead === 0 ? what : { ...what, until: what.until - ahead };
  }

  private async waitFor(key: string, node: string, what: WaitFor, signal: AbortSignal): Promise<unknown> {
    const { waits, host, pass } = this.deps;
    const { run, flow } = pass.run;
    if (what.kind === 'answer') await this.kept(waits.open({ run, key, node, flow, what, at: host.now() }));
    for (;;) {
      // Read before the look, so that another look sees what happens during it.
      const [at, pokes] = [host.now(), this.pokes];
      const answer = what.kind === 'answer' ? await this.kept(waits.answer(run, key)) : undefined;
      if (answer !== undefined) return answer.value;
      const left = (what.until ?? Number.POSITIVE_INFINITY) - at;
      if (left <= 0) return undefined;
      signal.throwIfAborted();
      if (pokes === this.pokes) await this.pause({ key, node, what }, left, signal);
    }
  }

  /**
   * A question that the disk refuses does not end the run: the pass is given up, as for a step that cannot be recorded.
   */
  private async kept<T>(stored: Promise<T>): Promise<T> {
    try {
      return await stored;
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'storage_failed') throw error;
      if (!this.over) this.deps.lost(error);
      return forever();
    }
  }

  /** Waits until the wait may be over: at a poke, at its time, or at the end of the run. */
  private pause(one: OpenOne, left: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        this.open.delete(one.key);
        stop?.();
        signal.removeEventListener('abort', go);
        resolve();
      };
      const stop = Number.isFinite(left) ? this.deps.host.timer(left, go) : undefined;
      signal.addEventListener('abort', go, { once: true });
      if (left <= (this.deps.parkMs ?? PARK_MS)) return;
      this.open.set(one.key, { ...one, poke: go });
      this.considerSoon();
    });
  }

  /** Once what just ended has begun what follows it. */
  private considerSoon(): void {
    if (this.considering) return;
    this.considering = true;
    this.deps.host.timer(0, () => {
      this.considering = false;
      this.consider();
    });
  }

  private consider(): void {
    const { size } = this.open;
    const isBusy = this.inFlight.size > this.holding.size;
    if (this.over || this.closing || size === 0 || isBusy || this.awaited() !== size) return;
    if (this.cancelled) this.deps.cancel();
    else this.deps.park([...this.open.values()].map(({ key, node, what }) => ({ key, node, what })));
  }
}

async function outcomeOf(fn: () => Promise<unknown>): Promise<Outcome> {
  try {
    return { value: await fn() };
  } catch (error) {
    return { error };
  }
}

function valueOf(outcome: Outcome): unknown {
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

/**
 * An aborted attempt has failed, whatever it still returns: its run treats it as failed. The parts of a loop share a signal, so
 * each removes its listener.
 */
function unlessAborted(signal: AbortSignal, fn: () => Promise<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(signal.reason as Error);
    const over = (): void => signal.removeEventListener('abort', fail);
    fn().then(resolve, reject).finally(over);
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (): void => reject(signal.reason as Error);
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}

function forever(): Promise<never> {
  return new Promise(() => {});
}

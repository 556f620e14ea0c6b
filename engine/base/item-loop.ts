import { WeftError } from './errors.ts';
import type { Call } from './operator.ts';
import type { LoopStretches } from './strand.ts';

/** How long the loop works on items without yielding to other work, in milliseconds. */
const SLICE_MS = 10;
const CLOCK_EVERY = 4;

/** The value of an item that leaves no trace in the result. */
export const LEFT_OUT: unique symbol = Symbol('left out');

/**
 * How many items of a durable run are recorded as one, once all of them have ended. Records of older releases name their stretches, so
 * another number would work on unfinished loops again.
 */
export const STRETCH = 500;
/** Shorter loops are recorded item by item. */
const LONG = 50;

/** What a loop needs of the attempt that it is part of. */
type LoopCall = Pick<Call, 'signal' | 'now' | 'sleep' | 'stretches'>;

/** A loop over items: how many there are, and what is done with each. */
export interface LoopWork {
  readonly count: number;
  /** Items in progress at once. */
  readonly concurrency: number;
  /** Works on one item and returns its value, or a promise of it. An error ends the loop. */
  item(index: number, signal: AbortSignal): unknown;
  /** The value of an item as one that can be recorded, and back; by default it can be as it is. */
  readonly code?: { pack(value: unknown): unknown; unpack(packed: unknown): unknown };
}

/** Works on all items; the values are in the order of the items. Returns a promise only if an item takes more than this turn. */
export function loopItems(call: LoopCall, work: LoopWork): unknown[] | Promise<unknown[]> {
  return new ItemLoop(call, work).run();
}

/**
 * L1. At most `concurrency` items are in progress; they start in order.
 * L2. An item that ends in the turn in which it started costs no promise.
 * L3. In a durable run a stretch of items begins when the one before has ended and is recorded.
 * L4. After a failure or the end of the signal no item starts, those in progress are aborted, and nobody waits for them.
 */
class ItemLoop {
  private readonly call: LoopCall;
  private readonly work: LoopWork;
  private readonly values: unknown[];
  private readonly inner = new AbortController();
  private readonly stretches: LoopStretches | undefined;
  private next = 0;
  /** Where the present stretch ends. */
  private limit: number;
  /** The stretch that has ended is being recorded. */
  private recording = false;
  private open: number;
  private active = 0;
  private sliceStart: number;
  /** Items that were started since the clock was read. */
  private unread = 0;
  private paused = false;
  private failure: { readonly error: unknown } | undefined = undefined;
  private onEnd: (() => void) | undefined = undefined;

  constructor(call: LoopCall, work: LoopWork) {
    this.call = call;
    this.work = work;
    this.open = work.count;
    this.values = Array.from({ length: work.count });
    this.stretches = work.count < LONG ? undefined : call.stretches;
    this.limit = this.stretches === undefined ? work.count : 0;
    this.sliceStart = call.now();
    this.enter();
  }

  run(): unknown[] | Promise<unknown[]> {
    this.call.signal.throwIfAborted();
    this.startItems();
    if (this.failure !== undefined) throw this.failure.error;
    return this.isOver ? this.result() : this.later();
  }

  private later(): Promise<unknown[]> {
    const { signal } = this.call;
    return new Promise((resolve, reject) => {
      const onAbort = (): void => this.fail(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      this.onEnd = () => {
        signal.removeEventListener('abort', onAbort);
        if (this.failure !== undefined) reject(this.failure.error as Error);
        else resolve(this.result());
      };
    });
  }

  private result(): unknown[] {
    return this.values.filter((value) => value !== LEFT_OUT);
  }

  private startItems(): void {
    const { count, concurrency } = this.work;
    while (
      this.next < this.limit &&
      this.active < concurrency &&
      !this.paused &&
      this.failure === undefined
    ) {
      this.startItem(this.next++);
      if (this.next < count && this.isTime()) this.pause();
    }
  }

  /** Whether the slice is over; the clock is read only now and then, since a short item takes little longer than that. */
  private isTime(): boolean {
    if (++this.unread < CLOCK_EVERY) return false;
    this.unread = 0;
    return this.call.now() - this.sliceStart >= SLICE_MS;
  }

  private startItem(index: number): void {
    try {
      const value = this.work.item(index, this.inner.signal);
      if (value instanceof Promise) this.await(index, value);
      else this.take(index, value);
    } catch (error) {
      this.fail(error);
    }
  }

  private await(index: number, promise: Promise<unknown>): void {
    this.active++;
    promise.then(
      (value) => {
        this.active--;
        this.take(index, value);
        this.startItems();
      },
      (error: unknown) => this.fail(error),
    );
  }

  private take(index: number, value: unknown): void {
    this.values[index] = value;
    this.open--;
    if (this.stretches !== undefined && this.open === this.work.count - this.limit) this.recordStretch();
    if (this.isOver && this.failure === undefined) this.onEnd?.();
  }

  private get isOver(): boolean {
    return this.open === 0 && !this.recording;
  }

  /** All items up to `limit` have ended. */
  private recordStretch(): void {
    if (this.failure !== undefined) return;
    const from = Math.floor((this.limit - 1) / STRETCH) * STRETCH;
    const { pack } = this.work.code ?? plain;
    const ends = this.values
      .slice(from, this.limit)
      .map((value) => (value === LEFT_OUT ? [] : [pack(value)]));
    const recorded = this.stretches?.keep(from, this.limit, ends);
    if (recorded === undefined) {
      this.enter();
      return;
    }
    this.recording = true;
    recorded.then(
      () => {
        this.recording = false;
        this.enter();
        if (this.isOver && this.failure === undefined) this.onEnd?.();
        else this.startItems();
      },
      (error: unknown) => this.fail(error),
    );
  }

  /** Enters the next stretch whose items are to be worked on; of those before it the recorded values are taken. */
  private enter(): void {
    const { count, code = plain } = this.work;
    while (this.stretches !== undefined && this.limit < count) {
      const from = this.limit;
      this.limit = Math.min(from + STRETCH, count);
      const kept = this.stretches.kept(from, this.limit);
      if (kept === undefined) return;
      for (const [at, end] of (kept as readonly (readonly unknown[])[]).entries())
        this.values[from + at] = end.length === 0 ? LEFT_OUT : code.unpack(end[0]);
      this.open -= kept.length;
      this.next = this.limit;
    }
  }

  private fail(error: unknown): void {
    if (this.failure !== undefined) return;
    this.failure = { error };
    // Items whose run is cancelled, or continues elsewhere, learn that.
    const isOfLoop = !this.call.signal.aborted;
    this.inner.abort(
      isOfLoop
        ? new WeftError('run_cancelled', 'The loop ended before this item did.')
        : this.call.signal.reason,
    );
    this.onEnd?.();
  }

  private pause(): void {
    this.paused = true;
    const goOn = (): void => {
      this.paused = false;
      this.sliceStart = this.call.now();
      this.startItems();
    };
    // It rejects with the signal, and the loop has already seen that the signal ended.
    this.call.sleep(0).then(goOn, () => {});
  }
}

const plain: NonNullable<LoopWork['code']> = { pack: (value) => value, unpack: (packed) => packed };

// ------------------------------------------------------------------------------------------- failures of items

/** The failure of an item as the failure of the whole: its message and its data name the item. The message counts from 1, as people do; `index` counts from 0. */
export function inItem(error: unknown, index: number): unknown {
  if (!(error instanceof WeftError)) return error;
  const { code, message, data, transient, field } = error;
  const place = typeof data === 'object' && data !== null ? { ...data, index } : { index };
  return new WeftError(code, `Item ${index + 1}: ${message}`, { data: place, transient, field });
}

/** The failure of an item as a value in the result. */
export function toldOf(error: unknown): { code: string; message: string; data?: unknown } {
  if (!(error instanceof WeftError)) {
    return { code: 'node_failed', message: error instanceof Error ? error.message : 'The item failed.' };
  }
  const { code, message, data } = error;
  return { code, message, ...(data !== undefined && { data }) };
}

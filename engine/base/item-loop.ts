import { WeftError } from './errors.ts';
import type { Call } from './operator.ts';

/** How long the loop works on items without yielding to other work, in milliseconds. */
const SLICE_MS = 10;

/** The value of an item that leaves no trace in the result. */
export const LEFT_OUT: unique symbol = Symbol('left out');

/** What a loop needs of the attempt that it is part of. */
type LoopCall = Pick<Call, 'signal' | 'now' | 'sleep'>;

export interface LoopWork {
  readonly count: number;
  /** Items in progress at once. */
  readonly concurrency: number;
  /** Works on one item and returns its value, or a promise of it. An error ends the loop. */
  item(index: number, signal: AbortSignal): unknown;
}

/** Works on all items; the values are in the order of the items. Returns a promise only if an item takes more than this turn. */
export function loopItems(call: LoopCall, work: LoopWork): unknown[] | Promise<unknown[]> {
  return new ItemLoop(call, work).run();
}

/**
 * L1. At most `concurrency` items are in progress; they start in order.
 * L2. An item that ends in the turn in which it started costs no promise.
 * L3. After a failure or the end of the signal no item starts, those in progress are aborted, and nobody waits for them.
 */
class ItemLoop {
  private readonly call: LoopCall;
  private readonly work: LoopWork;
  private readonly values: unknown[];
  private readonly inner = new AbortController();
  private next = 0;
  private open: number;
  private active = 0;
  private sliceStart: number;
  private paused = false;
  private failure: { readonly error: unknown } | undefined = undefined;
  private onEnd: (() => void) | undefined = undefined;

  constructor(call: LoopCall, work: LoopWork) {
    this.call = call;
    this.work = work;
    this.open = work.count;
    this.values = Array.from({ length: work.count });
    this.sliceStart = call.now();
  }

  run(): unknown[] | Promise<unknown[]> {
    this.call.signal.throwIfAborted();
    this.startItems();
    if (this.failure !== undefined) throw this.failure.error;
    return this.open === 0 ? this.result() : this.later();
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
    while (this.next < count && this.active < concurrency && !this.paused && this.failure === undefined) {
      this.startItem(this.next++);
      if (this.next < count && this.call.now() - this.sliceStart >= SLICE_MS) this.pause();
    }
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
    if (--this.open === 0 && this.failure === undefined) this.onEnd?.();
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

// ------------------------------------------------------------------------------------------- failures of items

/** The failure of an item as the failure of the whole: its message and its data name the item. */
export function inItem(error: unknown, index: number): unknown {
  if (!(error instanceof WeftError)) return error;
  const { code, message, data, transient, field } = error;
  const place = typeof data === 'object' && data !== null ? { ...data, index } : { index };
  return new WeftError(code, `Item ${index}: ${message}`, { data: place, transient, field });
}

/** The failure of an item as a value in the result. */
export function toldOf(error: unknown): { code: string; message: string; data?: unknown } {
  if (!(error instanceof WeftError)) {
    return { code: 'node_failed', message: error instanceof Error ? error.message : 'The item failed.' };
  }
  const { code, message, data } = error;
  return { code, message, ...(data !== undefined && { data }) };
}

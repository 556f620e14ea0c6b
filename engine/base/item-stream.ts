import { WeftError } from './errors.ts';

/** Result of `poll` if no item is available yet. */
export const PENDING: unique symbol = Symbol('pending');
/** Result of `poll` after the last item. */
export const END: unique symbol = Symbol('end');

interface Asked {
  resolve(result: IteratorResult<unknown>): void;
  reject(error: unknown): void;
}

/**
 * A stream that returns an available item synchronously, so that a pipeline of synchronous operators needs no promise per item.
 * One reader can also iterate it like any other stream.
 *
 * I1. `poll` asks for one item: the item, `PENDING` or `END`. It throws the stream's failure once, then returns `END`.
 * I2. A reader that got `PENDING` may call `whenReady` in the same turn, and only then. `wake` is called once, never from within
 *     `whenReady`, when it is worth polling again. The call may be spurious; a later `whenReady` replaces it.
 * I3. After `close`, `poll` returns only `END`, and the feeder of the stream has been asked to stop.
 */
export abstract class ItemStream implements AsyncIterableIterator<unknown> {
  private asked: Asked[] | undefined = undefined;

  abstract poll(): unknown;
  abstract whenReady(wake: () => void): void;
  /** The feeder works on a requested item, whether a reader waits or not: `whenReady` may be called until it has finished. */
  get isBusy(): boolean {
    return false;
  }
  /** It can continue only when another stream of the run continues. */
  get isHeldUp(): boolean {
    return false;
  }
  /** Stops the stream. Returns a promise if the feeder needs time to end; the promise never rejects. */
  abstract close(): Promise<unknown> | undefined;

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** May be called again before the item of an earlier call has arrived. */
  next(): Promise<IteratorResult<unknown>> {
    const ready = this.asked?.length ? PENDING : this.now();
    if (ready !== PENDING) return ready;
    return new Promise((resolve, reject) => {
      const asked = (this.asked ??= []);
      asked.push({ resolve, reject });
      if (asked.length === 1) this.serve(asked);
    });
  }

  return(): Promise<IteratorResult<unknown>> {
    void this.close();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** The answer for an item that is available already. */
  private now(): Promise<IteratorResult<unknown>> | typeof PENDING {
    try {
      const item = this.poll();
      if (item === PENDING) return PENDING;
      return Promise.resolve(item === END ? { done: true, value: undefined } : { done: false, value: item });
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }

  private serve(asked: Asked[]): void {
    for (let next = asked[0]; next !== undefined; next = asked[0]) {
      try {
        const item = this.poll();
        if (item === PENDING) {
          this.whenReady(() => this.serve(asked));
          return;
        }
        next.resolve(item === END ? { done: true, value: undefined } : { done: false, value: item });
      } catch (error) {
        next.reject(error);
      }
      asked.shift();
    }
  }
}

/** A stream over an iterator, where every item costs a promise; it requests one item at a time. */
class IteratedStream extends ItemStream {
  private readonly iterator: AsyncIterator<unknown>;
  private pulling: Promise<void> | undefined = undefined;
  /** Items that have arrived and were not polled yet. */
  private item: unknown = PENDING;
  private failure: { readonly error: unknown } | undefined = undefined;
  private over = false;
  private wake: (() => void) | undefined = undefined;

  constructor(iterator: AsyncIterator<unknown>) {
    super();
    this.iterator = iterator;
  }

  poll(): unknown {
    const { item, failure } = this;
    if (failure !== undefined) {
      this.failure = undefined;
      throw failure.error;
    }
    if (item !== PENDING) {
      this.item = PENDING;
      return item;
    }
    if (this.over) return END;
    this.pulling ??= this.pull();
    return PENDING;
  }

  whenReady(wake: () => void): void {
    this.wake = wake;
  }

  override get isBusy(): boolean {
    return this.pulling !== undefined;
  }

  close(): Promise<unknown> | undefined {
    this.item = PENDING;
    this.failure = undefined;
    if (this.over) return undefined;
    this.over = true;
    // A generator in the middle of a step runs its `finally` when that step ends; errors there are lost.
    return Promise.all([this.pulling, this.stop()]);
  }

  private async pull(): Promise<void> {
    try {
      const result = await this.iterator.next();
      this.take(result.done === true ? END : result.value);
    } catch (error) {
      if (!this.over) this.failure = { error };
      this.over = true;
    }
    this.pulling = undefined;
    const { wake } = this;
    this.wake = undefined;
    wake?.();
  }

  private take(item: unknown): void {
    if (this.over) return;
    if (item === END) this.over = true;
    else this.item = item;
  }

  private async stop(): Promise<void> {
    try {
      await this.iterator.return?.();
    } catch {
      // See `close`.
    }
  }
}

/** A stream over batches of items, which costs a promise for each batch and none for an item. */
class PiecesStream extends ItemStream {
  private readonly pieces: ItemStream;
  private piece: readonly unknown[] = [];
  private at = 0;

  constructor(pieces: ItemStream) {
    super();
    this.pieces = pieces;
  }

  poll(): unknown {
    while (this.at === this.piece.length) {
      const next = this.pieces.poll();
      if (next === PENDING || next === END) return next;
      this.piece = next as readonly unknown[];
      this.at = 0;
    }
    return this.piece[this.at++];
  }

  whenReady(wake: () => void): void {
    this.pieces.whenReady(wake);
  }

  override get isBusy(): boolean {
    return this.pieces.isBusy;
  }

  close(): Promise<unknown> | undefined {
    this.piece = [];
    this.at = 0;
    return this.pieces.close();
  }
}

/** The items of batches, one by one; the next batch is requested when none are left. */
export function itemsOfPieces<T>(pieces: AsyncIterable<readonly T[]>): AsyncIterableIterator<T> {
  return new PiecesStream(
    new IteratedStream(begin(pieces)),
  ) as AsyncIterableIterator<unknown> as AsyncIterableIterator<T>;
}

/** A value that throws when it is inspected is not a stream. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  if (typeof value !== 'object' || value === null) return false;
  try {
    return Symbol.asyncIterator in value;
  } catch {
    return false;
  }
}

/**
 * Turns any async iterable into a stream to poll.
 * @throws WeftError `bad_input` for anything else.
 */
export function itemStream(value: unknown): ItemStream {
  if (!isAsyncIterable(value)) throw new WeftError('bad_input', 'The input is not a stream.');
  if (value instanceof ItemStream) return value;
  return new IteratedStream(begin(value));
}

function begin(value: AsyncIterable<unknown>): AsyncIterator<unknown> {
  try {
    return value[Symbol.asyncIterator]();
  } catch (error) {
    if (error instanceof WeftError) throw error;
    throw new WeftError('bad_input', 'The input is a stream that cannot be read.');
  }
}

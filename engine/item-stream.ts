import { WeftError } from './errors.ts';

/** What `poll` gives when no item is there yet. */
export const PENDING: unique symbol = Symbol('pending');
/** What `poll` gives behind the last item. */
export const END: unique symbol = Symbol('end');

interface Asked {
  resolve(result: IteratorResult<unknown>): void;
  reject(error: unknown): void;
}

/**
 * A stream that gives an item in the same turn when it has one, so that a pipeline of synchronous operators needs no promise
 * an item. It can be iterated like any other stream too, by one reader.
 *
 * I1. `poll` asks for one item: the item, `PENDING` or `END`. It throws the stream's failure once, then gives `END`.
 * I2. Who got `PENDING` may call `whenReady` in the same turn, and only then; `wake` is called once, never from within
 *     `whenReady`, when it is worth polling again. It may be called in vain; a later `whenReady` takes its place.
 * I3. After `close` nothing but `END` comes, and whoever feeds the stream has been told to stop.
 */
export abstract class ItemStream implements AsyncIterableIterator<unknown> {
  private asked: Asked[] | undefined = undefined;

  abstract poll(): unknown;
  abstract whenReady(wake: () => void): void;
  /** No item is wanted any more. Gives a promise of the feeder's end where that takes time; it never rejects. */
  abstract close(): Promise<unknown> | undefined;

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** May be called again before the item of an earlier call is there. */
  next(): Promise<IteratorResult<unknown>> {
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

/** A stream read from an iterator, whose every item costs a promise; asked for one item at a time. */
class IteratedStream extends ItemStream {
  private readonly iterator: AsyncIterator<unknown>;
  private pulling: Promise<void> | undefined = undefined;
  /** What has come and was not polled yet. */
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

  close(): Promise<unknown> | undefined {
    this.item = PENDING;
    this.failure = undefined;
    if (this.over) return undefined;
    this.over = true;
    // A generator in the middle of a step runs its `finally` when that step ends; its failure there is nobody's.
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

/** A value that throws when it is asked is none. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  if (typeof value !== 'object' || value === null) return false;
  try {
    return Symbol.asyncIterator in value;
  } catch {
    return false;
  }
}

/**
 * Anything that can be iterated asynchronously, as a stream to poll.
 * @throws WeftError `bad_input` for anything else.
 */
export function itemStream(value: unknown): ItemStream {
  if (!isAsyncIterable(value)) throw new WeftError('bad_input', 'The input is no stream.');
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

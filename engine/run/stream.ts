import { WeftError } from '../errors.ts';

/**
 * A stream between nodes: one producer, pulled on demand, any number of readers.
 *
 * S1. Every reader gets every item; one that has not started yet counts.
 * S2. The producer is asked for an item only when a reader waits for one, and no reader is more than `BUFFER` items behind.
 * S3. A failure of the producer is thrown at each reader's next pull behind the items that came before it.
 * S4. When all readers are done or gone, the producer is told to stop (`return`) at once.
 */
export const BUFFER = 64;

export interface StreamHooks {
  /** An item was produced: how many so far. */
  item(count: number, value: unknown): void;
  /** The producer has ended, failed or was stopped. Called once. */
  end(count: number, error: unknown): void;
}

export class StreamSource {
  readonly producer: string;
  private readonly iterator: AsyncIterator<unknown>;
  private readonly readers = new Set<Reader>();
  private readonly hooks: StreamHooks;
  private pulling = false;
  private count = 0;
  ended = false;
  error: unknown = undefined;

  /** `first` is the pull that made the output count as emitted; `readers` is at least 1. */
  constructor(
    from: { producer: string; iterator: AsyncIterator<unknown>; first: IteratorResult<unknown> },
    readers: number,
    hooks: StreamHooks,
  ) {
    this.producer = from.producer;
    this.iterator = from.iterator;
    this.hooks = hooks;
    for (let i = 0; i < readers; i++) this.readers.add(new Reader(this));
    this.accept(from.first);
  }

  /** A reader that nobody has taken yet. */
  take(): Reader {
    for (const reader of this.readers) {
      if (!reader.taken) {
        reader.taken = true;
        return reader;
      }
    }
    throw new WeftError('stream_not_read', `The stream of ${this.producer} has no reader left.`);
  }

  /** Turns one reader that nobody has taken into `count` ones (a disabled step hands its stream on). */
  fork(count: number): void {
    if (count === 0) this.leave();
    for (const reader of this.readers) {
      if (reader.taken) continue;
      for (let i = 1; i < count; i++) this.readers.add(reader.copy());
      return;
    }
  }

  /** A consumer that will never come (its step was skipped). */
  leave(): void {
    for (const reader of this.readers) {
      if (!reader.taken) {
        reader.close();
        return;
      }
    }
  }

  /** Stops the producer, whoever still reads; they get `reason` thrown. */
  cancel(reason?: WeftError): void {
    if (this.ended) return;
    this.finish(reason);
    // A generator that is in the middle of a step runs its `finally` when that step ends; its failure there is nobody's.
    Promise.resolve(this.iterator.return?.()).catch(() => {});
  }

  drop(reader: Reader): void {
    this.readers.delete(reader);
    if (this.readers.size === 0) this.cancel();
    else this.pull();
  }

  /** Asks the producer for the next item if someone waits and nobody is too far behind. */
  pull(): void {
    if (this.pulling || this.ended || !this.wanted()) return;
    this.pulling = true;
    this.iterator.next().then(
      (result) => {
        this.pulling = false;
        if (this.ended) return;
        this.accept(result);
        this.pull();
      },
      (error: unknown) => {
        this.pulling = false;
        if (!this.ended)
          this.finish(error ?? new WeftError('node_failed', 'The stream failed without an error.'));
      },
    );
  }

  private wanted(): boolean {
    let waiting = false;
    for (const reader of this.readers) {
      if (reader.backlog >= BUFFER) return false;
      if (reader.waits) waiting = true;
    }
    return waiting;
  }

  private accept(result: IteratorResult<unknown>): void {
    if (result.done) {
      this.finish(undefined);
      return;
    }
    this.count++;
    this.hooks.item(this.count, result.value);
    for (const reader of this.readers) reader.push(result.value);
  }

  private finish(error: unknown): void {
    this.ended = true;
    this.error = error;
    for (const reader of this.readers) reader.wake();
    this.hooks.end(this.count, error);
  }
}

type Waiter = { resolve(result: IteratorResult<unknown>): void; reject(error: unknown): void };

/** One consumer's view of a stream; can be iterated once. */
export class Reader implements AsyncIterableIterator<unknown> {
  taken = false;
  private readonly source: StreamSource;
  private readonly items: unknown[] = [];
  private waiter: Waiter | undefined = undefined;
  private closed = false;

  constructor(source: StreamSource) {
    this.source = source;
  }

  get backlog(): number {
    return this.items.length;
  }

  get waits(): boolean {
    return this.waiter !== undefined;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<unknown>> {
    return new Promise((resolve, reject) => {
      this.waiter = { resolve, reject };
      this.wake();
      // Taking an item makes room that another reader may be waiting for.
      this.source.pull();
    });
  }

  return(): Promise<IteratorResult<unknown>> {
    this.close();
    return Promise.resolve({ done: true, value: undefined });
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.taken = true;
    this.items.length = 0;
    this.wake();
    this.source.drop(this);
  }

  copy(): Reader {
    const twin = new Reader(this.source);
    twin.items.push(...this.items);
    return twin;
  }

  push(item: unknown): void {
    this.items.push(item);
    this.wake();
  }

  wake(): void {
    const { waiter } = this;
    if (waiter === undefined) return;
    if (this.items.length > 0) {
      this.waiter = undefined;
      waiter.resolve({ done: false, value: this.items.shift() });
    } else if (this.closed || this.source.ended) {
      this.waiter = undefined;
      const { error, producer } = this.source;
      if (error === undefined || this.closed) waiter.resolve({ done: true, value: undefined });
      else waiter.reject(viaError(error, producer));
    }
  }
}

function viaError(error: unknown, producer: string): WeftError {
  if (error instanceof WeftError) {
    const { code, message, field, data, transient } = error;
    return new WeftError(code, message, { field, data, transient, via: error.via ?? producer });
  }
  const text = error instanceof Error ? error.message : String(error);
  return new WeftError('node_failed', text, { via: producer });
}

export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

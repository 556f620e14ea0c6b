import { END, ItemStream, itemStream, PENDING } from '../base/operator.ts';

/**
 * Calls `take` with each item of a stream until its end, without a promise per item. Rejects with the reason of `signal` as
 * soon as that aborts, even while the stream is silent. The stream is closed then, and also if `take` throws. Rejects with
 * `bad_input` if the input is not a stream.
 */
export function forEachItem(
  input: unknown,
  signal: AbortSignal,
  take: (item: unknown) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = itemStream(input);
    const fail = (reason: unknown): void => {
      signal.removeEventListener('abort', onAbort);
      reject(reason);
      void stream.close();
    };
    const onAbort = (): void => fail(signal.reason);
    const go = (): void => {
      if (signal.aborted) return;
      try {
        if (!takeAll(stream, take)) return stream.whenReady(go);
      } catch (error) {
        return fail(error);
      }
      signal.removeEventListener('abort', onAbort);
      resolve();
    };
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    go();
  });
}

/** Takes the available items; false if more will come. */
function takeAll(stream: ItemStream, take: (item: unknown) => void): boolean {
  for (let item = stream.poll(); item !== END; item = stream.poll()) {
    if (item === PENDING) return false;
    take(item);
  }
  return true;
}

/** How a pipe handles the items. */
export interface PipeSteps {
  /** Emits any number of items for one item; returns `END` if no more items are wanted. */
  take(item: unknown, emit: (item: unknown) => void): typeof END | void;
  /** Emits the rest at the end. */
  finish?(emit: (item: unknown) => void): void;
}

/** A stream made from another one, item by item. */
export class PipedStream extends ItemStream {
  private readonly source: ItemStream;
  private readonly steps: PipeSteps;
  /** Queued items: those from `at` to `count`. */
  private readonly out: unknown[] = [];
  private at = 0;
  private count = 0;
  private over = false;

  constructor(input: unknown, steps: PipeSteps) {
    super();
    this.source = itemStream(input);
    this.steps = steps;
  }

  poll(): unknown {
    while (this.at === this.count) {
      if (this.over) return END;
      this.at = this.count = 0;
      const item = this.source.poll();
      if (item === PENDING) return PENDING;
      this.take(item);
    }
    const item = this.out[this.at];
    this.out[this.at++] = undefined;
    return item;
  }

  whenReady(wake: () => void): void {
    this.source.whenReady(wake);
  }

  close(): Promise<unknown> | undefined {
    this.over = true;
    this.at = this.count = 0;
    return this.source.close();
  }

  private take(item: unknown): void {
    try {
      if (item === END) {
        this.over = true;
        this.steps.finish?.(this.emit);
      } else if (this.steps.take(item, this.emit) === END) {
        this.over = true;
        void this.source.close();
      }
    } catch (error) {
      void this.close();
      throw error;
    }
  }

  private readonly emit = (item: unknown): void => {
    this.out[this.count++] = item;
  };
}

/** What all streams over several sources have in common. */
export abstract class JoinedStream extends ItemStream {
  protected readonly sources: readonly ItemStream[];
  /** The sources that had no item at the last poll. */
  protected readonly pending: ItemStream[] = [];

  constructor(inputs: readonly unknown[]) {
    super();
    this.sources = inputs.map(itemStream);
  }

  whenReady(wake: () => void): void {
    for (const source of this.pending) source.whenReady(wake);
  }

  close(): Promise<unknown> | undefined {
    const endings = this.sources.map((source) => source.close()).filter((ending) => ending !== undefined);
    return endings.length === 0 ? undefined : Promise.all(endings);
  }
}

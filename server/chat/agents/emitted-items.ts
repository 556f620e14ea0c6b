/** Adds an item to the stream. Returns a promise if the reader is so far behind that the writer should wait for it. */
export type Emit<T> = (item: T) => Promise<void> | undefined;

/** The most items that a reader may be behind before the writer has to wait. */
const MOST_BEHIND = 64;

/**
 * The output of `work` as a stream that fails with `work`, after all its items. No item costs `work` a promise.
 * SI1. A reader that leaves, even while it waits for an item, aborts the signal of `work`. So does `signal`.
 * SI2. Once that signal has aborted, no writer waits any more.
 */
export function emittedItems<T>(
  signal: AbortSignal,
  work: (emit: Emit<T>, signal: AbortSignal) => Promise<void>,
): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const leaving = new AbortController();
      const items = read(AbortSignal.any([signal, leaving.signal]), work);
      return {
        next: () => items.next(),
        return() {
          leaving.abort();
          return items.return(undefined);
        },
      };
    },
  };
}

async function* read<T>(
  signal: AbortSignal,
  work: (emit: Emit<T>, signal: AbortSignal) => Promise<void>,
): AsyncGenerator<T, undefined> {
  const items: T[] = [];
  const bell = createBell();
  const room = createBell();
  let over = false;
  const emit: Emit<T> = (item) => {
    items.push(item);
    bell.ring();
    return items.length < MOST_BEHIND || signal.aborted ? undefined : room.wait();
  };
  signal.addEventListener('abort', room.ring, { once: true });
  const done = work(emit, signal).finally(() => {
    over = true;
    bell.ring();
  });
  // Until the reader handles it, the failure must not count as unhandled.
  done.catch(() => {});
  while (!over || items.length > 0) {
    if (items.length === 0) {
      await bell.wait();
      continue;
    }
    yield items.shift() as T;
    if (items.length < MOST_BEHIND / 2) room.ring();
  }
  await done;
  return undefined;
}

interface Bell {
  /** Resolves when it rings the next time. */
  wait(): Promise<void>;
  ring(this: void): void;
}

function createBell(): Bell {
  let waiting: Promise<void> | undefined;
  let wake: (() => void) | undefined;
  return {
    wait() {
      waiting ??= new Promise((resolve) => {
        wake = resolve;
      });
      return waiting;
    },
    ring() {
      wake?.();
      waiting = undefined;
      wake = undefined;
    },
  };
}

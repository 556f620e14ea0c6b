/**
 * A stream whose reader may leave at any moment: `make` gets a signal that aborts then. A generator alone would hear of it only
 * behind the item that it waits for.
 */
export function endAtOnce<T>(make: (left: AbortSignal) => AsyncGenerator<T>): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const controller = new AbortController();
      const items = make(controller.signal);
      return {
        next: () => items.next(),
        return() {
          controller.abort();
          return items.return(undefined);
        },
      };
    },
  };
}

/**
 * A terminal's Ctrl-C often arrives twice at once: directly, and through npm or the launcher. That counts as one
 * request to stop.
 */
const sameWishMs = 500;

/** Interprets signals: the first requests an orderly stop, a later one an immediate exit. */
export function createSignalReader(now: () => number): () => 'stop' | 'repeat' | 'leave' {
  let first: number | undefined;
  return () => {
    if (first === undefined) {
      first = now();
      return 'stop';
    }
    return now() - first < sameWishMs ? 'repeat' : 'leave';
  };
}

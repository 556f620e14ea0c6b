/** A terminal's Ctrl-C often arrives twice at once: directly, and through npm or the launcher. That is one wish to stop. */
const sameWishMs = 500;

/** Says what a signal asks for: the first to stop in order, a later one to leave at once. */
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

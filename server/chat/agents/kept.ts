/** Something open that is closed when the answer is over. */
interface Closable {
  close(): Promise<void>;
}

/** Connections that stay open as long as an answer: later steps reuse those of earlier ones. */
export interface Kept {
  /** Returns the connection with this name; `open` creates it if there is none yet. After a failure the next caller opens it again. */
  get<T extends Closable>(name: string, open: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export function createKept(): Kept {
  const all = new Map<string, Promise<Closable>>();
  return {
    get<T extends Closable>(name: string, open: () => Promise<T>): Promise<T> {
      // The name includes the kind of thing.
      const known = all.get(name) as Promise<T> | undefined;
      if (known) return known;
      const opening = open();
      all.set(name, opening);
      opening.catch(() => all.delete(name));
      return opening;
    },
    async close() {
      await Promise.allSettled([...all.values()].map(async (opening) => (await opening).close()));
    },
  };
}

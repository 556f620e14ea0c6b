/** The most that one statement contains, far below the database's limits: items, and characters of them. */
const MOST = { things: 200, size: 4_000_000 };

/**
 * A writer of single items that batches those which arrive while others are being written: a single item does not wait,
 * and many cost one statement. `write` returns one answer for each, in order; if it fails, all of them fail.
 * `sizeOf` gives the characters of items that may be large.
 */
export function gathered<In, Out>(
  write: (all: readonly In[]) => Promise<readonly Out[]>,
  sizeOf: (one: In) => number = () => 0,
): (one: In) => Promise<Out> {
  let waiting: { readonly one: In; readonly done: PromiseWithResolvers<Out> }[] = [];
  let isWriting = false;

  /** How many of them fit into one statement: at least one. */
  function room(): number {
    let size = 0;
    const end = waiting.findIndex(({ one }, at) => at >= MOST.things || (size += sizeOf(one)) > MOST.size);
    return end === -1 ? waiting.length : Math.max(end, 1);
  }

  async function writeAll(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      const some = waiting.slice(0, room());
      waiting = waiting.slice(some.length);
      try {
        const answers = await write(some.map(({ one }) => one));
        for (const [at, { done }] of some.entries()) done.resolve(answers[at] as Out);
      } catch (error) {
        for (const { done } of some) done.reject(error);
      }
    }
    isWriting = false;
  }

  return (one) => {
    const done = Promise.withResolvers<Out>();
    waiting.push({ one, done });
    if (!isWriting) void writeAll();
    return done.promise;
  };
}

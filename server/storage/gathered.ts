/** What one statement takes, so that it stays far below what a server takes. */
const MOST = 200;

/**
 * A writer of single things, of which those that come while others are being written are written together: one at a time
 * costs no wait, and many cost one statement. `write` gives one answer for each, in order; if it fails, all of them have.
 */
export function gathered<In, Out>(
  write: (all: readonly In[]) => Promise<readonly Out[]>,
): (one: In) => Promise<Out> {
  let waiting: { readonly one: In; readonly done: PromiseWithResolvers<Out> }[] = [];
  let isWriting = false;

  async function writeAll(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      const some = waiting.slice(0, MOST);
      waiting = waiting.slice(MOST);
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

/**
 * Items that `work` pushes while it goes on, as one stream that ends with its result. Nothing holds `work` back, so it should
 * push few. Its failure comes behind all that it pushed.
 */
export async function* merged<T, R>(work: (push: (item: T) => void) => Promise<R>): AsyncGenerator<T, R> {
  const items: T[] = [];
  let wake: (() => void) | undefined;
  let over = false;
  const told = (): void => wake?.();
  const result = work((item) => {
    items.push(item);
    told();
  }).finally(() => {
    over = true;
    told();
  });
  result.catch(() => {});
  while (!over || items.length > 0) {
    const next = items.shift();
    if (next !== undefined) yield next;
    else
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }
  return result;
}

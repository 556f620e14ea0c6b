/** Whether a value must be awaited. A proxy that throws when it is inspected is a value like any other. */
export function isPromise(value: unknown): value is Promise<unknown> {
  try {
    return value instanceof Promise;
  } catch {
    return false;
  }
}

const AsyncFunction = (async () => {}).constructor;

/** Whether a function is declared `async`: it may await, so it counts against the flow's concurrency. */
export function isAsyncFunction(fn: unknown): boolean {
  return typeof fn === 'function' && fn.constructor === AsyncFunction;
}

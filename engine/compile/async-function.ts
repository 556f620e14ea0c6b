const AsyncFunction = (async () => {}).constructor;

/** Whether a function is declared `async`: it may await, so it counts against the flow's concurrency. */
export function isAsyncFunction(fn: unknown): boolean {
  return typeof fn === 'function' && fn.constructor === AsyncFunction;
}

/** Whether a value has to be awaited. A proxy that throws when it is asked is a value like any other. */
export function isPromise(value: unknown): value is Promise<unknown> {
  try {
    return value instanceof Promise;
  } catch {
    return false;
  }
}

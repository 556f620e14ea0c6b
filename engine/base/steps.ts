/** Work in steps: who goes through them may do something else in between. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Goes through all of them at once. */
export function finished<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

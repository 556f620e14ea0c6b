/** A place for a part that exists later than the parts that use it. */
export interface Late<T> {
  /** Undefined until it is filled. */
  readonly value: T | undefined;
  /** Throws if it is not filled yet: the order of the parts is wrong. */
  get(): T;
  /** Once. */
  fill(value: T): void;
}

/** `name` is for the error. */
export function late<T>(name: string): Late<T> {
  let held: { readonly value: T } | undefined;
  return {
    get value() {
      return held?.value;
    },
    get() {
      if (held === undefined) throw new Error(`${name} is used before it exists.`);
      return held.value;
    },
    fill(value) {
      if (held !== undefined) throw new Error(`${name} exists already.`);
      held = { value };
    },
  };
}

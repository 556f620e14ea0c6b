/** Something that is loaded when it is first used. */
export interface Lazy<T> {
  (): Promise<T>;
  /** Undefined until it is loaded. */
  readonly loaded: T | undefined;
  /** The load in progress, or the last one; undefined before the first use. */
  readonly loading: Promise<T> | undefined;
}

/** `retries`: a failed load is tried again with the next use; otherwise every use fails like the first one. */
export function lazy<T>(load: () => Promise<T>, { retries = false } = {}): Lazy<T> {
  let loading: Promise<T> | undefined;
  let loaded: T | undefined;
  const get = (): Promise<T> => {
    loading ??= load().then(
      (value) => (loaded = value),
      (error: unknown) => {
        if (retries) loading = undefined;
        throw error;
      },
    );
    return loading;
  };
  return Object.defineProperties(get as Lazy<T>, {
    loaded: { get: () => loaded },
    loading: { get: () => loading },
  });
}

/** The methods of a service that answer with a promise. */
type Asked<S> = { [K in keyof S]: S[K] extends (...given: never[]) => Promise<unknown> ? K : never }[keyof S];

/** A service that the first call of one of these methods loads. */
export function lazyService<S extends object, K extends Asked<S>>(
  load: () => Promise<S>,
  methods: readonly K[],
): Pick<S, K> {
  const forward =
    (name: K) =>
    async (...given: never[]): Promise<unknown> =>
      ((await load())[name] as (...of: never[]) => Promise<unknown>)(...given);
  return Object.fromEntries(methods.map((name) => [name, forward(name)])) as unknown as Pick<S, K>;
}

/** The TypeScript type of the values that a JSON Schema, written as a literal, accepts, with defaults filled in. */
export type FromSchema<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly anyOf: readonly (infer A)[] } | { readonly oneOf: readonly (infer A)[] }
      ? FromSchema<A>
      : S extends { readonly type: infer T }
        ? OfType<S, T>
        : unknown;

type OfType<S, T> = T extends readonly (infer Each)[] ? OfName<S, Each> : OfName<S, T>;

/** Distributes over the names of a `type` list. */
type OfName<S, N> = N extends 'string'
  ? string
  : N extends 'number' | 'integer'
    ? number
    : N extends 'boolean'
      ? boolean
      : N extends 'null'
        ? null
        : N extends 'array'
          ? readonly ItemOf<S>[]
          : N extends 'object'
            ? ObjectOf<S>
            : unknown;

type ItemOf<S> = S extends { readonly items: infer I } ? FromSchema<I> : unknown;

type ObjectOf<S> = S extends { readonly properties: infer P }
  ? Flat<
      { readonly [K in Present<S, P>]: FromSchema<P[K]> } & {
        readonly [K in Exclude<keyof P, Present<S, P>>]?: FromSchema<P[K]>;
      }
    >
  : Readonly<Record<string, unknown>>;

/** Fields that every checked value has: required ones, and those with a default. */
type Present<S, P> = keyof P &
  (
    | (S extends { readonly required: readonly (infer R)[] } ? R : never)
    | { [K in keyof P]: P[K] extends { readonly default: unknown } ? K : never }[keyof P]
  );

type Flat<T> = { [K in keyof T]: T[K] };

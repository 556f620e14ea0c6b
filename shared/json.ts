/** Any value that JSON can hold. Values between nodes are of this shape, plus `Bytes` and streams. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON Schema (draft 2020-12 subset) as plain data. */
export type JsonSchema = { readonly [key: string]: unknown };

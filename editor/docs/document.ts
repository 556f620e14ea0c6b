import type { JsonSchema } from '#shared/json.ts';
import { resolve } from '#shared/json-schema.ts';

/** The parts of the server's OpenAPI document that the page shows. */
export interface ApiDocument {
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: JsonSchema;
}

/** An operation of the document (OpenAPI 3.1). */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  /** By status, as text. */
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
  /** Ways to authenticate, one of which is enough; empty if none is needed. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

/** A parameter in the address of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

type Content = Readonly<Record<string, { readonly schema?: JsonSchema }>>;

/** One call with its address. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** All calls by tag, in the order of the document. */
export function callsByTag({ tags, paths }: ApiDocument): Map<string, Call[]> {
  const byTag = new Map<string, Call[]>(tags.map(({ name }) => [name, []]));
  for (const [path, item] of Object.entries(paths))
    for (const [method, operation] of Object.entries(item))
      byTag.get(operation.tags[0] ?? '')?.push({ method: method.toUpperCase(), path, operation });
  return byTag;
}

/** A schema without references, as far as it is not recursive. */
export function wholeSchema(schema: JsonSchema, api: ApiDocument): JsonSchema {
  return expanded(schema, { components: api.components }, new Set()) as JsonSchema;
}

function expanded(value: unknown, root: JsonSchema, within: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((one) => expanded(one, root, within));
  if (typeof value !== 'object' || value === null) return value;
  const schema = value as JsonSchema;
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    if (within.has(reference)) return { $comment: `${reference.split('/').at(-1)} again` };
    return expanded(resolve(schema, root), root, new Set([...within, reference]));
  }
  return Object.fromEntries(Object.entries(schema).map(([key, one]) => [key, expanded(one, root, within)]));
}

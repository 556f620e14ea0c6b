import { isRecord, type JsonSchema } from '#shared/json.ts';

/** Values and schemas at paths such as `data.items.0.id`, as files of services name them. */

const UNSAFE = new Set(['__proto__', 'constructor', 'prototype']);

/** The value there; undefined if nothing is. An empty path is the value itself. */
export function fieldAt(value: unknown, path: string | undefined): unknown {
  if (path === undefined || path === '') return value;
  let at: unknown = value;
  for (const name of path.split('.')) {
    if (Array.isArray(at)) at = at[Number(name)];
    else if (isRecord(at) && Object.hasOwn(at, name)) at = at[name];
    else return undefined;
  }
  return at;
}

/** Sets a value there, in objects that are made on the way; `target` must be the caller's own, down to that place. */
export function putField(target: Record<string, unknown>, path: string, value: unknown): void {
  const names = path.split('.');
  if (names.some((name) => UNSAFE.has(name))) return;
  const last = names.pop() as string;
  let at = target;
  for (const name of names) {
    // A copy: what is there may be a value of the flow.
    const next = isRecord(at[name]) ? { ...at[name] } : {};
    at[name] = next;
    at = next;
  }
  at[last] = value;
}

export type Definitions = Readonly<Record<string, JsonSchema>>;

/** How deep and how large an inlined schema may become; what is beyond is a schema without rules. */
const MAX_DEPTH = 12;
const MAX_PARTS = 2000;

/**
 * The schema with its definitions in place, so that it stands alone. One that contains itself, and what is deeper or larger than
 * a catalog should hold, has no rules there.
 */
export function inlined(schema: JsonSchema, definitions: Definitions): JsonSchema {
  let parts = 0;
  const walk = (part: unknown, depth: number, within: readonly string[]): unknown => {
    if (Array.isArray(part)) return part.map((one) => walk(one, depth, within));
    if (!isRecord(part)) return part;
    const ref = part['$ref'];
    if (typeof ref === 'string') {
      const found = definitionOf(ref, definitions);
      return found === undefined || within.includes(ref) ? {} : walk(found, depth, [...within, ref]);
    }
    if (depth > MAX_DEPTH || ++parts > MAX_PARTS) return {};
    return Object.fromEntries(
      Object.entries(part).map(([key, value]) => [
        key,
        PLAIN.has(key) ? value : walk(value, depth + 1, within),
      ]),
    );
  };
  return walk(schema, 0, []) as JsonSchema;
}

/** Keywords whose values are data. */
const PLAIN = new Set([
  'default',
  'enum',
  'const',
  'example',
  'examples',
  'description',
  'title',
  'required',
]);

const REF = /^#\/definitions\/(.+)$/;

function definitionOf(ref: string, definitions: Definitions): JsonSchema | undefined {
  const name = REF.exec(ref)?.[1]?.replaceAll('~1', '/').replaceAll('~0', '~');
  return name !== undefined && Object.hasOwn(definitions, name) ? definitions[name] : undefined;
}

/** The schema of what is at a path; without rules if nothing is known of it. */
export function schemaAt(schema: JsonSchema, path: string | undefined, definitions: Definitions): JsonSchema {
  let at = followed(schema, definitions);
  for (const name of path === undefined || path === '' ? [] : path.split('.')) {
    const { properties, items } = at;
    const isItem = /^\d+$/.test(name) && isRecord(items);
    const next = isItem
      ? items
      : isRecord(properties) && Object.hasOwn(properties, name)
        ? properties[name]
        : {};
    at = followed(isRecord(next) ? next : {}, definitions);
  }
  return at;
}

/** The schema behind its references; without rules if one leads nowhere. */
export function followed(schema: JsonSchema, definitions: Definitions): JsonSchema {
  let at = schema;
  for (let hops = 0; hops < 50 && typeof at['$ref'] === 'string'; hops++)
    at = definitionOf(at['$ref'], definitions) ?? {};
  return at;
}

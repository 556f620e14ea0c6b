/** The schema that a reference such as `#/$defs/item` leads to; undefined when it leads nowhere or out of the schema. */
export function resolveRef(root: unknown, ref: unknown): object | boolean | undefined {
  if (typeof ref !== 'string' || !/^#(\/|$)/.test(ref)) return undefined;
  let at = root;
  for (const part of ref.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return (typeof at === 'object' && at !== null && !Array.isArray(at)) || typeof at === 'boolean'
    ? at
    : undefined;
}

/** Keywords whose schemas judge the same value, not a part of it. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'];

/**
 * Whether following references from `schema` leads back to it without going into the value, as `{ "$ref": "#" }` does: a
 * validator would never end.
 */
export function refersToItself(root: unknown, schema: object): boolean {
  const seen = new Set<unknown>();
  const queue = inPlace(root, schema);
  for (const next of queue) {
    if (next === schema) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    queue.push(...inPlace(root, next));
  }
  return false;
}

function inPlace(root: unknown, schema: unknown): unknown[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const record = schema as Record<string, unknown>;
  const target = resolveRef(root, record['$ref']);
  return [...IN_PLACE.flatMap((key) => record[key] ?? []), ...(target === undefined ? [] : [target])];
}

/** Whether two values are equal as JSON: the order of keys and fields without a value do not count. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [fieldsOf(a), fieldsOf(b)];
  return (
    left.size === right.size &&
    [...left].every(([key, value]) => right.has(key) && sameValue(value, right.get(key)))
  );
}

function fieldsOf(value: object): Map<string, unknown> {
  return new Map(Object.entries(value).filter(([, field]) => field !== undefined));
}

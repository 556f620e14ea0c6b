/**
 * What cannot be recorded, and where it is in a value: `a Date at value.items[0].at`. `strange` is undefined if the
 * value is endless.
 */
export function describeStrange(value: unknown, strange: unknown): string {
  if (strange === undefined) return 'an object within itself, or too many levels';
  return `${kindOf(strange)} at ${pathTo(value, strange, '') ?? 'its top'}`;
}

function kindOf(strange: unknown): string {
  if (typeof strange !== 'object' || strange === null) return `a ${typeof strange}`;
  const { name } = (strange as { constructor?: { name?: unknown } }).constructor ?? {};
  return typeof name === 'string' && name !== '' ? `a ${name}` : 'an object that is not a plain one';
}

/** The first place, in search order. */
function pathTo(value: unknown, strange: unknown, path: string): string | undefined {
  if (value === strange) return path === '' ? undefined : path;
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return undefined;
  for (const [name, field] of Object.entries(value)) {
    const found = pathTo(field, strange, joined(path, name, Array.isArray(value)));
    if (found !== undefined) return found;
  }
  return undefined;
}

function joined(path: string, name: string, isItem: boolean): string {
  if (isItem) return `${path}[${name}]`;
  if (!/^\w+$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}

/** Freezes plain objects and lists with everything in them; bytes, streams and other objects are left as they are. */
export function freezeValue(value: unknown): void {
  const open = [value];
  while (open.length > 0) {
    const item = open.pop();
    // A frozen object was frozen together with its parts.
    if (typeof item !== 'object' || item === null || Object.isFrozen(item) || !isPlain(item)) continue;
    Object.freeze(item);
    for (const child of Object.values(item)) open.push(child);
  }
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Freezes a value and all that is in it. Frozen parts are not entered again, so shared ones cost once. */
export function freezeDeep(value: unknown): unknown {
  const open = [value];
  while (open.length > 0) {
    const item = open.pop();
    if (typeof item !== 'object' || item === null || Object.isFrozen(item)) continue;
    Object.freeze(item);
    for (const child of Object.values(item)) open.push(child);
  }
  return value;
}

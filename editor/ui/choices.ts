/** A value by which a list can be narrowed. */
export interface Choice {
  readonly value: string;
  /** How people read it, where that is something else. */
  readonly label?: string;
  /** The number of rows that have it, where that is known. */
  readonly count?: number;
}

/** Each value once, in the order of the alphabet. */
export function counted(values: readonly string[]): Choice[] {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => a.value.localeCompare(b.value));
}

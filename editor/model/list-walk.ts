/** The target of the arrow keys, Home and End from the item at `at` in a list of `count`; undefined for any other key. */
export function stepTo(key: string, at: number, count: number): number | undefined {
  if (key === 'ArrowDown') return Math.min(at + 1, count - 1);
  if (key === 'ArrowUp') return Math.max(at - 1, 0);
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

/**
 * The item whose name starts with the typed text, from the one at `at` on, with wrap-around; -1 for none. Typing a letter
 * again moves to the next name with that letter.
 */
export function typedTo(typed: string, names: readonly string[], at: number): number {
  const wanted = /^(.)\1*$/u.test(typed) ? typed.charAt(0) : typed;
  const start = wanted.length === 1 ? at + 1 : at;
  const starts = (name: string | undefined): boolean =>
    name?.toLowerCase().startsWith(wanted.toLowerCase()) ?? false;
  const steps = names.map((_, step) => (start + step) % names.length);
  return steps.find((i) => starts(names[i])) ?? -1;
}

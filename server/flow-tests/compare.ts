/** One place where a value is not what a test expects. */
export interface Difference {
  /** Such as `greet.out.name`. */
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

const MAX_DIFFERENCES = 20;

/** Where two JSON values differ, from the outside in; undefined stands for what is not there. */
export function differences(expected: unknown, actual: unknown, path: string): Difference[] {
  const found: Difference[] = [];
  compare(expected, actual, path, found);
  return found;
}

function compare(expected: unknown, actual: unknown, path: string, found: Difference[]): void {
  if (found.length >= MAX_DIFFERENCES || Object.is(expected, actual)) return;
  if (isRecord(expected) && isRecord(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)]))
      compare(expected[key], actual[key], `${path}.${key}`, found);
  } else if (Array.isArray(expected) && Array.isArray(actual)) {
    for (let i = 0; i < Math.max(expected.length, actual.length); i++)
      compare(expected[i], actual[i], `${path}[${i}]`, found);
  } else found.push({ path, expected, actual });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

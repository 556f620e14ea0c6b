/**
 * A piece of hostile code. It marks things it must not reach with the word ESCAPED, and things that belong to another
 * flow with SHARED.
 */
export interface Attack {
  readonly name: string;
  readonly code: string;
  /** `error`: it must fail. `harmless`: whatever it returns, as long as nothing else happens. */
  readonly expect: 'error' | 'harmless';
  /** A body for `code.stream`. */
  readonly isStream?: boolean;
}

export function attacks(
  expect: Attack['expect'],
  codes: Readonly<Record<string, string>>,
  isStream = false,
): Attack[] {
  return Object.entries(codes).map(([name, code]) => ({ name, code, expect, ...(isStream && { isStream }) }));
}

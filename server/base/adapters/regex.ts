import { linearEngine } from '../requests/linear-engine.ts';

/** A regular expression in RE2's syntax, matched in linear time whatever the pattern. Throws on a bad one. */
export function linearRegex(pattern: string): { test(text: string): boolean } {
  const compiled = linearEngine().compile(pattern);
  return { test: (text) => compiled.matcher(text).find() };
}

/** A hostile text of any length. */
export interface Text {
  readonly name: string;
  make(length: number): string;
}

/**
 * Repetitions of each token and each pair of tokens, after each token as a beginning, with an end that fits nothing; and pairs as
 * a nesting that is closed, and one that is not.
 */
export function* hostile(tokens: readonly string[]): Generator<Text> {
  for (const a of tokens) {
    yield { name: shown(a), make: (length) => repeated(a, length) };
    for (const b of tokens) {
      yield {
        name: `${shown(b)} once, ${shown(a)}, then an end`,
        make: (n) => `${b}${repeated(a, n)}${END}`,
      };
      if (a === b) continue;
      if (a < b) yield { name: shown(a + b), make: (length) => repeated(a + b, length) };
      yield {
        name: `${shown(a)}, then as many ${shown(b)}`,
        make: (length) => repeated(a, length / 2) + repeated(b, length / 2),
      };
    }
  }
}

/** It ends no run of blanks, signs or letters in a way that a language knows. */
const END = '\u0001x';

function repeated(text: string, length: number): string {
  return text.repeat(Math.max(1, Math.floor(length / text.length)));
}

function shown(text: string): string {
  return `${JSON.stringify(text)} again and again`;
}

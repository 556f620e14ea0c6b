import { checkLength, longestText, tooCostly } from '../base/text.ts';

/**
 * What one evaluation may cost. Every lambda call, array element and 16 characters of text scanned take a step; operations
 * that are slow for their size take more, so that no expression blocks the server noticeably.
 * 1. Evaluation is synchronous, so one counter serves all; `metered` gives each evaluation its own and puts the
 * outer one back, so nested evaluations do not interfere.
 * 2. Expressions that cannot loop are not metered and never touch the counter.
 */
const mostSteps = 100_000;

let left = 0;

/** Takes steps from the budget of the current evaluation. */
export function charge(steps: number): void {
  left -= steps;
  if (left < 0) throw tooCostly(`The expression needs more than ${mostSteps} steps`);
}

/** Takes the steps for scanning a text. */
export function chargeText(length: number): void {
  charge(length >> 4);
}

/** The text, if its length is within the limit. */
export function bounded(text: string): string {
  if (text.length > longestText) checkLength(text.length);
  return text;
}

/** Joins two texts. The copy is made only when the result is read, which is fast: 512 characters cost a step. */
export function concat(a: string, b: string): string {
  const length = a.length + b.length;
  checkLength(length);
  charge(length >> 9);
  return a + b;
}

// Up to this length a search never takes longer than reading the text.
const easySearch = 200;

/**
 * Takes the steps for searching one text in another. JavaScript's own search can take text length times search length if the
 * search text is long and repetitive: minutes, where reading takes a millisecond.
 */
export function chargeSearch(text: string, search: string): void {
  chargeText(text.length);
  if (search.length > easySearch) charge((text.length * search.length) / 4096);
}

/** Gives each evaluation of `run` a budget of its own. */
export function metered<S>(run: (scope: S) => unknown): (scope: S) => unknown {
  return (scope) => {
    const outer = left;
    left = mostSteps;
    try {
      return run(scope);
    } finally {
      left = outer;
    }
  };
}

/** What is wrong with an expression, as data; `offset` is a 0-based index into the given text. */
export interface ExprProblem {
  code: 'expression-syntax' | 'expression-unknown-name' | 'expression-unknown-function';
  message: string;
  offset: number;
  /** The word that was probably meant, to replace the wrong one. */
  suggestion?: string;
  /** How many characters the suggestion replaces; left out: the word at `offset`. */
  length?: number;
}

/** Thrown at the first fault to end parsing; `parse…` always catches it. */
export class Fault extends Error {
  readonly problem: ExprProblem;

  constructor(problem: ExprProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

/** Stops parsing with a syntax problem. */
export function refuse(message: string, offset: number, suggestion?: string): never {
  throw new Fault({
    code: 'expression-syntax',
    message,
    offset,
    ...(suggestion === undefined ? {} : { suggestion }),
  });
}

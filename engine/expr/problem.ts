/** What is wrong with an expression, as data; `offset` is 0-based into the text that was handed in. */
export interface ExprProblem {
  code: 'expression-syntax' | 'expression-unknown-name' | 'expression-unknown-function';
  message: string;
  offset: number;
  /** What was probably meant, to be put in place of the wrong word. */
  suggestion?: string;
}

/** Leaves the parser at the first fault; it never gets past `parse…`. */
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

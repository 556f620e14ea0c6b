import type { Node } from './ast.ts';
import type { ExprProblem } from './problem.ts';
import type { ExprTools, Moments } from './tools.ts';

/** A compiled expression or part of one. */
export type Run<S> = (scope: S) => unknown;

/** Holds the value of a lambda's parameter while the lambda runs. */
export interface Local {
  readonly name: string;
  value: unknown;
}

/** State that the parts of the compiler share while one expression is compiled. */
export interface Context<S> {
  readonly env: Env<S>;
  readonly errors: ExprProblem[];
  /** Parameters in scope, innermost last. */
  readonly locals: Local[];
  /** Whether the compiled code counts steps against the budget. */
  metered: boolean;
  usesRoots: boolean;
  /** Compiles a node; a chain of members is tolerant at the left of `??`. */
  run(node: Node, tolerant?: boolean): Run<S>;
}

/** The getter of a root. Names that every object inherits are never roots, whatever table the environment uses. */
export function rootOf<S>({ env }: Context<S>, name: string): Run<S> | undefined {
  return Object.hasOwn(Object.prototype, name) ? undefined : env.root(name);
}

/** The getter of a whole value. The language has a single empty value, null, whatever a run has for a missing value. */
export function orNull<S>(get: Run<S>): Run<S> {
  return (scope) => {
    const value = get(scope);
    return value === undefined ? null : value;
  };
}

/** Stands in for code with a problem. It never runs, since the problem keeps the expression from being compiled. */
export const nothing = (): undefined => undefined;

/** Notes a problem and continues, so that all problems are found at once. */
export function report<S>(ctx: Context<S>, problem: ExprProblem): () => undefined {
  ctx.errors.push(problem);
  return nothing;
}

/**
 * What a compiled expression can see. `S` is the scope object of a run; expr knows nothing of flows. A getter may return
 * undefined, which expressions see as null.
 */
export interface Env<S> {
  /** Getter for a root name, or undefined when there is no such root. */
  root(name: string): ((scope: S) => unknown) | undefined;
  /**
   * Getter for the first member of a root, resolved at compile time (`nodes.<id>`, `nodes["id"]`). It is called before `root`; if
   * it returns undefined, `root` handles the path. With `tolerant` the getter returns undefined for an absent member instead of
   * throwing.
   */
  member?(root: string, name: string, tolerant: boolean): ((scope: S) => unknown) | undefined;
  /** For functions that need a library; without it, they are not available. */
  tools?: ExprTools;
  /** The zone in which times are read and written: UTC by default. */
  timezone?: string;
  /** For `now()` and the like; without it, they are not available. */
  moments?: Moments<S>;
}

import type { Node } from '../expr/ast.ts';
import type { Declared, Type } from './type.ts';

/** A type error in an expression. */
export interface Fault {
  readonly code: 'missing-field' | 'type-mismatch';
  readonly message: string;
  /** Position in the source of the expression. */
  readonly start: number;
  /** Evaluating the expression is certain to fail. */
  readonly certain: boolean;
  /** Fails only where a value is null. Many types allow null values that never occur in a flow, so not every such read is reported. */
  readonly ofNull?: true;
  /** It only fails when a caller leaves out this optional field. */
  readonly declared?: Declared;
  /** A word at or after `start`, and what was probably meant instead. */
  readonly replace?: { readonly word: string; readonly candidates: readonly string[] };
}

/** The scope of an expression. */
export interface Scope {
  /** The type of a root such as `input`; undefined for an unknown root, whose type is then unknown too. */
  root(name: string): Type | undefined;
  /** The type of `nodes.<id>`. */
  node(id: string): Type | undefined;
}

/** The state of a walk over an expression: what is in scope, and whether this part is certain to be evaluated. */
export interface Walk {
  readonly scope: Scope;
  /** Parameters of the enclosing functions. */
  readonly locals: ReadonlyMap<string, Type>;
  readonly sure: boolean;
  /** Whether it comes after a condition, which may check that the read value exists. */
  readonly guarded: boolean;
  readonly report: (fault: Fault) => void;
  /** The type of a part. `tolerant`: at the left of a `??`, where any part of a path may be missing. */
  readonly visit: (walk: Walk, node: Node, tolerant?: boolean) => Type;
}

/** The walk into a part that may not be evaluated. */
export function unsure(walk: Walk): Walk {
  return walk.sure ? { ...walk, sure: false } : walk;
}

/** The walk into a part that is evaluated if a condition holds. */
export function guarded(walk: Walk): Walk {
  return walk.guarded ? walk : { ...walk, sure: false, guarded: true };
}

/** Reports a `type-mismatch` at this position, certain if this part is certain to be evaluated. */
export function mismatch(walk: Walk, start: number, message: string): void {
  walk.report({ code: 'type-mismatch', message, start, certain: walk.sure });
}

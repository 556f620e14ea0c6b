import type { Node } from '../expr/ast.ts';
import type { Type } from './type.ts';

/** Something that an expression does and that its types do not allow. */
export interface Fault {
  readonly code: 'missing-field' | 'type-mismatch';
  readonly message: string;
  /** In the source of the expression. */
  readonly start: number;
  /** Evaluating the expression fails for sure. */
  readonly certain: boolean;
  /** A word that stands at `start` or behind it, and what was probably meant instead. */
  readonly replace?: { readonly word: string; readonly candidates: readonly string[] };
}

/** What an expression can read. */
export interface Scope {
  /** The type of a root such as `input`; undefined for one that is not known, whose type then is unknown too. */
  root(name: string): Type | undefined;
  /** What `nodes.<id>` is. */
  node(id: string): Type | undefined;
}

/** The state of a walk over an expression: what is in sight, and whether this part of it is evaluated for sure. */
export interface Walk {
  readonly scope: Scope;
  /** Parameters of the functions around. */
  readonly locals: ReadonlyMap<string, Type>;
  readonly sure: boolean;
  /** Behind a condition, which may ask whether what is read here is there. */
  readonly guarded: boolean;
  readonly report: (fault: Fault) => void;
  /** The type of a part. `tolerant`: at the left of a `??`, where anything on a path may be missing. */
  readonly visit: (walk: Walk, node: Node, tolerant?: boolean) => Type;
}

/** The walk into a part that may not be evaluated. */
export function unsure(walk: Walk): Walk {
  return walk.sure ? { ...walk, sure: false } : walk;
}

/** The walk into a part that is evaluated when a condition holds. */
export function guarded(walk: Walk): Walk {
  return walk.guarded ? walk : { ...walk, sure: false, guarded: true };
}

export function mismatch(walk: Walk, start: number, message: string): void {
  walk.report({ code: 'type-mismatch', message, start, certain: walk.sure });
}

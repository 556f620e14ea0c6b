import { parsePath, type Path } from '../flow/field-path.ts';
import type { EdgeLabel } from '../flow/graph.ts';
import { fieldTypeOf } from './field.ts';
import { isNever, type Type, UNKNOWN } from './type.ts';

/** The type of what an edge carries, by the types of outputs. */
export function edgeType(outputs: ReadonlyMap<string, Type>, edge: EdgeLabel): Type {
  const type = outputs.get(`${edge.from}.${edge.fromPort}`) ?? UNKNOWN;
  const path = edge.pick === undefined ? undefined : parsePath(edge.pick);
  return path ? pickedType(type, path).type : type;
}

/**
 * The type of a field; `missing` is how much of its path there is if no value has it (`never`), or none declares it although it
 * may have it.
 */
export function pickedType(
  type: Type,
  path: Path,
): { readonly type: Type; readonly missing?: number; readonly never?: boolean } {
  let at = type;
  for (const [depth, key] of path.entries()) {
    if (at.any || isNever(at)) return { type: UNKNOWN };
    const found = fieldTypeOf(at, String(key));
    const never = isNever(found.type);
    if (never || found.undeclared) return { type: UNKNOWN, missing: depth, never };
    at = found.type;
  }
  return { type: at };
}

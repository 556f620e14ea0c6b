import { parsePath, type Path } from '../flow/field-path.ts';
import type { EdgeLabel } from '../flow/graph.ts';
import { clashOf } from './clash.ts';
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

/** How deep in a value a field is looked for. */
const DEPTH = 3;

/**
 * The path of the field of a value that fits where the value itself does not: the one that is least deep, or that is called like the
 * input. `isOnly`: none if another field as deep fits too, or one of which nothing is known could.
 * A value that lacks the field makes the step fail, with a message that names it.
 */
export function fittingField(
  from: Type,
  wanted: Type,
  { name, isOnly }: { readonly name: string; readonly isOnly: boolean },
): Path | undefined {
  let level: readonly (readonly [Path, Type])[] = [[[], from]];
  let isUnsure = false;
  for (let depth = 0; depth < DEPTH; depth++) {
    level = level.flatMap(([at, type]) =>
      [...(type.object?.fields ?? [])].map(([key, field]) => [[...at, key], field.type] as const),
    );
    const fitting = level.filter(([, type]) => !type.any && !isNever(type) && !clashOf(type, wanted));
    const [found] = [...fitting.filter(([at]) => at.at(-1) === name), ...fitting];
    isUnsure ||= fitting.length > 1 || level.some(([, type]) => type.any);
    if (found && isOnly && isUnsure && found[0].at(-1) !== name) return undefined;
    if (found) return found[0];
  }
  return undefined;
}

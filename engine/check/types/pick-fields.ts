import { type Field, isNever, makeType, NEVER, NULL, type Type, union, UNKNOWN } from './type.ts';

/** The fields to keep at one level; those to keep whole hold undefined. */
type Wanted = Map<string, Wanted | undefined>;

/** An object with the named fields only, each at its place. `optional`: one that is missing is left out, or is null. */
export function pickFields(type: Type, paths: readonly string[], optional: boolean): Type {
  const wanted: Wanted = new Map();
  for (const path of paths) addPath(wanted, path.split('.'));
  return pick(type, wanted, optional);
}

function addPath(root: Wanted, names: readonly string[]): void {
  let level = root;
  for (const [i, name] of names.entries()) {
    const within = level.get(name);
    if (level.has(name) && !within) return;
    if (i === names.length - 1) return void level.set(name, undefined);
    const next: Wanted = within ?? new Map();
    level.set(name, next);
    level = next;
  }
}

function pick(type: Type, wanted: Wanted, optional: boolean): Type {
  const fields = new Map<string, Field>();
  for (const [name, within] of wanted) {
    fields.set(name, kept(type, name, within, optional));
  }
  return makeType({ object: { fields, rest: NEVER, strict: false } });
}

/** Where a missing field is an error, one that is not declared is there; one that may be missing may also hold undefined. */
function kept({ object }: Type, name: string, within: Wanted | undefined, optional: boolean): Field {
  const field = object?.fields.get(name);
  const type = field?.type ?? object?.rest ?? UNKNOWN;
  const whole = within ? pick(type, within, optional) : isNever(type) ? NULL : type;
  if (!optional) return { type: whole, required: field?.required ?? true };
  return { type: field?.required ? whole : union(whole, NULL), required: false };
}

import {
  type Field,
  isNever,
  makeType,
  NEVER,
  NULL,
  type ObjectType,
  type Type,
  union,
  UNKNOWN,
  without,
} from './type.ts';

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
function kept(from: Type, name: string, within: Wanted | undefined, optional: boolean): Field {
  const { fields, rest } = from.object ?? NOT_KNOWN;
  const field = fields.get(name) ?? { type: rest, required: undefined };
  // What is no object has no fields at all.
  const isThere = !optional || (field.required && isNever(without(from, 'object')));
  const value = isThere ? thereOr(field.type) : union(field.type, NULL);
  const type = within ? pick(value, within, optional) : value;
  return { type, required: !optional && (field.required ?? true) };
}

const NOT_KNOWN: ObjectType = { fields: new Map(), rest: UNKNOWN, strict: false };

/** A field that is never there fails where it has to be. */
function thereOr(type: Type): Type {
  return isNever(type) ? NULL : type;
}

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

/** The fields to keep at one level; `undefined` keeps a field whole. */
type Wanted = Map<string, Wanted | undefined>;

/** An object with only the named fields, each at its place. `optional`: a missing field is left out, or is null. */
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

/**
 * If a missing field is an error, an undeclared one exists after the node; a field that may be missing may also be
 * undefined.
 */
function kept(from: Type, name: string, within: Wanted | undefined, optional: boolean): Field {
  const { fields, rest } = from.object ?? NOT_KNOWN;
  const field = fields.get(name) ?? { type: rest, required: undefined };
  // A value that is not an object has no fields.
  const isThere = !optional || (field.required && isNever(without(from, 'object')));
  const value = isThere ? thereOr(field.type) : union(field.type, NULL);
  const type = within ? pick(value, within, optional) : value;
  return { type, required: !optional && (field.required ?? true) };
}

const NOT_KNOWN: ObjectType = { fields: new Map(), rest: UNKNOWN, strict: false };

/** A field that never exists fails if it is required. */
function thereOr(type: Type): Type {
  return isNever(type) ? NULL : type;
}

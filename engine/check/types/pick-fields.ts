import {
  ANY_OBJECT,
  type Field,
  isNever,
  makeType,
  NEVER,
  NULL,
  type ObjectType,
  type Type,
  union,
  UNKNOWN,
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
    const field = type.object?.fields.get(name);
    const found = field?.type ?? type.object?.rest ?? UNKNOWN;
    const whole = within ? pick(found, within, optional) : isNever(found) ? NULL : found;
    const filled = optional && !field?.required ? union(whole, NULL) : whole;
    // A field may hold undefined, which is the same as not being there.
    fields.set(name, { type: filled, required: !optional && (field?.required ?? true) });
  }
  return makeType({ object: { fields, rest: NEVER, strict: false } });
}

/** An object without the named fields; what lies deeper is taken out where it is. */
export function omitFields(type: Type, paths: readonly string[]): Type {
  if (type.any || !type.object) return ANY_OBJECT;
  return makeType({ object: paths.reduce((object, path) => omit(object, path.split('.')), type.object) });
}

function omit(object: ObjectType, [name = '', ...rest]: readonly string[]): ObjectType {
  const fields = new Map(object.fields);
  const field = fields.get(name);
  if (rest.length === 0) fields.delete(name);
  else if (field?.type.object) {
    const inner = makeType({ ...field.type, object: omit(field.type.object, rest) });
    fields.set(name, { ...field, type: inner });
  }
  return { ...object, fields };
}

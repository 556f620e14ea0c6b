import {
  ANY_OBJECT,
  type Field,
  isNever,
  makeType,
  NEVER,
  type ObjectType,
  type Type,
  union,
} from './type.ts';

/**
 * An object with the fields of another one under other names. A field that gave its name away is not there any more, though
 * the object may have other fields that were not declared. `optional`: one that is missing is passed over.
 */
export function renameFields(type: Type, names: ReadonlyMap<string, string>, optional: boolean): Type {
  const { fields: from, rest, strict } = type.object ?? (ANY_OBJECT.object as ObjectType);
  const fields = new Map<string, Field>();
  const add = (name: string, field: Field): void => {
    const before = fields.get(name);
    fields.set(name, before && !isNever(before.type) ? oneOf(before, field) : field);
  };
  if (!isNever(rest)) for (const name of names.keys()) fields.set(name, { type: NEVER, required: false });
  for (const [name, field] of from) if (!names.has(name)) add(name, field);
  for (const [name, renamed] of names) {
    const field = from.get(name) ?? { type: rest, required: false };
    if (!isNever(field.type)) add(renamed, optional ? field : { ...field, required: true });
  }
  return makeType({ object: { fields, rest, strict } });
}

/** Two fields of one name fail, so that only one of them is there. */
function oneOf(a: Field, b: Field): Field {
  return { type: union(a.type, b.type), required: a.required || b.required };
}

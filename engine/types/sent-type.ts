import { fromSent } from './schema.ts';
import {
  arrayOf,
  BOOLEAN,
  type Field,
  isNever,
  makeType,
  NUMBER,
  type ObjectType,
  STRING,
  type Type,
  unionOf,
  UNKNOWN,
} from './type.ts';

/**
 * Everything that may be sent to a trigger with this schema, which is more than the schema says: numbers and booleans may be
 * sent in each other's form or as text, a field with a default may be missing, and a field of the path, which is text, may
 * be anything.
 */
export function sentType(schema: unknown, inPath: readonly string[]): Type {
  const type = coercible(fromSent(schema));
  if (!type.object || inPath.length === 0) return type;
  const fields = new Map(type.object.fields);
  for (const name of inPath) fields.set(name, { required: false, ...fields.get(name), type: UNKNOWN });
  return makeType({ ...type, object: { ...type.object, fields } });
}

function coercible(type: Type): Type {
  if (type.any || isNever(type)) return type;
  const { array, object } = type;
  const own = makeType({
    ...type,
    array: array && arrayOf(coercible(array)).array,
    object: object && coercibleFields(object),
  });
  return type.number || type.boolean ? unionOf([own, NUMBER, BOOLEAN, STRING]) : own;
}

function coercibleFields({ fields, rest, strict }: ObjectType): ObjectType {
  const sent = [...fields].map(([name, field]): [string, Field] => [
    name,
    { ...field, type: coercible(field.type) },
  ]);
  return { fields: new Map(sent), rest: coercible(rest), strict };
}

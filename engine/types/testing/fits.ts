import type { ObjectType, Type } from '../type.ts';

/** Whether a value belongs to a type: the promise of all types (T1). */
export function fits(value: unknown, type: Type): boolean {
  if (type.any) return true;
  if (value === undefined) return type.absent;
  if (value === null) return type.null;
  switch (typeof value) {
    case 'string':
      return isOne(value, type.string);
    case 'boolean':
      return isOne(value, type.boolean);
    case 'number':
      return fitsNumber(value, type.number);
    default:
      return Array.isArray(value)
        ? fitsItems(value, type.array)
        : type.object !== undefined && fitsFields(value as object, type.object);
  }
}

function isOne(value: unknown, choices: true | readonly unknown[] | undefined): boolean {
  return choices === true || (choices?.includes(value) ?? false);
}

function fitsNumber(value: number, wanted: Type['number']): boolean {
  if (wanted === 'integer') return Number.isInteger(value);
  return wanted === 'number' || (wanted?.some((n) => Object.is(n, value) || n === value) ?? false);
}

function fitsItems(items: readonly unknown[], type: Type | undefined): boolean {
  return type !== undefined && items.every((item) => fits(item, type));
}

function fitsFields(value: object, { fields, rest }: ObjectType): boolean {
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  const names = new Set(entries.map(([name]) => name));
  const isComplete = [...fields].every(([name, field]) => !field.required || names.has(name));
  return isComplete && entries.every(([name, field]) => fits(field, fields.get(name)?.type ?? rest));
}

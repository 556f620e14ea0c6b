import { writtenDirectionMarks } from '#shared/direction-marks.ts';
import type { JsonSchema } from '#shared/json.ts';
import type { Source } from './source.ts';
import { recordOf } from '../form/schema-shapes.ts';

/** Walks through the known parts of a value: its fields and elements, from the run first, otherwise from the schema. */

/** Undefined if neither the run nor the schema tells the type. */
export type ValueType = 'string' | 'number' | 'boolean' | 'array' | 'object' | 'null' | undefined;

const MOST_MEMBERS = 200;

export function memberOf(source: Source, key: string | number): Source | undefined {
  const part = source.parts?.get(String(key));
  if (part) return part;
  const value = fieldOf(source.value, key);
  const schema = schemaOf(source.schema, key);
  return value === undefined && schema === undefined ? undefined : { value, schema };
}

function fieldOf(value: unknown, key: string | number): unknown {
  if (Array.isArray(value)) return typeof key === 'number' ? value[key] : undefined;
  const record = recordOf(value);
  return record && Object.hasOwn(record, key) ? record[key] : undefined;
}

function schemaOf(schema: JsonSchema | undefined, key: string | number): JsonSchema | undefined {
  for (const one of alternativesOf(schema)) {
    const found =
      typeof key === 'number' ? recordOf(one['items']) : ownField(recordOf(one['properties']) ?? {}, key);
    if (found) return found;
  }
  return undefined;
}

function ownField(properties: Readonly<Record<string, unknown>>, key: string): JsonSchema | undefined {
  return Object.hasOwn(properties, key) ? recordOf(properties[key]) : undefined;
}

/** A value of several possible kinds can have the fields of any of them. */
function alternativesOf(schema: JsonSchema | undefined): readonly JsonSchema[] {
  const union = schema?.['anyOf'];
  if (!schema || !Array.isArray(union)) return schema ? [schema] : [];
  return union.map(recordOf).filter((one) => one !== undefined);
}

/** A typical element of an array: the first one. */
export function elementOf(source: Source): Source | undefined {
  return memberOf(source, 0);
}

/** The names that can follow a dot, those with a value first. */
export function membersOf(source: Source): ReadonlyMap<string, Source> {
  const members = new Map<string, Source>(source.parts);
  const add = (names: Iterable<string>) => {
    for (const name of names) {
      if (members.size >= MOST_MEMBERS) return;
      const member = members.has(name) ? undefined : memberOf(source, name);
      if (member) members.set(name, member);
    }
  };
  add(Object.keys(recordOf(source.value) ?? {}));
  for (const one of alternativesOf(source.schema)) add(Object.keys(recordOf(one['properties']) ?? {}));
  return members;
}

export function typeOf(source: Source): ValueType {
  const { value, schema, parts } = source;
  if (parts) return 'object';
  if (value === undefined) return typeOfSchema(schema);
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' || type === 'object' ? type : undefined;
}

function typeOfSchema(schema: JsonSchema | undefined): ValueType {
  const type = schema?.['type'];
  if (type === 'integer') return 'number';
  const simple = ['string', 'number', 'boolean', 'array', 'object', 'null'];
  return typeof type === 'string' && simple.includes(type) ? (type as ValueType) : undefined;
}

/** A value in short form. */
export function briefly(value: unknown, length = 40): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return `[${value.length}]`;
  const record = recordOf(value);
  if (record) {
    const names = Object.keys(record).slice(0, 5).join(', ');
    return cut(`{ ${names} }`, length);
  }
  return cut(
    typeof value === 'string'
      ? writtenDirectionMarks(JSON.stringify(value.slice(0, length + 1)))
      : `${value as number}`,
    length,
  );
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

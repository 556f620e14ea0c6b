import { isRecord } from '#shared/json.ts';
import type { Fix } from '#shared/problem.ts';
import type { CheckContext } from '../../flow/context.ts';
import { formatPath } from '../../flow/field-path.ts';
import type { Declared } from '../../types/type.ts';

/** What a field is without a value, by the type in its schema. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  string: '',
  number: 0,
  integer: 0,
  boolean: false,
  array: [],
  object: {},
};

/** The fixes for an optional field of a trigger that is read as if it were always there. */
export function requireOrDefault({ nodes }: CheckContext, { node, name, at }: Declared): readonly Fix[] {
  const params = nodes.get(node)?.node.params ?? {};
  if ('entry' in at) {
    const field = formatPath(['params', 'fields', at.entry, 'required']);
    return [{ kind: 'set-field', title: 'Require it', node, field, value: true }];
  }
  const schema = params[at.schemaIn];
  if (!isRecord(schema)) return [];
  const required: unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const require: Fix = {
    kind: 'set-field',
    title: 'Require it',
    node,
    field: formatPath(['params', at.schemaIn, 'required']),
    value: [...required, name],
  };
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  const own = properties[name];
  const value = isRecord(own) ? firstValue(own) : undefined;
  if (value === undefined) return [require];
  const field = formatPath(['params', at.schemaIn, 'properties', name, 'default']);
  return [require, { kind: 'set-field', title: 'Set a default', node, field, value }];
}

function firstValue({ type, enum: choices }: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(choices) && choices.length > 0) return choices[0];
  return typeof type === 'string' ? DEFAULTS[type] : undefined;
}

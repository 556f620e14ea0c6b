import { isRecord } from '#shared/json.ts';
import type { FlowNode } from '#shared/flow.ts';
import type { TypeRule } from '#shared/type-rule.ts';
import { type Declared, type Field, makeType, type Type } from './type.ts';

/** The type of what a trigger gives, in which optional fields know where they are declared. */
export function withDeclared(
  type: Type,
  { id, node }: { readonly id: string; readonly node: FlowNode },
  rule: TypeRule | undefined,
): Type {
  const { object } = type;
  const params = node.params ?? {};
  const at = rule && placesIn(rule, params);
  if (!object || !at) return type;
  const fields = [...object.fields].map(([name, field]): [string, Field] => {
    const place = at(name, field);
    return place
      ? [name, { ...field, required: false, declared: { node: id, name, at: place } }]
      : [name, field];
  });
  return makeType({ ...type, object: { ...object, fields: new Map(fields) } });
}

type PlaceOf = (name: string, field: Field) => Declared['at'] | undefined;

function placesIn(rule: TypeRule, params: Readonly<Record<string, unknown>>): PlaceOf | undefined {
  if ('schemaIn' in rule) {
    const { schemaIn } = rule;
    return (_, { required }) => (required ? undefined : { schemaIn });
  }
  if ('fieldsFrom' in rule) return entriesIn(params[rule.fieldsFrom.entriesIn]);
  if (!('byParam' in rule)) return undefined;
  const { name, cases, else: other } = rule.byParam;
  return placesIn(params[name] === undefined ? (cases['absent'] ?? other) : other, params);
}

/** A box that is not ticked is false, and no files are an empty list. */
const ALWAYS_THERE: ReadonlySet<unknown> = new Set(['boolean', 'files']);

function entriesIn(written: unknown): PlaceOf | undefined {
  if (!Array.isArray(written)) return undefined;
  return (name) => {
    const entry = written.findIndex((one) => isRecord(one) && one['name'] === name);
    const { type, required } = (written[entry] ?? {}) as Readonly<Record<string, unknown>>;
    return entry < 0 || required === true || ALWAYS_THERE.has(type) ? undefined : { entry };
  };
}

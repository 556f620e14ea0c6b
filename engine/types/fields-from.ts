import type { TypeRule } from '#shared/type-rule.ts';
import { isRecord } from '../flow/request-keywords.ts';
import type { RuleFacts } from './apply-rule.ts';
import { ANY_OBJECT, objectOf, type Type, UNKNOWN } from './type.ts';
import { isWritten } from './written.ts';

type FieldsFrom = Extract<TypeRule, { readonly fieldsFrom: unknown }>['fieldsFrom'];

/** An object whose fields the entries of a list param name; of any object where only a run knows the names. */
export function fieldsFrom(
  { entriesIn, name, by, cases }: FieldsFrom,
  { params, paramTypes }: RuleFacts,
  of: (rule: TypeRule, more: Pick<RuleFacts, 'entry'>) => Type,
): Type {
  const entries = params[entriesIn];
  if (!Array.isArray(entries)) return ANY_OBJECT;
  const fields: [string, Type][] = [];
  for (const [i, entry] of entries.entries()) {
    if (!isRecord(entry) || !isWritten(entry[name])) return ANY_OBJECT;
    const what = entry[by];
    const rule = isWritten(what) && Object.hasOwn(cases, what) ? cases[what] : undefined;
    const type = paramTypes.get(`${entriesIn}[${i}]`) ?? UNKNOWN;
    fields.push([entry[name], rule ? of(rule, { entry: { written: entry, type } }) : UNKNOWN]);
  }
  return objectOf(fields);
}

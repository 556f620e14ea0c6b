import { isRecord } from '#shared/json.ts';
import { z } from 'zod';
import { defineOperator, input, output, WeftError } from '../../base/operator.ts';
import { FORBIDDEN_FIELD, reading } from '../_record.ts';

const MAX_PATH = 50;

const path = z
  .string()
  .max(500)
  .refine((text) => text.split('.').every((name) => name !== ''), 'must be written name or name.name')
  .refine((text) => !text.split('.').includes(FORBIDDEN_FIELD), `may not hold ${FORBIDDEN_FIELD}`)
  .refine((text) => text.split('.').length <= MAX_PATH, 'must not be longer than 50 names')
  .meta({ widget: 'field' });

export default defineOperator({
  title: 'Pick fields',
  doc: 'Passes on an object with only the named fields, each at its place. Nested fields are written with dots.',
  icon: 'list-filter',
  summary: '{fields}',
  synonyms: 'select fields, keep fields, project, omit, remove fields, columns',
  params: z.object({
    fields: z
      .array(path)
      .min(1)
      .max(1000)
      .describe('The fields to keep: name, or address.city for a nested one.'),
    missing: z
      .enum(['error', 'skip', 'null'])
      .default('error')
      .describe('If a field is missing: fail, leave it out, or set it to null.'),
  }),
  inputs: { in: input({ doc: 'An object.', schema: z.record(z.string(), z.unknown()) }) },
  outputs: {
    out: output({ doc: 'The object with only these fields.', schema: z.record(z.string(), z.unknown()) }),
  },
  infer: {
    outputs: {
      out: {
        byParam: {
          name: 'missing',
          cases: { error: { pick: { of: { input: 'in' }, fieldsIn: 'fields' } } },
          else: { pick: { of: { input: 'in' }, fieldsIn: 'fields', optional: true } },
        },
      },
    },
  },
  effects: 'pure',
  lift: true,
  examples: [
    {
      title: 'The structure stays',
      params: { fields: ['name', 'address.city'] },
      inputs: { in: { name: 'Ada', age: 36, address: { city: 'London', street: 'St James’s Square' } } },
      outputs: { out: { name: 'Ada', address: { city: 'London' } } },
    },
    {
      title: 'Null for what is not there',
      params: { fields: ['name', 'phone'], missing: 'null' },
      inputs: { in: { name: 'Ada' } },
      outputs: { out: { name: 'Ada', phone: null } },
    },
    {
      title: 'A field that is not there',
      params: { fields: ['phone'] },
      inputs: { in: {} },
      error: 'missing_field',
    },
  ],
  run({ params, input: value }) {
    if (!reading(() => isRecord(value)))
      throw new WeftError('bad_input', 'The input is not an object, so it has no fields to pick.');
    return reading(() => pick(value, wanted(params.fields), params.missing, ''));
  },
});

/** The fields to keep at one level: `undefined` keeps a field whole, a nested selection keeps a part of it. */
type Wanted = Map<string, Wanted | undefined>;

function wanted(paths: readonly string[]): Wanted {
  const root: Wanted = new Map();
  for (const text of paths) addPath(root, text.split('.'));
  return root;
}

function addPath(root: Wanted, names: readonly string[]): void {
  let level = root;
  for (const [i, name] of names.entries()) {
    if (level.has(name) && level.get(name) === undefined) return;
    if (i === names.length - 1) {
      level.set(name, undefined);
      return;
    }
    const next: Wanted = level.get(name) ?? new Map();
    level.set(name, next);
    level = next;
  }
}

function pick(
  value: unknown,
  fields: Wanted,
  missing: 'error' | 'skip' | 'null',
  above: string,
): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const [name, within] of fields) {
    const at = above === '' ? name : `${above}.${name}`;
    const there = isRecord(value) && Object.hasOwn(value, name);
    if (!there && missing === 'error')
      throw new WeftError('missing_field', `The input has no field ${at}.`, { data: { path: at } });
    if (!there && missing === 'skip') continue;
    const field = there ? value[name] : null;
    picked[name] = within === undefined ? field : pick(field, within, missing, at);
  }
  return picked;
}

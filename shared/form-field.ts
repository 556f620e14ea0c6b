import { z } from 'zod';
import { FILE_FORMAT } from './file.ts';
import { ID_PATTERN } from './flow.ts';
import type { JsonSchema } from './json.ts';
import type { TypeRule } from './type-rule.ts';

const types = z.enum([
  ...(['text', 'longtext', 'number', 'integer', 'choice', 'date', 'boolean'] as const),
  ...(['file', 'files'] as const),
]);

/** The most bytes of a file in a form that sets no limit. */
export const FORM_FILE_BYTES = 10_000_000;
/** The most files of a field that takes several. */
export const FORM_FILES = 10;

/** A field of a form, as a flow's author writes it. */
export const FormField = z.object({
  name: z
    .string()
    .regex(ID_PATTERN, 'must start with a lower-case letter and hold only a-z, 0-9 and _')
    .describe('The name of its value in `data`.'),
  label: z.string().max(200).optional().describe('The label of the field; the name if empty.'),
  type: types.default('text').describe('What is entered.'),
  required: z
    .boolean()
    .default(false)
    .describe('Whether it must be filled in; of a boolean, whether it must be ticked.'),
  choices: z
    .array(z.string().max(200))
    .max(200)
    .default([])
    .describe('The options of a choice.')
    .meta({ when: { param: 'type', is: ['choice'] } }),
  help: z.string().max(500).optional().describe('A hint below the field.'),
  accept: z
    .array(
      z
        .string()
        .regex(
          /^[\w.+-]{1,100}\/(?:[\w.+-]{1,100}|\*)$/,
          'must be a media type, such as image/png or image/*',
        )
        .meta({ says: 'write a media type such as image/png or image/*' }),
    )
    .max(20)
    .optional()
    .describe('The media types of a file, such as `image/*` or `text/csv`; any if empty.')
    .meta({ when: { param: 'type', is: ['file', 'files'] } }),
  maxBytes: z
    .int()
    .min(1)
    .max(10 * 1024 ** 3)
    .optional()
    .describe('The most bytes of each file; 10,000,000 by default.')
    .meta({ when: { param: 'type', is: ['file', 'files'] } }),
});
export type FormField = z.output<typeof FormField>;

const MAX_TEXT = 200;
const MAX_LONG_TEXT = 20_000;

const SCHEMAS: Readonly<Record<z.output<typeof types>, JsonSchema>> = {
  text: { type: 'string', maxLength: MAX_TEXT },
  longtext: { type: 'string', maxLength: MAX_LONG_TEXT },
  number: { type: 'number' },
  integer: { type: 'integer' },
  choice: { type: 'string' },
  date: { type: 'string', format: 'date' },
  boolean: { type: 'boolean' },
  file: { type: 'object', format: FILE_FORMAT },
  files: { type: 'array', items: { type: 'object', format: FILE_FORMAT } },
};

/** The type of the values of the fields. */
export const fieldTypes: TypeRule = {
  fieldsFrom: {
    entriesIn: 'fields',
    name: 'name',
    by: 'type',
    cases: Object.fromEntries(types.options.map((type) => [type, { schema: SCHEMAS[type] }])),
  },
};

/** Why nobody could fill in a form with these fields, as a sentence; undefined if somebody can. */
export function fieldsFault(fields: readonly FormField[]): string | undefined {
  const names = fields.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) return `Two fields have the name \`${twice}\`.`;
  const empty = fields.find(({ type, choices }) => type === 'choice' && choices.length === 0);
  return empty && `The field \`${empty.name}\` is a choice, so it needs \`choices\`.`;
}

/** JSON Schema of a form with these fields, which have no fault. */
export function schemaOfFields(fields: readonly FormField[]): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)])),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

function schemaOf(field: FormField): JsonSchema {
  const { label, type, required, choices, help } = field;
  return {
    ...(type === 'file' || type === 'files' ? schemaOfFiles(type, field) : SCHEMAS[type]),
    ...(type === 'choice' && { enum: choices }),
    ...(required && (type === 'text' || type === 'longtext') && { minLength: 1 }),
    // A box that must be filled in is one that must be ticked.
    ...(required && type === 'boolean' && { const: true }),
    ...(label !== undefined && { title: label }),
    ...(help !== undefined && { description: help }),
  };
}

function schemaOfFiles(type: 'file' | 'files', { required, accept = [], maxBytes }: FormField): JsonSchema {
  const limits = { maxBytes: maxBytes ?? FORM_FILE_BYTES, ...(accept.length > 0 && { accept }) };
  const file = { ...SCHEMAS.file, ...limits };
  if (type === 'file') return file;
  return { ...SCHEMAS.files, items: file, maxItems: FORM_FILES, ...(required && { minItems: 1 }) };
}

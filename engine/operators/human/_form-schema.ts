import { z } from 'zod';
import { ID_PATTERN } from '#shared/flow.ts';
import type { JsonSchema } from '#shared/json.ts';
import type { TypeRule } from '#shared/type-rule.ts';
import { WeftError } from '../../operator.ts';

const types = z.enum(['text', 'longtext', 'number', 'integer', 'choice', 'date', 'boolean']);

/** A field of a form, as a flow's author writes it. */
export const formField = z.object({
  name: z
    .string()
    .regex(ID_PATTERN, 'must start with a lower-case letter and hold only a-z, 0-9 and _')
    .describe('The name of its value in `data`.'),
  label: z.string().max(200).optional().describe('The label of the field; the name if empty.'),
  type: types.default('text').describe('What is entered.'),
  required: z.boolean().default(false).describe('Whether it must be filled in.'),
  choices: z.array(z.string().max(200)).max(200).default([]).describe('The options of a choice.'),
  help: z.string().max(500).optional().describe('A hint below the field.'),
});
type FormField = z.output<typeof formField>;

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

/** JSON Schema of a form with these fields. @throws WeftError `bad_params` */
export function schemaOfFields(fields: readonly FormField[]): JsonSchema {
  const names = fields.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw wrong(`Two fields have the name \`${twice}\`.`);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)])),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

function schemaOf({ name, label, type, required, choices, help }: FormField): JsonSchema {
  if (type === 'choice' && choices.length === 0) {
    throw wrong(`The field \`${name}\` is a choice, so it needs \`choices\`.`);
  }
  return {
    ...SCHEMAS[type],
    ...(type === 'choice' && { enum: choices }),
    ...(required && (type === 'text' || type === 'longtext') && { minLength: 1 }),
    ...(label !== undefined && { title: label }),
    ...(help !== undefined && { description: help }),
  };
}

function wrong(message: string): WeftError {
  return new WeftError('bad_params', message, { field: 'params.fields' });
}

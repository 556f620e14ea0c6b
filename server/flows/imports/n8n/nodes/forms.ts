import { isRecord } from '#shared/json.ts';
import type { Context } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import { gives, type Given } from '../job.ts';
import { asText, type Params } from '../params.ts';
import { pathOf, triggered } from '../trigger-item.ts';

/** Forms that start a workflow. */

function form(context: Context): Given {
  const { params, step, job } = context;
  const { fields, given, value } = formOf(params);
  const named = params.text('path') ?? params.text('options.path');
  const path = pathOf(named ?? step.name.toLowerCase().replaceAll(/\W+/g, '-'));
  params.skip(
    'authentication',
    'options.appendAttribution',
    'options.respondWithOptions',
    'options.useWorkflowTimezone',
    'options.ignoreBots',
  );
  context.changed('setting', 'Its address is below /form; people have to be told.', {
    after: `/form${path}`,
  });
  tellBlocks(context, given);
  // Its further pages come one after the other, and the last one shows the answer.
  const hasPages = [...job.workflow.steps.values()].some(({ kind }) => kind === 'form');
  const isWaiting = hasPages || params.text('responseMode') === 'lastNode';
  job.answer = isWaiting && !hasPages ? 'first' : 'nothing';
  const text = params.text('formDescription');
  const button = params.text('options.buttonLabel');
  const title = params.text('formTitle') ?? step.name;
  const node = {
    operator: 'trigger.form',
    params: {
      path,
      title,
      ...(text !== undefined && { text }),
      fields: fields.length > 0 ? fields : NO_FIELDS,
      ...(button !== undefined && { button }),
      ...afterwards(context, isWaiting),
    },
  };
  return gives(
    triggered(
      context,
      node,
      value((name) => `{{ input?.${name} }}`),
    ),
  );
}

interface Form {
  readonly fields: ReturnType<typeof formField>;
  /** The fields there, and what stands between them. */
  readonly given: readonly Readonly<Record<string, unknown>>[];
  /** The item of what was entered: each field by its label there. */
  readonly value: (read: (name: string) => string) => Record<string, unknown>;
}

export function formOf(params: Params): Form {
  const given = fieldsGiven(params);
  if (given === undefined) throw new NotHere('its fields are worked out at run time');
  const fields = given.flatMap((field, i) => formField(field, i));
  return {
    fields,
    given,
    value: (read) =>
      Object.fromEntries([
        ...fields.map(({ label, name }) => [label, read(name)] as const),
        ...hiddenFields(given),
        ['submittedAt', '{{ now() }}'] as const,
        ['formMode', 'production'] as const,
      ]),
  };
}

/** The params for what is shown after the form was sent. */
function afterwards({ params }: Context, isWaiting: boolean): Record<string, unknown> {
  const options = 'options.respondWithOptions.values';
  const redirect = params.text(`${options}.redirectUrl`);
  if (redirect !== undefined) return { after: 'redirect', redirect };
  if (isWaiting) return { after: 'result' };
  const message = params.text('options.formSubmittedText') ?? params.text(`${options}.formSubmittedText`);
  return message === undefined ? {} : { message };
}

const FIELD_TYPES: Readonly<Record<string, string>> = {
  textarea: 'longtext',
  number: 'number',
  date: 'date',
  dropdown: 'choice',
  checkbox: 'choice',
  radio: 'choice',
  file: 'file',
};

/** The fields of a page, as they were drawn or written as JSON; undefined if they are worked out at run time. */
export function fieldsGiven(params: Params): readonly Readonly<Record<string, unknown>>[] | undefined {
  const isWritten = params.text('defineForm') === 'json';
  params.skip('defineForm');
  if (!isWritten) return params.list('formFields.values');
  const text = params.text('jsonOutput')?.replace(/^=/, '') ?? '[]';
  if (text.includes('{{')) return undefined;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter(isRecord) : undefined;
  } catch {
    return undefined;
  }
}

/** A page needs a field; one without any is only sent on. */
export const NO_FIELDS = [{ name: 'go_on', label: 'Go on', type: 'boolean', required: false }];

/** Fields that nobody sees have a value of their own. */
export function hiddenFields(fields: readonly Readonly<Record<string, unknown>>[]): [string, string][] {
  return fields.flatMap(({ fieldType, fieldName, fieldLabel, fieldValue }): [string, string][] => {
    const value = asText(fieldValue ?? '');
    if (fieldType !== 'hiddenField' || value.startsWith('=')) return [];
    return [[asText(fieldName ?? fieldLabel ?? 'hidden'), value]];
  });
}

/** Blocks of a page that are no fields. */
export function tellBlocks(context: Context, fields: readonly Readonly<Record<string, unknown>>[]): void {
  for (const { fieldType, html } of fields)
    if (fieldType === 'html')
      context.changed(
        'setting',
        'A block of HTML between fields has no place here; the text of the page has.',
        {
          before: asText(html ?? '').slice(0, 200),
          lost: true,
        },
      );
}

export function formField(
  field: Readonly<Record<string, unknown>>,
  at: number,
): { name: string; label: string; [key: string]: unknown }[] {
  const label = asText(field['fieldLabel'] ?? field['fieldName'] ?? `Field ${at + 1}`);
  const kind = asText(field['fieldType'] ?? 'text');
  if (kind === 'html' || kind === 'hiddenField') return [];
  const choices = choicesOf(field['fieldOptions']);
  const wanted = FIELD_TYPES[kind] ?? 'text';
  // A choice needs something to choose from.
  const type = wanted === 'choice' && choices.length === 0 ? 'text' : wanted;
  const required = field['requiredField'] === true;
  return [{ name: `field_${at + 1}`, label, type, required, ...(type === 'choice' && { choices }) }];
}

function choicesOf(given: unknown): string[] {
  const list = isRecord(given) && Array.isArray(given['values']) ? given['values'] : [];
  return list.flatMap((one: unknown) =>
    isRecord(one) && typeof one['option'] === 'string' ? [one['option']] : [],
  );
}

export const formEntries: readonly Entry[] = [
  {
    kind: 'formTrigger',
    versions: '1 to 2.3',
    word: 'close',
    becomes: '`trigger.form`',
    difference: 'The form looks different, and its address is below `/form`.',
    convert: form,
  },
];

import { isRecord } from '#shared/json.ts';
import type { Context } from '../context.ts';
import type { Entry } from '../entry.ts';
import { gives, type Given } from '../job.ts';
import { asText } from '../params.ts';
import { pathOf, triggered } from '../trigger-item.ts';

/** Forms that start a workflow. */

function form(context: Context): Given {
  const { params, step, job } = context;
  const fields = params.list('formFields.values').flatMap((field, i) => formField(field, i));
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
  const isWaiting = params.text('responseMode') === 'lastNode';
  job.answer = isWaiting ? 'first' : 'nothing';
  const text = params.text('formDescription');
  const button = params.text('options.buttonLabel');
  const title = params.text('formTitle') ?? step.name;
  const node = {
    operator: 'trigger.form',
    params: {
      path,
      title,
      ...(text !== undefined && { text }),
      fields,
      ...(button !== undefined && { button }),
      ...afterwards(context, isWaiting),
    },
  };
  const value = Object.fromEntries([
    ...fields.map(({ label, name }) => [label, `{{ input?.${name} }}`] as const),
    ['submittedAt', '{{ now() }}'] as const,
    ['formMode', 'production'] as const,
  ]);
  return gives(triggered(context, node, value));
}

/** What is shown when the form was sent. */
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

function formField(
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
    difference: 'The form looks other, and its address is below `/form`.',
    convert: form,
  },
];

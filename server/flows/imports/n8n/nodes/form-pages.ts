import type { Context } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import type { Port } from '../graph.ts';
import { listPort } from '../items.ts';
import { gives, type Given } from '../job.ts';
import { asText } from '../params.ts';
import { fieldsGiven, formField, hiddenFields, NO_FIELDS, tellBlocks } from './forms.ts';

/** Further pages of a form, and its end. */

function form(context: Context): Given {
  const { params } = context;
  const input = context.input();
  if (input === undefined) throw new NotHere('nothing leads to it');
  params.skip('operation', 'notice', 'options.customCss', 'authentication');
  const port = input.card === 'many' ? firstOf(context, listPort(context, input) as Port, input) : input;
  return params.text('operation') === 'completion' ? completion(context, input, port) : page(context, port);
}

/** A page is asked once, for the first item. */
function firstOf(context: Context, list: Port, input: Port): Port {
  const id = context.add(`${context.step.name} first`, {
    operator: 'core.map',
    params: { value: '{{ input[0] }}' },
  });
  context.wire(list, `${id}.in`);
  const { taken, triggers } = input;
  return context.port(id, 'out', { card: 'one', aligned: new Set(), taken, triggers });
}

function page(context: Context, input: Port): Given {
  const { params, step } = context;
  const given = fieldsGiven(params);
  if (given === undefined) throw new NotHere('its fields are worked out at run time', OFFERS);
  tellBlocks(context, given);
  const reads = context.reads(input);
  const fields = given
    .flatMap((field, i) => formField(field, i))
    .map((field) => ({ ...field, label: context.text(field.label, reads) }));
  if (given.some(({ fieldLabel }) => asText(fieldLabel ?? '').startsWith('=')))
    throw new NotHere('the names of its fields are worked out at run time', OFFERS);
  if (params.text('options.buttonLabel') !== undefined)
    context.changed('setting', 'The button of a further page is “Send”.', {
      before: params.text('options.buttonLabel') as string,
    });
  const text = params.get('options.formDescription');
  const id = context.add(step.name, {
    operator: 'human.form',
    params: {
      title: context.text(params.get('options.formTitle') ?? step.name, reads),
      ...(text !== undefined && { text: context.text(text, reads) }),
      fields: fields.length > 0 ? fields : NO_FIELDS,
      sender: true,
    },
  });
  context.wire(input, `${id}.in`);
  const item = context.add(`${step.name} item`, {
    operator: 'core.map',
    params: {
      value: Object.fromEntries([
        ...fields.map(({ label, name }) => [label, `{{ input.data?.${name} }}`] as const),
        ...hiddenFields(given),
        ['submittedAt', '{{ input.at }}'] as const,
        ['formMode', 'production'] as const,
      ]),
    },
  });
  context.wire(`${id}.submitted`, `${item}.in`);
  return gives(context.port(item, 'out', { card: 'one', aligned: new Set([step.name]) }));
}

const OFFERS = ['“Ask for data” with fields of its own', '“Form”, one for each page'];

/** The content of the last page is the answer of the run. */
function completion(context: Context, input: Port, port: Port): Given {
  const { params, step, job } = context;
  job.answer = 'said';
  const reads = context.reads(port);
  params.skip('options.formTitle', 'options.buttonLabel', 'limitWaitTime', 'resumeAmount', 'resumeUnit');
  const kind = params.text('respondWith') ?? 'text';
  const id = context.add(step.name, { operator: 'core.respond', params: ended(context, kind, reads) });
  context.wire(port, `${id}.in`);
  return { outputs: [input], item: input };
}

function ended(context: Context, kind: string, reads: ReturnType<Context['reads']>): Record<string, unknown> {
  const { params } = context;
  if (kind === 'redirect')
    return {
      status: 303,
      headers: { location: context.text(params.get('redirectUrl') ?? '', reads) },
      body: '',
    };
  if (kind === 'showText')
    return { status: 200, body: context.text(params.get('responseText') ?? '', reads) };
  if (kind === 'returnBinary') {
    const field = params.text('inputDataFieldName') ?? 'data';
    params.skip('completionTitle', 'completionMessage');
    return { status: 200, body: `{{ input?.${/^\w+$/.test(field) ? field : 'data'} }}` };
  }
  const title = context.text(params.get('completionTitle') ?? '', reads);
  const message = context.text(params.get('completionMessage') ?? '', reads);
  return { status: 200, body: [...(title === '' ? [] : [`**${title}**`]), message].join('\n\n') };
}

export const formPageEntries: readonly Entry[] = [
  {
    kind: 'form',
    versions: '1 to 2.3',
    word: 'close',
    becomes: '`human.form`, to which the sender of the form is led; at the end `core.respond`',
    difference:
      'The pages look different; texts are Markdown. Fields that an expression computes are a placeholder.',
    convert: form,
  },
];

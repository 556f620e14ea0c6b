import { type Fields, selectorOf, textOf } from '../app.ts';
import { type Mapping, simple, whole } from '../here.ts';
import { streamOf } from '../chat-ends.ts';
import { translateJinja } from '../jinja/translate.ts';
import { noteWritten, partsOf } from '../texts.ts';
import { braces, members, templateOf, type Value } from '../write.ts';

/** Nodes that make texts and values from others: templates, answers, ends. */

const WRITTEN = 'Lists, objects, true and false in its text are written as JSON.';

export const templateTransform: Mapping = (here) => {
  const variables = here.settings.records('variables');
  const names = new Map(
    variables.map((one) => [textOf(one['variable']), here.value(selectorOf(one['value_selector']))]),
  );
  const { pieces, note } = translateJinja(here.settings.text('template'), names);
  if (note !== undefined) here.note(note);
  const id = here.main({ operator: 'text.template', params: { template: templateOf(pieces) } }, (values) => ({
    out: textOf(values['output']),
  }));
  return simple(`${id}.in`, `${id}.out`, ([name], q) =>
    name === 'output' ? whole(id, q, 'text') : undefined,
  );
};

const KINDS: Readonly<Record<string, Value['kind']>> = {
  string: 'text',
  number: 'number',
  boolean: 'boolean',
  object: 'record',
  file: 'file',
  'array[file]': 'files',
  'array[string]': 'texts',
  'array[number]': 'numbers',
};

/** The kind of the values of a type of Dify. */
export function kindOf(type: string): Value['kind'] {
  if (Object.hasOwn(KINDS, type)) return KINDS[type];
  return type.startsWith('array') ? 'list' : undefined;
}

export const answer: Mapping = (here) => {
  const model = streamOf(here.node);
  if (model !== undefined && here.streamed.has(model)) {
    here.settings.ignore('answer', 'variables');
    return { enter: undefined, leave: {}, value: () => undefined, into: 'the streamed answer of the model' };
  }
  const parts = partsOf(here.settings.text('answer'), (selector) => here.value(selector));
  noteWritten(here, parts, WRITTEN);
  here.settings.ignore('variables');
  const id = here.main({ operator: 'text.template', params: { template: templateOf(parts) } });
  return {
    ...simple(`${id}.in`, `${id}.out`, ([name], q) => (name === 'answer' ? whole(id, q, 'text') : undefined)),
    result: { port: `${id}.out`, text: (of) => `(${of} ?? "")` },
  };
};

export const end: Mapping = (here) => {
  const outputs = here.settings.records('outputs').filter((one) => textOf(one['variable']) !== '');
  const value = Object.fromEntries(
    outputs.map((one) => [textOf(one['variable']), braces(outputOf(one, here.value))]),
  );
  const id = here.main({ operator: 'core.map', params: { value } });
  return {
    ...simple(`${id}.in`, `${id}.out`, (path, q) =>
      Object.hasOwn(value, path[0] ?? '') ? { expr: members(`nodes.${id}`, path, q) } : undefined,
    ),
    result: { port: `${id}.out`, text: (of) => `(${of} ?? {})` },
  };
};

function outputOf(output: Fields, value: (selector: readonly string[]) => Value): string {
  const selector = selectorOf(output['value_selector']);
  return selector.length === 0 ? 'null' : value(selector).expr;
}

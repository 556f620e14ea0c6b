import { choiceText, type WaitField } from '#shared/wait-form.ts';
import { escape } from './html.ts';

/** The input name of a field when the page is sent. */
export const FIELD = 'data.';

/** A field of the form with its label, hint and problem; `value` is what was entered before. */
export function fieldHtml(field: WaitField, value: string, fault: string | undefined): string {
  const { name, label, help, required } = field;
  const isCheck = field.type === 'boolean';
  const id = `f-${escape(name)}`;
  const notes = [noteHtml(`${id}-help`, 'help', help), noteHtml(`${id}-fault`, 'fault', fault)];
  const described = notes.flatMap((note) => note?.id ?? []).join(' ');
  const attributes = [
    `id="${id}" name="${FIELD}${escape(name)}"`,
    required && !isCheck ? ' required' : '',
    described === '' ? '' : ` aria-describedby="${described}"`,
    fault === undefined ? '' : ' aria-invalid="true"',
  ].join('');
  const shown = `<label for="${id}">${escape(label)}${required && !isCheck ? ' *' : ''}</label>`;
  const input = inputHtml(field, value, attributes);
  const pair = isCheck ? input + shown : shown + input;
  const below = notes.map((note) => note?.html ?? '').join('');
  return `<div class="field${isCheck ? ' check' : ''}">${pair}${below}</div>`;
}

function noteHtml(id: string, tone: 'help' | 'fault', text: string | undefined) {
  return text === undefined ? undefined : { id, html: `<p class="${tone}" id="${id}">${escape(text)}</p>` };
}

function inputHtml({ type, choices, required }: WaitField, value: string, attributes: string): string {
  const quoted = `value="${escape(value)}"`;
  switch (type) {
    case 'boolean':
      return `<input type="checkbox" value="true" ${attributes}${value === 'true' ? ' checked' : ''}>`;
    case 'number':
      return `<input type="number" step="any" ${quoted} ${attributes}>`;
    case 'integer':
      return `<input type="number" step="1" ${quoted} ${attributes}>`;
    case 'date':
      return `<input type="date" ${quoted} ${attributes}>`;
    case 'choice':
      return `<select ${attributes}>${optionsHtml(choices, value, required)}</select>`;
    case 'longtext':
    case 'json':
      return `<textarea rows="4" ${attributes}>${escape(value)}</textarea>`;
    default:
      return `<input type="text" ${quoted} ${attributes}>`;
  }
}

function optionsHtml(choices: readonly unknown[], value: string, required: boolean): string {
  const none = `<option value="">${required ? 'Choose…' : '—'}</option>`;
  const options = choices.map(choiceText).map((text) => {
    const shown = escape(text);
    return `<option value="${shown}"${text === value ? ' selected' : ''}>${shown}</option>`;
  });
  return none + options.join('');
}

import { choiceText, type FileLimits, limitsText, sizeText, type WaitField } from '#shared/wait-form.ts';
import { escape } from './html.ts';

/** The input name of a field when the page is sent. */
export const FIELD = 'data.';
/** The input name of the files of a field that arrived with an earlier try. */
export const KEPT = 'kept.';

/** Why a field is refused. */
export interface Fault {
  readonly msg: string;
  /** A code of an error, or of a rule of the field's schema. */
  readonly type?: string | undefined;
}

/** A file of an earlier try, which need not be chosen again. */
export interface KeptFile {
  readonly handle: string;
  readonly name: string;
  readonly bytes: number;
}

/** A field of the form with its label, hint and problem; `value` is the earlier entry, `kept` the files. */
export function fieldHtml(
  field: WaitField,
  value: string,
  fault: Fault | undefined,
  kept: readonly KeptFile[] = [],
): string {
  const { name, label, required } = field;
  const isCheck = field.type === 'boolean';
  const id = `f-${escape(name)}`;
  const notes = [noteHtml(`${id}-help`, 'help', helpOf(field)), noteHtml(`${id}-fault`, 'fault', fault)];
  const described = notes.flatMap((note) => note?.id ?? []).join(' ');
  const attributes = [
    `id="${id}" name="${FIELD}${escape(name)}"`,
    required && kept.length === 0 ? ' required' : '',
    described === '' ? '' : ` aria-describedby="${described}"`,
    fault === undefined ? '' : ' aria-invalid="true"',
  ].join('');
  const shown = `<label for="${id}">${escape(label)}${required ? ' *' : ''}</label>`;
  const input = inputHtml(field, value, attributes);
  const pair = isCheck ? input + shown : shown + keptHtml(field, kept) + input;
  const below = notes.map((note) => note?.html ?? '').join('');
  return `<div class="field${isCheck ? ' check' : ''}">${pair}${below}</div>`;
}

function helpOf({ help, files }: WaitField): Fault | undefined {
  const texts = [help, files && limitsText(files)].filter((text) => text !== undefined);
  return texts.length === 0 ? undefined : { msg: texts.join(' ') };
}

function noteHtml(id: string, tone: 'help' | 'fault', note: Fault | undefined) {
  if (note === undefined) return undefined;
  const code = note.type === undefined ? '' : ` data-code="${escape(note.type)}"`;
  return { id, html: `<p class="${tone}" id="${id}"${code}>${escape(note.msg)}</p>` };
}

function keptHtml({ name }: WaitField, kept: readonly KeptFile[]): string {
  if (kept.length === 0) return '';
  const items = kept.map(
    ({ handle, name: file, bytes }) =>
      `<li>${escape(file)} (${sizeText(bytes)})<input type="hidden" name="${KEPT}${escape(name)}" value="${escape(handle)}"></li>`,
  );
  return `<ul class="kept">${items.join('')}</ul><p class="help">Already sent; choosing again replaces it.</p>`;
}

function fileHtml({ accept, maxBytes, most }: FileLimits, attributes: string): string {
  const types = accept.length === 0 ? '' : ` accept="${escape(accept.join(','))}"`;
  const several = most > 1 ? ` multiple data-most="${most}"` : '';
  return `<input type="file" data-max-bytes="${maxBytes}"${types}${several} ${attributes}>`;
}

function inputHtml({ type, choices, required, files }: WaitField, value: string, attributes: string): string {
  if (files) return fileHtml(files, attributes);
  const quoted = `value="${escape(value)}"`;
  switch (type) {
    case 'boolean':
      return `<input type="checkbox" value="true" ${attributes}${value === 'true' ? ' checked' : ''}>`;
    case 'number':
      return `<input type="number" step="any" ${quoted} ${attributes}>`;
    case 'integer':
      // Steps are counted from the value that stands here: from 1.5 on, no whole number would be accepted.
      return `<input type="number" step="${/^-?\d*$/.test(value) ? '1' : 'any'}" ${quoted} ${attributes}>`;
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

/** Whether a form has fields for files. Its page then has a script for sending them. */
export function takesFiles(fields: readonly WaitField[]): boolean {
  return fields.some(({ files }) => files !== undefined);
}

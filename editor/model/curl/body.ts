import { parseKeepingDigits } from '#shared/lost-digits.ts';
import type { CurlCommand } from './curl-command.ts';
import { addField, type Fields, readFields } from './fields.ts';

/** Params of `http.request` for the body; `notes` lists what was left out or differs from curl. */
export interface ReadBody {
  readonly params: Readonly<Record<string, unknown>>;
  /** The kind of the body implies it, so the header is left out. */
  readonly impliedType: boolean;
  readonly notes: readonly string[];
}

const none: ReadBody = { params: {}, impliedType: false, notes: [] };

export function bodyParams(command: CurlCommand, contentType: string | undefined): ReadBody {
  if (command.form.length > 0) return multipart(command.form);
  if (command.data.length === 0 || command.get) return none;
  const text = command.data.join(command.json ? '' : '&');
  return (
    jsonBody(text, command.json, contentType) ??
    formBody(text, contentType) ?? { ...none, params: { bodyType: 'text', body: text } }
  );
}

/** JSON if a header says so, or if an object or list is sent without a content type. */
function jsonBody(text: string, isSaid: boolean, contentType: string | undefined): ReadBody | undefined {
  const value = jsonOf(text);
  const params = { bodyType: 'json', body: value };
  const impliedType = contentType === undefined || /^application\/json\s*(?:;|$)/i.test(contentType);
  if (value === undefined) return undefined;
  if (isSaid || /[/+]json\b/i.test(contentType ?? '')) return { params, impliedType, notes: [] };
  if (contentType !== undefined || typeof value !== 'object') return undefined;
  const note = 'The body looks like JSON, so it is sent as JSON; curl would have called it a form.';
  return { params, impliedType, notes: [note] };
}

function jsonOf(text: string): unknown {
  try {
    return parseKeepingDigits(text);
  } catch {
    return undefined;
  }
}

function formBody(text: string, contentType = 'application/x-www-form-urlencoded'): ReadBody | undefined {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(contentType);
  const fields = isForm ? readFields(text) : undefined;
  return fields && { params: { bodyType: 'form', body: fields }, impliedType: true, notes: [] };
}

/** Fields of `-F`: `name=value`; files cannot be read here. */
function multipart(parts: readonly string[]): ReadBody {
  const fields: Fields = {};
  const notes: string[] = [];
  for (const part of parts) {
    const [name = '', value = ''] = part.split(/=([^]*)/);
    if (/^[@<]/.test(value)) {
      const file = value.slice(1).replace(/;.*$/s, '');
      addField(fields, name, {
        name: file.replace(/^.*\//s, ''),
        type: 'application/octet-stream',
        text: '',
      });
      notes.push(`The file ${file} cannot be read here; put its content into \`${name}\` by hand.`);
    } else addField(fields, name, value);
  }
  return { params: { bodyType: 'multipart', body: fields }, impliedType: true, notes };
}

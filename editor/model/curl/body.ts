import type { CurlCommand } from './curl-command.ts';
import { addField, type Fields, readFields } from './fields.ts';

/** Params of `http.request` for the body; `notes` says what was left out or is another way than curl's. */
export interface ReadBody {
  readonly params: Readonly<Record<string, unknown>>;
  /** The body's kind says it already, so the header is left out. */
  readonly impliedType: boolean;
  readonly notes: readonly string[];
}

const none: ReadBody = { params: {}, impliedType: false, notes: [] };

export function bodyParams(command: CurlCommand, contentType: string | undefined): ReadBody {
  if (command.form.length > 0) return multipart(command.form);
  if (command.data.length === 0 || command.get) return none;
  const text = command.data.join(command.json ? '' : '&');
  const saysJson = command.json || /[/+]json\b/i.test(contentType ?? '');
  const value = jsonOf(text);
  if (
    value !== undefined &&
    (saysJson || (contentType === undefined && typeof value === 'object' && value !== null))
  ) {
    const guessed = saysJson
      ? []
      : ['The body looks like JSON, so it is sent as JSON; curl would have called it a form.'];
    return {
      params: { bodyType: 'json', body: value },
      impliedType: isPlainJson(contentType),
      notes: guessed,
    };
  }
  const isForm = contentType === undefined || /^application\/x-www-form-urlencoded\b/i.test(contentType);
  const fields = isForm ? readFields(text) : undefined;
  if (fields) return { params: { bodyType: 'form', body: fields }, impliedType: true, notes: [] };
  return { params: { bodyType: 'text', body: text }, impliedType: false, notes: [] };
}

function isPlainJson(contentType: string | undefined): boolean {
  return contentType === undefined || /^application\/json\s*(?:;|$)/i.test(contentType);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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

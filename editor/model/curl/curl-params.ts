import { bodyParams } from './body.ts';
import { type FoundSecret, takeCredentials } from './credentials.ts';
import { type CurlCommand, readCurlCommand } from './curl-command.ts';
import { addField, type Fields, readFields } from './fields.ts';

/** A curl command as settings of an HTTP request. */
export interface CurlSettings {
  readonly params: Readonly<Record<string, unknown>>;
  /** A password or token in the command. `params` only contains its name. */
  readonly secret: FoundSecret | undefined;
  /** Sentences about what was left out or is done differently. */
  readonly notes: readonly string[];
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** They belong to the connection, or are sent anyway. */
const CONNECTION =
  /^(?:host|content-length|connection|transfer-encoding|accept-encoding|te|upgrade|expect|keep-alive|trailer|proxy-.*)$/i;

/** Converts a curl command; a text says why that is impossible. */
export function curlSettings(text: string): CurlSettings | string {
  const command = readCurlCommand(text);
  if (typeof command === 'string') return command;
  const { secret, notes: credentialNotes } = takeCredentials(command);
  const contentType = command.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
  const body = bodyParams(command, contentType);
  const headers = headerParams(command, body.impliedType);
  const { method, note } = methodOf(command);
  const params = {
    method,
    ...addressOf(command),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(secret && { auth: secret.auth }),
    ...body.params,
    ...(command.maxTimeMs !== undefined && { timeoutMs: command.maxTimeMs }),
    ...(command.maxRedirects !== undefined && { redirects: Math.min(command.maxRedirects, 20) }),
  };
  const braces = JSON.stringify(params).includes('{{') ? ['Text in {{ }} is an expression here.'] : [];
  const notes = [...command.notes, ...note, ...credentialNotes, ...body.notes, ...braces];
  return { params, secret, notes };
}

function methodOf(command: CurlCommand): { method: string; note: string[] } {
  const hasBody = (command.data.length > 0 && !command.get) || command.form.length > 0;
  const method = command.method ?? (hasBody ? 'POST' : 'GET');
  if (METHODS.has(method)) return { method, note: [] };
  return { method: 'GET', note: [`The method ${method} cannot be sent; it is GET now.`] };
}

/** The address, with its query separate if an object can express it. */
function addressOf(command: CurlCommand): { url: string; query?: Fields } {
  const given = command.url ?? '';
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `http://${given}`;
  const [address = '', ...rest] = url.replace(/#.*$/s, '').split('?');
  const own = rest.join('?');
  const data = command.get ? command.data : [];
  const fields = readFields([...(own === '' ? [] : [own]), ...data].join('&'));
  if (fields) return { url: address, query: fields };
  const added = data.join('&');
  return { url: added === '' ? url : `${url}${url.includes('?') ? '&' : '?'}${added}` };
}

function headerParams(command: CurlCommand, impliedType: boolean): Record<string, string> {
  const fields: Fields = {};
  for (const [name, value] of command.headers) {
    const isImplied = impliedType && name.toLowerCase() === 'content-type';
    if (value !== '' && !isImplied && !CONNECTION.test(name)) addField(fields, name.toLowerCase(), value);
  }
  const entries = Object.entries(fields).map(([name, value]) => [name, [value].flat().join(', ')] as const);
  if (command.json && !('accept' in fields)) entries.push(['accept', 'application/json']);
  return Object.fromEntries(entries);
}

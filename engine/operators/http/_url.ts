import { isRecord } from '#shared/json.ts';
import { toText, WeftError } from '../../base/operator.ts';
import { reading } from '../_record.ts';

/** Adds fields to an address, before its fragment. */
export function withQuery(url: string, fields: Readonly<Record<string, unknown>>): string {
  const added = formText(fields).replaceAll('+', '%20');
  const [address = '', ...fragment] = url.split('#');
  if (added === '') return url;
  const joint = address.includes('?') ? (/[?&]$/.test(address) ? '' : '&') : '?';
  return [`${address}${joint}${added}`, ...fragment].join('#');
}

/** Fields as a form encodes them. A list repeats its field; null and undefined leave it out. */
export function formText(fields: unknown): string {
  if (!isRecord(fields)) throw new WeftError('bad_input', 'The fields of a form or query must be an object.');
  return reading(() =>
    Object.entries(fields)
      .flatMap(([name, value]) =>
        (Array.isArray(value) ? value : [value]).map((one: unknown) => [name, one] as const),
      )
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => `${encoded(name)}=${encoded(toText(value))}`)
      .join('&'),
  );
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll('%20', '+');
}

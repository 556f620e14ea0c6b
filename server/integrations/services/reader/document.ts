import { isRecord } from '#shared/json.ts';
import { ServiceError } from '../../../base/errors/errors.ts';

/** The description of an API as it came, and its pieces. Nothing in it is trusted. */

/** Bytes of a description. */
export const MAX_DESCRIPTION = 10_000_000;
const UNSAFE = new Set(['__proto__', 'constructor', 'prototype']);
/** Longer names are no fields that people use. */
const MAX_NAME = 200;

export type Document = Readonly<Record<string, unknown>>;

/** Reads JSON or YAML. Throws `service_invalid`. */
export async function readDocument(text: string): Promise<Document> {
  if (text.length > MAX_DESCRIPTION) throw invalid('The description has more than 10 MB.');
  const content = /^\s*[{[]/.test(text) ? readJson(text) : await readYaml(text);
  if (!isRecord(content)) throw invalid('The description is no object.');
  return content;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw invalid(`The description is not valid JSON: ${(error as Error).message}`);
  }
}

async function readYaml(text: string): Promise<unknown> {
  const { parse } = await import('yaml');
  try {
    // Aliases that multiply are refused by the library, and keys are texts.
    return parse(text, { maxAliasCount: 100, stringKeys: true, logLevel: 'error' }) as unknown;
  } catch (error) {
    throw invalid(`The description is not valid YAML: ${String((error as Error).message).split('\n')[0]}`);
  }
}

export function invalid(message: string): ServiceError {
  return new ServiceError('service_invalid', message.slice(0, 1000));
}

export function record(value: unknown): Document {
  return isRecord(value) ? value : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The entries of an object with names that are safe to keep. */
export function entriesOf(value: unknown): [string, unknown][] {
  return Object.entries(record(value)).filter(([name]) => isSafeName(name));
}

export function isSafeName(name: string): boolean {
  return name !== '' && name.length <= MAX_NAME && !UNSAFE.has(name) && !/[\p{Cc}\p{Cf}\s]/u.test(name);
}

/** A text in one line without letters that deceive, cut at a length; undefined if nothing is left. */
export function textOf(value: unknown, most: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value
    .slice(0, most * 4)
    .replaceAll(/<[^<>]{0,200}>/g, ' ')
    .replaceAll(/[\p{Cc}\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF]+/gu, ' ')
    .replaceAll(/ {2,}/g, ' ')
    .trim();
  if (text === '') return undefined;
  return text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`;
}

/** An id of a call or a service: `listPetsByTag` is `list-pets-by-tag`. */
export function slugOf(text: string): string {
  const slug = text
    .slice(0, 300)
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^[^a-z]+|-+$/g, '')
    .slice(0, 36)
    .replaceAll(/-+$/g, '');
  return slug.length >= 2 ? slug : `call-${slug}`.replace(/-$/, '');
}

/** A name that no other has: `x`, `x-2`, `x-3`. */
export function unique(name: string, taken: Set<string>, joint = '-'): string {
  let one = name;
  for (let n = 2; taken.has(one); n++) one = `${name}${joint}${n}`;
  taken.add(one);
  return one;
}

const RESERVED = new Set(['connection', 'limit', 'timeoutMs', 'every', 'existing', 'constructor']);

/** A param of a node: `x-api-version` is `xApiVersion`. */
export function paramOf(name: string, taken: Set<string>): string {
  const words = name
    .replaceAll(/[^A-Za-z0-9_]+/g, ' ')
    .trim()
    .split(' ');
  const joined = words
    .map((word, at) => (at === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('');
  const plain = joined.replace(/^[^A-Za-z]+/, '').slice(0, 60) || 'value';
  return unique(RESERVED.has(plain) ? `${plain}Value` : plain, taken, '');
}

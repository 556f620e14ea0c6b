import { losesDigits, parseKeepingDigits } from './lost-digits.ts';
import { FILE_FORMAT } from './file.ts';
import { FORM_FILE_BYTES, FORM_FILES } from './form-field.ts';
import { isRecord, type JsonSchema, textOrJson } from './json.ts';
import type { WaitAsk } from './wait.ts';
import { asSchema, propertiesOf, resolve, typesOf } from './json-schema.ts';

/** A field of a form as a page draws it. `json`: anything that has no field of its own, entered as JSON. */
export interface WaitField {
  readonly name: string;
  readonly label: string;
  readonly help: string | undefined;
  readonly type: FieldType;
  readonly required: boolean;
  /** For a choice. */
  readonly choices: readonly unknown[];
  /** What is filled in at first. */
  readonly initial: unknown;
  /** For a field for files. */
  readonly files: FileLimits | undefined;
}

type FieldType =
  | 'text'
  | 'longtext'
  | 'number'
  | 'integer'
  | 'choice'
  | 'date'
  | 'boolean'
  | 'file'
  | 'files'
  | 'json';

export interface FileLimits {
  /** Media types, such as `image/*`; any if empty. */
  readonly accept: readonly string[];
  /** For each file. */
  readonly maxBytes: number;
  /** How many. */
  readonly most: number;
}

/** The files of one message of a chat, where who answers takes no other ones. */
export const CHAT_FILES: FileLimits = { accept: [], maxBytes: 20_000_000, most: 10 };

/** The fields of a form, from the JSON Schema of what it takes. */
export function waitFields(schema: JsonSchema | undefined): WaitField[] {
  if (!schema) return [];
  const target = resolve(schema, schema);
  const required = Array.isArray(target['required']) ? (target['required'] as unknown[]) : [];
  return [...propertiesOf(target, schema)].map(([name, own]) => {
    const field = resolve(own, schema);
    const choices = Array.isArray(field['enum']) ? (field['enum'] as unknown[]) : [];
    const files = fileLimits(field, schema);
    const type = choices.length > 0 ? 'choice' : files ? files.type : fieldType(field);
    // A page always has an answer for a box, so only one that must be ticked is required.
    const isRequired = required.includes(name) && (type !== 'boolean' || field['const'] === true);
    return {
      name,
      label: filledText(field['title']) ?? name,
      help: filledText(field['description']),
      type,
      required: isRequired,
      choices,
      initial: field['default'],
      files: files?.limits,
    };
  });
}

type Asked = Pick<WaitAsk, 'kind' | 'schema' | 'data'>;

/** What people fill in: the fields of a form, or the arguments of a tool as the agent gave them. */
export function askedFields({ kind, schema, data }: Asked): WaitField[] {
  const fields = waitFields(schema);
  if (kind !== 'tool') return fields;
  const given = isRecord(data) ? data : {};
  const known = new Set(fields.map(({ name }) => name));
  const others = Object.keys(given).filter((name) => !known.has(name));
  const more = waitFields({ properties: Object.fromEntries(others.map((name) => [name, {}])) });
  return [...fields, ...more].map((field) => ({ ...field, initial: given[field.name] }));
}

/** The arguments of a tool as people changed them; undefined if they changed none. `typed` is what they left in the fields. */
export function changedArguments(
  { data }: Pick<WaitAsk, 'data'>,
  typed: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | undefined {
  const given = isRecord(data) ? data : {};
  const names = [...new Set([...Object.keys(given), ...Object.keys(typed)])];
  const isSame = (name: string): boolean =>
    // A box that nobody ticked is no argument.
    (typed[name] === false && given[name] === undefined) ||
    JSON.stringify(typed[name]) === JSON.stringify(given[name]);
  if (names.every(isSame)) return undefined;
  return Object.fromEntries(
    names
      .filter((name) => typed[name] !== undefined && !(typed[name] === false && given[name] === undefined))
      .map((name) => [name, typed[name]]),
  );
}

/** The limits of a field for files, which are notes in its schema: `accept` and `maxBytes`. Undefined for any other field. */
export function fileLimits(
  field: JsonSchema,
  root: JsonSchema,
): { readonly type: 'file' | 'files'; readonly limits: FileLimits } | undefined {
  const items = field['type'] === 'array' ? asSchema(field['items']) : undefined;
  const file = items ? resolve(items, root) : field;
  if (file['format'] !== FILE_FORMAT || file['type'] !== 'object') return undefined;
  const { accept, maxBytes } = file;
  const { maxItems } = field;
  return {
    type: items ? 'files' : 'file',
    limits: {
      accept: Array.isArray(accept) ? accept.filter((one) => typeof one === 'string') : [],
      maxBytes: typeof maxBytes === 'number' && maxBytes >= 1 ? maxBytes : FORM_FILE_BYTES,
      most: items
        ? typeof maxItems === 'number' && maxItems >= 1
          ? Math.min(maxItems, 1000)
          : FORM_FILES
        : 1,
    },
  };
}

/** Whether a file of this media type may be put into a field. */
export function takesType({ accept }: FileLimits, fullType: string): boolean {
  const type = fullType.split(';', 1)[0] ?? '';
  return (
    accept.length === 0 ||
    accept.some((one) =>
      one.endsWith('/*') ? type.startsWith(one.slice(0, -1)) : one.toLowerCase() === type,
    )
  );
}

/** A number of bytes for people to read, in the units of disks. */
export function sizeText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB'] as const;
  const at = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  const shown = Math.round((bytes / 1000 ** at) * 10) / 10;
  return `${shown.toLocaleString('en-US')} ${units[at]}`;
}

/** What fits into a field for files, in a sentence. */
export function limitsText({ accept, maxBytes, most }: FileLimits): string {
  const types = accept.map((one) => TYPE_NAMES[one] ?? one).join(', ');
  const size = sizeText(maxBytes);
  const kinds = types === '' ? '' : `${types}; `;
  const text = most === 1 ? `at most ${size}` : `at most ${most} files of ${size} each`;
  return `${kinds}${text}.`.replace(/^a/, 'A');
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  'image/*': 'Pictures',
  'audio/*': 'Sound',
  'video/*': 'Videos',
  'text/*': 'Texts',
  'image/png': 'PNG',
  'image/jpeg': 'JPEG',
  'image/gif': 'GIF',
  'image/webp': 'WebP',
  'application/pdf': 'PDF',
  'text/csv': 'CSV',
  'text/plain': 'Plain text',
};

function fieldType(schema: JsonSchema): FieldType {
  const types = typesOf(schema);
  switch (types?.length === 1 ? types[0] : undefined) {
    case 'string':
      if (schema['format'] === 'date') return 'date';
      return Number(schema['maxLength'] ?? 0) > 200 ? 'longtext' : 'text';
    case 'number':
      return 'number';
    case 'integer':
      return 'integer';
    case 'boolean':
      return 'boolean';
    default:
      return 'json';
  }
}

/** A text that says something; undefined for anything else. */
export function filledText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * What somebody typed, as the value that the field's schema wants; undefined for nothing. A text that is no such value stays as
 * it is, so that the check of the form refuses it and says why.
 */
export function typedValue({ type, choices, required }: WaitField, text: string): unknown {
  if (type === 'boolean') return isTicked(text) || (required ? undefined : false);
  if (text === '') return undefined;
  switch (type) {
    // Files are chosen, not typed.
    case 'file':
    case 'files':
      return undefined;
    case 'choice':
      return choices.find((choice) => choiceText(choice) === text) ?? text;
    case 'number':
    case 'integer':
      return numberOf(text);
    case 'json':
      return jsonOf(text);
    default:
      return text;
  }
}

function isTicked(text: string): boolean {
  return text === 'true' || text === 'on';
}

/** How a choice is shown, and sent back by a page. */
export function choiceText(choice: unknown): string {
  return textOrJson(choice);
}

function numberOf(text: string): unknown {
  const number = Number(text);
  const isNone = text.trim() === '' || !Number.isFinite(number);
  return isNone || (/^\s*-?\d{16,}\s*$/.test(text) && losesDigits(text.trim())) ? text : number;
}

function jsonOf(text: string): unknown {
  try {
    return parseKeepingDigits(text);
  } catch {
    return text;
  }
}

/** What a form holds as one object, without the fields in which nothing stands. */
export function typedForm(
  fields: readonly WaitField[],
  textOf: (name: string) => string,
): Record<string, unknown> {
  const entries = fields.map((field) => [field.name, typedValue(field, textOf(field.name))] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

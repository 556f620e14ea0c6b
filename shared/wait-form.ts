import type { JsonSchema } from './json.ts';
import { propertiesOf, resolve, typesOf } from './json-schema.ts';

/** A field of a form as a page draws it. `json`: anything that has no field of its own, entered as JSON. */
export interface WaitField {
  readonly name: string;
  readonly label: string;
  readonly help: string | undefined;
  readonly type: 'text' | 'longtext' | 'number' | 'integer' | 'choice' | 'date' | 'boolean' | 'json';
  readonly required: boolean;
  /** Of a choice. */
  readonly choices: readonly unknown[];
  /** What is filled in at first. */
  readonly initial: unknown;
}

/** The fields of a form, from the JSON Schema of what it takes. */
export function waitFields(schema: JsonSchema | undefined): WaitField[] {
  if (!schema) return [];
  const target = resolve(schema, schema);
  const required = Array.isArray(target['required']) ? (target['required'] as unknown[]) : [];
  return [...propertiesOf(target, schema)].map(([name, own]) => {
    const field = resolve(own, schema);
    const choices = Array.isArray(field['enum']) ? (field['enum'] as unknown[]) : [];
    return {
      name,
      label: textOf(field['title']) ?? name,
      help: textOf(field['description']),
      type: choices.length > 0 ? 'choice' : fieldType(field),
      required: required.includes(name),
      choices,
      initial: field['default'],
    };
  });
}

function fieldType(schema: JsonSchema): WaitField['type'] {
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

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * What somebody typed, as the value that the field's schema wants; undefined for nothing. A text that is no such value stays as
 * it is, so that the check of the form refuses it and says why.
 */
export function typedValue({ type, choices }: WaitField, text: string): unknown {
  if (type === 'boolean') return text === 'true' || text === 'on';
  if (text === '') return undefined;
  if (type === 'choice') return choices.find((choice) => choiceText(choice) === text) ?? text;
  if (type === 'number' || type === 'integer') return numberOf(text);
  return type === 'json' ? jsonOf(text) : text;
}

/** How a choice is shown, and sent back by a page. */
export function choiceText(choice: unknown): string {
  return typeof choice === 'string' ? choice : JSON.stringify(choice);
}

function numberOf(text: string): unknown {
  const number = Number(text);
  return text.trim() === '' || !Number.isFinite(number) ? text : number;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
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

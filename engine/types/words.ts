import { isFile, isNever, kindsOf, type Kind, type ObjectType, type Type } from './type.ts';

const MAX_FIELDS = 6;
const MAX_CHOICES = 4;
const MAX_TEXT = 160;
const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/;

/** A type in short form, as people write it: `{name: string, age?: integer}`, `string[]`, `any` for an unknown type. */
export function shortType(type: Type): string {
  const text = write(type, 3);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text;
}

function write(type: Type, depth: number): string {
  if (type.any) return 'any';
  const words = kindsOf(type).map((kind) => writeKind(type, kind, depth));
  return words.length === 0 ? 'nothing' : words.join(' | ');
}

function writeKind(type: Type, kind: Kind, depth: number): string {
  switch (kind) {
    case 'array':
      return writeArray(type.array as Type, depth);
    case 'object':
      return writeObject(type.object as ObjectType, depth);
    case 'string':
      return choice(type.string, 'string');
    case 'number':
      return choice(type.number, type.number === 'integer' ? 'integer' : 'number');
    case 'boolean':
      return choice(type.boolean, 'boolean');
    case 'null':
      return 'null';
    case 'absent':
      return 'nothing';
  }
}

function choice(choices: unknown, word: string): string {
  if (!Array.isArray(choices)) return word;
  return choices.length > MAX_CHOICES ? word : choices.map((value) => JSON.stringify(value)).join(' | ');
}

function writeArray(items: Type, depth: number): string {
  if (items.any || isNever(items) || depth === 0) return 'array';
  const inner = write(items, depth - 1);
  return inner.includes(' | ') ? `(${inner})[]` : `${inner}[]`;
}

function writeObject(object: ObjectType, depth: number): string {
  if (isFile(object)) return 'file';
  const { fields: all, rest } = object;
  const fields = [...all].filter(([, field]) => !isNever(field.type));
  if (fields.length === 0)
    return isNever(rest) ? '{}' : rest.any || depth === 0 ? 'object' : others(rest, depth);
  if (depth === 0) return '{…}';
  const shown = fields.slice(0, MAX_FIELDS).map(([name, field]) => {
    const word = PLAIN_NAME.test(name) ? name : JSON.stringify(name);
    return `${word}${field.required ? '' : '?'}: ${write(field.type, depth - 1)}`;
  });
  return `{${[...shown, ...(fields.length > MAX_FIELDS ? ['…'] : [])].join(', ')}}`;
}

function others(rest: Type, depth: number): string {
  return `{[name]: ${write(rest, depth - 1)}}`;
}

const NOUNS: Readonly<Record<Kind, string>> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
  absent: 'nothing',
};

/** A type in a sentence, only its kinds: `text`, `a number or null`. */
export function nounOf(type: Type): string {
  if (type.any) return 'any value';
  const nouns = kindsOf(type).map((kind) =>
    kind === 'object' && isFile(type.object as ObjectType) ? 'a file' : NOUNS[kind],
  );
  return nouns.length === 0 ? 'nothing' : nouns.join(' or ');
}

import { singular } from '#shared/setting-words.ts';
import type { FieldShape, FormField } from './schema-form.ts';

interface Place {
  /** The list or record that gets the new element. */
  readonly list: string;
  /** Its current number of elements. */
  readonly count: number;
}

/** The initial value of a new element of a list or entry of a record. */
export function initialValue(field: FormField, place: Place): unknown {
  if (field.defaultValue !== undefined) return structuredClone(field.defaultValue);
  return initialOf[field.shape.kind](field.shape as never, place);
}

type Initial = {
  readonly [K in FieldShape['kind']]: (shape: Extract<FieldShape, { kind: K }>, place: Place) => unknown;
};

const nothing = () => '';

/** A name that fits, until somebody writes another one: `field_1`. */
function numbered({ list, count }: Place): string {
  return `${singular(list)}_${count + 1}`;
}

/** The name of the element itself, which has to be an id. */
function isOwnName({ name, shape, schema }: FormField): boolean {
  return name === 'name' && shape.kind === 'text' && typeof schema['pattern'] === 'string';
}

const initialOf: Initial = {
  text: ({ portName }, { list, count }) => (portName ? numbered({ list, count }) : ''),
  number: () => 0,
  boolean: () => false,
  select: ({ options }) => options[0]?.value,
  choices: () => [],
  list: () => [],
  object: ({ fields }, place) => {
    const required = fields.filter((part) => part.required);
    return Object.fromEntries(
      required.map((part) => [part.name, isOwnName(part) ? numbered(place) : initialValue(part, place)]),
    );
  },
  union: ({ tag, variants: [first] }) => (first?.word ? first.value : { [tag]: first?.value }),
  record: () => ({}),
  request: () => ({}),
  expression: nothing,
  value: nothing,
  json: nothing,
  secret: nothing,
  name: nothing,
  tools: () => [],
  sql: nothing,
  code: nothing,
  listed: nothing,
  cron: nothing,
  timezone: nothing,
  file: () => undefined,
};

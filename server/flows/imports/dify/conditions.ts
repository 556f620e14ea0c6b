import { type Fields, listOf, recordOf, selectorOf, textOf } from './app.ts';
import { Unmapped } from './unmapped.ts';
import { isListKind, literal, quoted, type Value } from './write.ts';

/** The values that conditions read. */
export interface Read {
  /** The value of a variable, as an expression. */
  value(selector: readonly string[]): Value;
  /** A text with variables in it, as an expression that gives a text. */
  text(template: string): string;
}

/** Conditions that hold together, or of which one is enough. Without any condition they hold, as in Dify. */
export function conditionsOf(conditions: readonly unknown[], operator: string, read: Read): string {
  const all = conditions.map((one) => conditionOf(recordOf(one), read));
  if (all.length === 0) return 'true';
  const joined = all.join(operator === 'or' ? ' || ' : ' && ');
  return all.length === 1 ? joined : `(${joined})`;
}

function conditionOf(condition: Fields, read: Read): string {
  const selector = selectorOf(condition['variable_selector']);
  if (selector.length === 0) throw new Unmapped('a condition names no variable');
  const given = read.value(selector);
  const type = textOf(condition['varType']);
  const nested = recordOf(condition['sub_variable_condition']);
  if (listOf(nested['conditions']).length > 0)
    return filesOf(given, textOf(condition['comparison_operator']), nested, read);
  return compared({ ...given, type }, condition, read);
}

/** Conditions over each file of a list. */
function filesOf(list: Value, operator: string, nested: Fields, read: Read): string {
  const each = listOf(nested['conditions']).map((one) => {
    const condition = recordOf(one);
    return compared({ ...fileField('file', textOf(condition['key'])), type: '' }, condition, read);
  });
  const holds = each.join(textOf(nested['logical_operator']) === 'or' ? ' || ' : ' && ');
  const all = `(${list.expr} ?? [])`;
  if (operator === 'contains') return `${all}.some((file) => ${holds})`;
  if (operator === 'not contains') return `!${all}.some((file) => ${holds})`;
  if (operator === 'all of') return `(${all}.length > 0 && ${all}.every((file) => ${holds}))`;
  throw new Unmapped(`the comparison “${operator.slice(0, 40)}” over files is not understood`);
}

/** Dify's kinds of files, by the media types that files have here. */
const CATEGORIES: readonly (readonly [string, string])[] = [
  ['image', 'image/'],
  ['audio', 'audio/'],
  ['video', 'video/'],
];

/** A field of a file, which has other names here. */
export function fileField(file: string, name: string): Value {
  switch (name) {
    case 'name':
    case 'filename':
      return { expr: `${file}?.name`, kind: 'text' };
    case 'size':
      return { expr: `${file}?.bytes`, kind: 'number' };
    case 'mime_type':
      return { expr: `${file}?.type`, kind: 'text' };
    case 'extension':
      return { expr: `(extract(string(${file}?.name), "\\\\.[^.]+$") ?? "")`, kind: 'text' };
    case 'type': {
      const kinds = CATEGORIES.map(
        ([kind, start]) => `string(${file}?.type).startsWith("${start}") ? "${kind}" : `,
      );
      return { expr: `(${kinds.join('')}"document")`, kind: 'text' };
    }
    case 'transfer_method':
      return { expr: '"local_file"', kind: 'text' };
    default:
      throw new Unmapped(`files have no ${name.slice(0, 40)} here`);
  }
}

const NUMBERS: Readonly<Record<string, string>> = {
  '=': '===',
  '≠': '!==',
  '>': '>',
  '<': '<',
  '≥': '>=',
  '≤': '<=',
};

/** A comparison: what is compared, and with what. */
interface Compared {
  /** The value, as an expression. */
  readonly x: string;
  readonly isText: boolean;
  readonly isList: boolean;
  readonly isBoolean: boolean;
  readonly raw: unknown;
  /** The other side, as an expression that gives a text, or a list of texts. */
  text(): string;
  listed(): string;
}

const isNull = ({ x }: Compared): string => `((${x} ?? null) === null)`;
const isThere = ({ x }: Compared): string => `((${x} ?? null) !== null)`;

const COMPARISONS: Readonly<Record<string, (asked: Compared) => string>> = {
  is: (asked) => `(${same(asked)})`,
  // In Dify, a missing value fulfils neither condition.
  'is not': (asked) => `(${isThere(asked)} && !(${same(asked)}))`,
  contains: (asked) => within(asked),
  'not contains': (asked) => `!${within(asked)}`,
  'start with': ({ x, text }) => `string(${x}).startsWith(${text()})`,
  'end with': ({ x, text }) => `string(${x}).endsWith(${text()})`,
  empty: (asked) => `!${filled(asked)}`,
  'not empty': (asked) => filled(asked),
  // Names of files that programs have written.
  'is empty': (asked) => `!${filled(asked)}`,
  'is not empty': (asked) => filled(asked),
  null: isNull,
  'not exists': isNull,
  'not null': isThere,
  exists: isThere,
  in: ({ x, listed }) => `${listed()}.includes(${x})`,
  'not in': ({ x, listed }) => `!${listed()}.includes(${x})`,
  'all of': ({ x, listed }) => `${listed()}.every((one) => (${x} ?? []).includes(one))`,
};

function compared(given: Value & { readonly type: string }, condition: Fields, read: Read): string {
  const operator = textOf(condition['comparison_operator']);
  const { expr: x, type, kind } = given;
  const raw = condition['value'];
  const text = (): string => (typeof raw === 'string' ? read.text(raw) : quoted(textOf(raw)));
  const asked: Compared = {
    x,
    isText: kind === 'text' || (type === 'string' && kind === undefined),
    isList: type.startsWith('array') || isListKind(kind),
    isBoolean: type === 'boolean' || kind === 'boolean',
    raw,
    text,
    listed: () => (Array.isArray(raw) ? literal(raw.map(textOf)) : `[${text()}]`),
  };
  const compare = Object.hasOwn(COMPARISONS, operator) ? COMPARISONS[operator] : undefined;
  if (compare) return compare(asked);
  const sign = Object.hasOwn(NUMBERS, operator) ? NUMBERS[operator] : undefined;
  if (sign === undefined) throw new Unmapped(`the comparison “${operator.slice(0, 40)}” is not understood`);
  return `(isNumeric(${x}) && number(${x}) ${sign} ${numberOf(raw, text)})`;
}

const same = ({ x, isBoolean, raw, text }: Compared): string => `${x} === ${isBoolean ? truth(raw) : text()}`;

const truth = (value: unknown): string =>
  String(value === true || value === 1 || (typeof value === 'string' && /^(?:true|1)$/i.test(value.trim())));

function numberOf(raw: unknown, text: () => string): string {
  const given = typeof raw === 'string' ? raw.trim() : raw;
  if (typeof given === 'number') return String(given);
  if (typeof given === 'string' && /^-?\d+(?:\.\d+)?$/.test(given)) return String(Number(given));
  if (typeof given === 'string' && given !== '') return `number(${text()})`;
  throw new Unmapped('a comparison of numbers has none to compare with');
}

function within({ x, isText, isList, text }: Compared): string {
  const what = text();
  if (isText) return `string(${x}).includes(${what})`;
  if (isList) return `(${x} ?? []).includes(${what})`;
  return `(typeOf(${x}) === "array" ? ${x}.includes(${what}) : string(${x}).includes(${what}))`;
}

/** Neither null nor empty; numbers other than 0 count too. */
function filled({ x, isText, isList }: Compared): string {
  return isText || isList ? `!isEmpty(${x})` : `(!!ifEmpty(${x}, null))`;
}

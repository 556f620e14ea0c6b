import { listOf, recordOf, textOf } from '../app.ts';
import { conditionsOf, fileField } from '../conditions.ts';
import { type Here, type Mapping, simple } from '../here.ts';
import { Unmapped } from '../unmapped.ts';
import { kindOf } from './texts.ts';
import { braces, literal, members, quoted, type Value } from '../write.ts';

/** Filter, order and limit of a list, as one expression. */
export const listOperator: Mapping = (here) => {
  const { settings } = here;
  const selector = settings.selector('variable');
  if (selector.length === 0) throw new Unmapped('it names no list');
  const type = settings.text('var_type');
  const isFiles = type === 'array[file]';
  const field = (name: string): Value =>
    isFiles ? fileField('item', name) : { expr: 'item', kind: type === 'array[number]' ? 'number' : 'text' };
  let list = `(${here.value(selector).expr} ?? [])${filtered(here, type, field)}`;
  const extract = settings.record('extract_by');
  if (extract['enabled'] === true) {
    const serial = `int(${here.text(textOf(extract['serial']))})`;
    list = `${list}.slice(${serial} - 1, ${serial})`;
  }
  const order = settings.record('order_by');
  if (order['enabled'] === true) list = sorted(list, order, isFiles, field);
  const limit = settings.record('limit');
  const size = Number(limit['size']);
  if (limit['enabled'] === true && Number.isInteger(size) && size >= 0) list += `.slice(0, ${size})`;
  const item = kindOf(settings.text('item_var_type'));
  const id = here.main({ operator: 'core.map', params: { value: braces(list) } });
  return simple(`${id}.in`, `${id}.out`, ([name = '', ...rest]) => {
    const all = `(nodes.${id} ?? [])`;
    if (name === 'result') return { expr: all, kind: isFiles ? 'files' : kindOf(type) };
    if (name !== 'first_record' && name !== 'last_record') return undefined;
    const one = `${name.slice(0, name.indexOf('_'))}(${all})`;
    if (rest.length === 0) return { expr: one, kind: item };
    return isFiles ? fileField(one, rest[0] as string) : { expr: members(one, rest, '?') };
  });
};

function filtered({ settings, text }: Here, type: string, field: (name: string) => Value): string {
  const filter = settings.record('filter_by');
  const varType = type === 'array[number]' ? 'number' : 'string';
  if (filter['enabled'] !== true) return '';
  const all = listOf(filter['conditions'])
    .map(recordOf)
    .map((one) =>
      conditionsOf([{ ...one, variable_selector: ['item'], varType }], 'and', {
        value: () => field(textOf(one['key'])),
        text,
      }),
    );
  return all.length === 0 ? '' : `.filter((item) => ${all.join(' && ')})`;
}

function sorted(
  list: string,
  order: Readonly<Record<string, unknown>>,
  isFiles: boolean,
  field: (name: string) => Value,
): string {
  const isDown = order['value'] === 'desc';
  const key = textOf(order['key']);
  if (isFiles) {
    const { expr } = field(key);
    const rows = `${list}.map((item) => ({ item: item, by: ${expr} }))`;
    return `${rows}.sortBy("by"${isDown ? ', "desc"' : ''}).map((row) => row.item)`;
  }
  const rows = `${list}.map((item) => ({ item: item }))`;
  return `${rows}.sortBy(${quoted('item')}${isDown ? ', "desc"' : ''}).map((row) => row.item)`;
}

type Change = (current: string, value: string, type: string) => string;

const arithmetic =
  (sign: string): Change =>
  (current, value) =>
    `(${current} ${sign} ${value})`;
const over: Change = (_, value) => value;

const OPERATIONS: Readonly<Record<string, Change>> = {
  'over-write': over,
  overwrite: over,
  set: over,
  clear: (_current, _value, type) => literal(emptyOf(type)),
  append: (current, value) => `[...(${current} ?? []), ${value}]`,
  extend: (current, value) => `[...(${current} ?? []), ...(${value} ?? [])]`,
  'remove-first': (current) => `(${current} ?? []).slice(1)`,
  'remove-last': (current) => `(${current} ?? []).slice(0, -1)`,
  '+=': arithmetic('+'),
  '-=': arithmetic('-'),
  '*=': arithmetic('*'),
  '/=': arithmetic('/'),
};

/** How an assigner changes a variable. Throws `Unmapped` for an operation that is not known. */
export function changeOf(operation: string): Change {
  const change = Object.hasOwn(OPERATIONS, operation) ? OPERATIONS[operation] : undefined;
  if (!change) throw new Unmapped(`it does not say how it assigns (${operation.slice(0, 40)})`);
  return change;
}

const EMPTY: Readonly<Record<string, unknown>> = {
  string: '',
  secret: '',
  number: 0,
  integer: 0,
  float: 0,
  boolean: false,
  object: {},
};

/** The value of a variable of a type that has none. */
export function emptyOf(type: string): unknown {
  if (type.startsWith('array')) return [];
  return Object.hasOwn(EMPTY, type) ? EMPTY[type] : null;
}

const NUMBERS = new Set(['number', 'integer', 'float']);

/** A constant of the file in the type of its variable: numbers, lists and objects are often kept as texts. */
export function typedConstant(value: unknown, type: string): unknown {
  if (value === null || value === undefined) return emptyOf(type);
  if (typeof value !== 'string' || type === 'string' || type === 'secret') return value;
  return value.trim() === '' ? emptyOf(type) : typedText(value, type);
}

function typedText(value: string, type: string): unknown {
  if (NUMBERS.has(type)) return Number.isFinite(Number(value)) ? Number(value) : value;
  if (type === 'boolean') return /^\s*true\s*$/i.test(value);
  if (type !== 'object' && !type.startsWith('array')) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

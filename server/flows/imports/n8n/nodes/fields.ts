import { isRecord } from '#shared/json.ts';
import { isFile, passesFiles } from '../item-files.ts';
import { asText } from '../params.ts';
import type { Context } from '../context.ts';
import { itemwise } from '../items.ts';
import { type Entry, NotHere } from '../entry.ts';
import type { Reads } from '../expressions/reads.ts';
import { isExpression } from '../expressions/templates.ts';
import { following, type Port } from '../graph.ts';
import { gives, type Given } from '../job.ts';
import { jsonValue } from './http.ts';

/** Set (Edit Fields) and its older names, Rename Keys, and nodes that pass items on. */

interface Assigned {
  readonly name: string;
  /** An expression. */
  readonly value: string;
}

function set(context: Context): Given {
  const { params, step } = context;
  const input = context.input();
  if (input === undefined) throw new NotHere('nothing leads to it');
  const reads = context.reads(input);
  const base = withFiles(context, keptFields(context));
  const mode = params.text('mode');
  if (step.version >= 3 && (mode === 'raw' || mode === 'json')) {
    const whole = jsonValue(context, params.get('jsonOutput'), reads);
    return mapped(context, input, base === '' ? whole : `{{ merge(${base}, ${asExpression(whole)}) }}`);
  }
  const assigned = step.version >= 3 ? newFields(context, reads) : oldFields(context, reads);
  const isDeep = params.get('options.dotNotation') !== false;
  return mapped(context, input, `{{ ${objectOf(base, assigned, isDeep)} }}`);
}

/** A value with templates in it as one expression. */
function asExpression(value: unknown): string {
  if (typeof value === 'string') {
    const whole = /^\{\{ ([\s\S]*) \}\}$/.exec(value)?.[1];
    return whole ?? JSON.stringify(value.replaceAll(String.raw`\{{`, '{{'));
  }
  if (Array.isArray(value)) return `[${value.map((one) => asExpression(one)).join(', ')}]`;
  if (!isRecord(value)) return JSON.stringify(value ?? null);
  const fields = Object.entries(value).map(([key, one]) => `${keyOf(key)}: ${asExpression(one)}`);
  return fields.length === 0 ? '{ }' : `{ ${fields.join(', ')} }`;
}

function mapped(context: Context, input: Port, value: unknown): Given {
  const id = itemwise(context, input, { operator: 'core.map', params: { value } });
  return gives(
    context.port(id, 'out', {
      card: input.card,
      mayBeEmpty: input.mayBeEmpty,
      ...following(input, context.step.name),
    }),
  );
}

/** Files stay or go whatever becomes of the fields; newer versions that keep no field keep no file. */
function withFiles(context: Context, base: string): string {
  const { params, step } = context;
  const isStripped = params.flag('options.stripBinary');
  const isIncluded = params.flag('options.includeBinary');
  if (step.version < 3 || !passesFiles(context)) return base;
  const isKept = step.version >= 3.4 ? !isStripped && base !== '' : isIncluded;
  const files = (sign: string): string =>
    `fromEntries(entries(input).filter(one => ${sign}(${isFile('one[1]')})))`;
  if (base === '') return isKept ? files('') : '';
  if (base === 'input') return isKept ? 'input' : files('!');
  return isKept ? `merge(${base}, ${files('')})` : base;
}

/** The fields of the input that stay, as an expression; empty if none do. */
function keptFields({ params, step }: Context): string {
  if (step.version < 3) return params.flag('keepOnlySet') ? '' : 'input';
  const include = params.text('include');
  const isOn = params.get('includeOtherFields');
  if (step.version >= 3.3 ? isOn !== true : include === 'none') return '';
  const names = (path: string): string =>
    JSON.stringify(
      asText(params.get(path) ?? '')
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
    );
  if (include === 'selected') return `pick(input, ${names('includeFields')})`;
  if (include === 'except') return `omit(input, ${names('excludeFields')})`;
  params.skip('includeFields', 'excludeFields');
  return 'input';
}

function newFields(context: Context, reads: Reads): Assigned[] {
  const { params } = context;
  params.skip('options.ignoreConversionErrors', 'duplicateItem', 'duplicateCount');
  if (params.flag('duplicateItem'))
    context.changed('setting', 'It gave each item several times, which is for tests.', { lost: true });
  const fields = [...params.list('assignments.assignments'), ...params.list('fields.values')];
  return fields
    .map((field) => {
      const type = asText(field['type'] ?? 'string').replace(/Value$/, '');
      const given = 'value' in field ? field['value'] : field[`${type}Value`];
      return { name: asText(field['name'] ?? ''), value: asTyped(context, type, given, reads) };
    })
    .filter(({ name }) => name !== '');
}

function oldFields(context: Context, reads: Reads): Assigned[] {
  const { params } = context;
  return (['string', 'number', 'boolean'] as const).flatMap((type) =>
    params.list(`values.${type}`).flatMap((field) =>
      typeof field['name'] === 'string' && field['name'] !== ''
        ? [
            {
              name: field['name'],
              value: typed(
                context,
                type,
                field['value'] ?? (type === 'boolean' ? false : type === 'number' ? 0 : ''),
                reads,
              ),
            },
          ]
        : [],
    ),
  );
}

/** In texts a value of another type becomes one. */
function asTyped(context: Context, type: string, given: unknown, reads: Reads): string {
  const said = typed(context, type, given, reads);
  const isText =
    type !== 'string' || !isExpression(given) || /^[`"]|^(?:string|toJson|not_imported)\(/.test(said);
  return isText ? said : `string(${said})`;
}

/** A value of the type that the field has: one that is written is converted here, one that is worked out in the flow. */
function typed(context: Context, type: string, given: unknown, reads: Reads): string {
  if (!isExpression(given)) return JSON.stringify(converted(context, type, given));
  const said = context.expr(given, reads);
  if (said.startsWith('`') || said.startsWith('"')) return type === 'string' ? said : wrapped(type, said);
  return wrapped(type, said);
}

const wrapped = (type: string, said: string): string => {
  if (said.startsWith('not_imported(')) return said;
  if (type === 'number') return said.startsWith('number(') ? said : `number(${said})`;
  if (type === 'boolean') return `boolean(${said} ?? false)`;
  if (type === 'array' || type === 'object') return said.startsWith('`') ? `json(${said})` : said;
  return said;
};

function converted(context: Context, type: string, given: unknown): unknown {
  if (type === 'number') return given === '' ? 0 : Number.isFinite(Number(given)) ? Number(given) : given;
  if (type === 'boolean') return given === true || given === 'true';
  if ((type === 'array' || type === 'object') && typeof given === 'string') {
    try {
      return JSON.parse(given) as unknown;
    } catch {
      context.changed('setting', 'A value is not valid JSON, and stays a text.', { before: given });
    }
  }
  return given ?? null;
}

const keyOf = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));

/** An object of fields over a base; `a.b` is a field of a field. */
export function objectOf(base: string, fields: readonly Assigned[], isDeep: boolean): string {
  const groups = new Map<string, Assigned[]>();
  for (const { name, value } of fields) {
    const [head, rest] = isDeep ? headOf(name) : [name, ''];
    // A later value of the same field takes the place of the earlier one.
    groups.set(
      head,
      rest === '' ? [{ name: '', value }] : [...(groups.get(head) ?? []), { name: rest, value }],
    );
  }
  const parts = [...groups].map(([head, list]) => `${keyOf(head)}: ${fieldValue(base, head, list)}`);
  const all = base === '' ? parts : [`...${base}`, ...parts];
  return all.length === 0 ? '{ }' : `{ ${all.join(', ')} }`;
}

function fieldValue(base: string, head: string, list: readonly Assigned[]): string {
  const [only] = list;
  if (only?.name === '') return only.value;
  const inner = base === '' ? '' : `(${base}?.[${JSON.stringify(head)}] ?? { })`;
  const named = list.filter(({ name }) => name !== '');
  return objectOf(inner, named, true);
}

/** `a.b.c` as `a` and `b.c`. */
function headOf(name: string): [head: string, rest: string] {
  const dot = name.indexOf('.');
  return dot > 0 ? [name.slice(0, dot), name.slice(dot + 1)] : [name, ''];
}

function renameKeys(context: Context): Given {
  const { params } = context;
  const input = context.input();
  if (input === undefined) throw new NotHere('nothing leads to it');
  if (params.list('additionalOptions.regexReplacement.replacements').length > 0)
    throw new NotHere('it renames by patterns', ['code.run', 'data.rename for each field']);
  const names = params
    .list('keys.key')
    .map((one) => [asText(one['currentKey'] ?? ''), asText(one['newKey'] ?? '')]);
  const id = itemwise(context, input, {
    operator: 'data.rename',
    params: { fields: Object.fromEntries(names), missing: 'skip' },
  });
  return gives(
    context.port(id, 'out', {
      card: input.card,
      mayBeEmpty: input.mayBeEmpty,
      ...following(input, context.step.name),
    }),
  );
}

/** Nothing is done: what leads to it leads on. */
function passOn(context: Context): Given {
  const input = context.input();
  if (input === undefined) throw new NotHere('nothing leads to it');
  const id = context.add(context.step.name, { operator: 'core.map', params: { value: '{{ input }}' } });
  context.wire(input, `${id}.in`);
  return gives(
    context.port(id, 'out', {
      card: input.card,
      mayBeEmpty: input.mayBeEmpty,
      ...following(input, context.step.name),
    }),
  );
}

export const fieldEntries: readonly Entry[] = [
  {
    kind: 'set',
    versions: '1 to 3.4',
    word: 'equal',
    becomes: '`core.map`',
    difference:
      'A value that cannot become the type of its field is an error, whatever “ignore conversion errors” says; a missing value becomes an empty text in a field of texts.',
    convert: set,
  },
  {
    kind: 'renameKeys',
    word: 'equal',
    becomes: '`data.rename`',
    difference: 'Renaming by patterns is a placeholder.',
    convert: renameKeys,
  },
  { kind: 'noOp', word: 'equal', becomes: '`core.map`', convert: passOn },
];

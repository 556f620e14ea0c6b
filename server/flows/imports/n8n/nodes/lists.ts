import type { Context } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import { following, itemAt, ofAll, plural, type Port } from '../graph.ts';
import { isTraced, listPort, pairedLists } from '../items.ts';
import { gives, type Given } from '../job.ts';
import { asText } from '../params.ts';

/** Nodes that work on the whole list of items. */

function listOf(context: Context): Port {
  const list = listPort(context, context.input());
  if (list === undefined) throw new NotHere('nothing leads to it');
  return list;
}

/** A node over the list, and what it gives. */
function over(
  context: Context,
  operator: string,
  params: Record<string, unknown>,
  facts: Partial<Port> = {},
): Given {
  const list = listOf(context);
  const id = context.add(context.step.name, { operator, params });
  context.wire(list, `${id}.in`);
  return gives(context.port(id, 'out', { card: 'many', aligned: new Set([context.step.name]), ...facts }));
}

/** `a.b` of a value, where each may be missing. */
const field = (of: string, name: string): string =>
  `${of}${name
    .split('.')
    .map((part) => (/^[A-Za-z_]\w*$/.test(part) ? `?.${part}` : `?.[${JSON.stringify(part)}]`))
    .join('')}`;

/** `a, b` as names. */
const names = (given: unknown): string[] =>
  asText(given ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== '""');

const keyOf = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));
const lastPart = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

function splitOut(context: Context): Given {
  const { params, step } = context;
  const input = context.input();
  if (input === undefined) throw new NotHere('nothing leads to it');
  const given = params.get('fieldToSplitOut');
  const [name, ...more] = names(given);
  if (name === undefined || asText(given).startsWith('='))
    throw new NotHere('the names of its fields are worked out at run time', [
      'core.map with an expression',
      'code.run',
    ]);
  const each = more.length > 0 ? splitTogether(context, [name, ...more]) : splitOne(context, name);
  if (isTraced(context)) return gives(pairedLists(context, input, `input.map(input => ${each})`));
  const value = input.card === 'many' ? `input.flatMap(input => ${each})` : each;
  const id = context.add(step.name, { operator: 'core.map', params: { value: `{{ ${value} }}` } });
  context.wire(input, `${id}.in`);
  return gives(context.port(id, 'out', { card: 'many', mayBeEmpty: true, aligned: new Set([step.name]) }));
}

function splitOne(context: Context, name: string): string {
  return `${listIn(name)}.map(one => (${partOf(context, name)}))`;
}

/** The list in a field: a value alone is one of one, and an object that of its values. */
function listIn(name: string): string {
  const value = field('input', name);
  return `(typeOf(${value}) == "object" ? values(${value}) : [${value} ?? []].flat())`;
}

/** Several lists side by side: an item has the values at one place, and null where a list has ended. */
function splitTogether({ params }: Context, fields: readonly string[]): string {
  const targets = names(params.text('options.destinationFieldName'));
  const lists = fields.map((name) => listIn(name));
  const include = params.text('include') ?? 'noOtherFields';
  const chosen = names(params.get('fieldsToInclude.fields') ?? params.get('fieldsToInclude') ?? '');
  const others =
    include === 'allOtherFields'
      ? `...omit(input, ${JSON.stringify(fields)}), `
      : include === 'selectedOtherFields'
        ? `...pick(input, ${JSON.stringify(chosen)}), `
        : '';
  const values = fields.map((name, i) => `${keyOf(targets[i] ?? lastPart(name))}: (${lists[i]}).at(place)`);
  const count = `max(${lists.map((one) => `length(${one})`).join(', ')})`;
  return `range(${count}).map(place => ({ ${others}${values.join(', ')} }))`;
}

/** The item of one value of the list, alone or with other fields. */
function partOf({ params }: Context, name: string): string {
  const target = params.text('options.destinationFieldName');
  const as = keyOf(target ?? lastPart(name));
  const include = params.text('include') ?? 'noOtherFields';
  const chosen = names(params.get('fieldsToInclude.fields') ?? params.get('fieldsToInclude') ?? '');
  if (include === 'allOtherFields') return `{ ...omit(input, ${JSON.stringify([name])}), ${as}: one }`;
  if (include === 'selectedOtherFields') return `{ ...pick(input, ${JSON.stringify(chosen)}), ${as}: one }`;
  return target === undefined ? `typeOf(one) == "object" ? one : { ${as}: one }` : `{ ${as}: one }`;
}

function aggregate(context: Context): Given {
  const { params } = context;
  if (params.text('aggregate') === 'aggregateAllItemData' || params.text('operation') === 'concatenateAll') {
    const into = keyOf(params.text('destinationFieldName') ?? 'data');
    const include = params.text('include') ?? 'allFields';
    const picked = JSON.stringify(
      names(params.get(include === 'allFieldsExcept' ? 'fieldsToExclude' : 'fieldsToInclude')),
    );
    const each =
      include === 'allFields'
        ? ''
        : include === 'specifiedFields'
          ? `.map(one => pick(one, ${picked}))`
          : `.map(one => omit(one, ${picked}))`;
    return over(context, 'core.map', { value: `{{ { ${into}: input${each} } }}` }, ofItems(context));
  }
  const keeps = params.flag('options.keepMissing');
  const isFlat = params.flag('options.mergeLists');
  const parts = params.list('fieldsToAggregate.fieldToAggregate').map((one) => {
    const name = asText(one['fieldToAggregate'] ?? '');
    const to = one['renameField'] === true ? asText(one['outputFieldName'] ?? name) : lastPart(name);
    const all = `input.map(one => ${field('one', name)} ?? null)`;
    return `${keyOf(to)}: ${all}${keeps ? '' : '.filter(one => one != null)'}${isFlat ? '.flat()' : ''}`;
  });
  return over(context, 'core.map', { value: `{{ { ${parts.join(', ')} } }}` }, ofItems(context));
}

/** For one item of all items. */
function ofItems(context: Context): Pick<Port, 'card' | 'origin'> {
  const input = context.input();
  return { card: 'one', origin: input && ofAll(input) };
}

function limit(context: Context): Given {
  const { params } = context;
  const count = Math.max(1, Math.trunc(params.number('maxItems') ?? 1));
  const isLast = params.text('keep') === 'lastItems';
  const input = context.input();
  const aligned: Partial<Port> = !isLast
    ? following(input, context.step.name)
    : input?.card === 'many'
      ? {
          origin: (node, place) => itemAt(input, node, `max(0, length(${input.expr}) - ${count}) + ${place}`),
        }
      : {};
  return over(
    context,
    'core.map',
    { value: `{{ input.slice(${isLast ? `-${count}` : `0, ${count}`}) }}` },
    aligned,
  );
}

function sort(context: Context): Given {
  const { params } = context;
  const type = params.text('type') ?? 'simple';
  if (type === 'random')
    return over(context, 'core.map', {
      value: '{{ input.map(one => ({ one: one, at: random() })).sortBy("at").map(one => one.one) }}',
    });
  if (type === 'code')
    throw new NotHere('it sorts by code', ['core.map with `.sort((a, b) => …)`', 'code.run']);
  // Upper and lower case are one order there.
  const by = params.list('sortFieldsUi.sortField').map((one) => {
    const value = field('item', asText(one['fieldName'] ?? ''));
    return {
      value: `{{ typeOf(${value}) == "string" ? lower(${value}) : ${value} }}`,
      direction: one['order'] === 'descending' ? 'descending' : 'ascending',
    };
  });
  return over(context, 'data.sort', { by });
}

function removeDuplicates(context: Context): Given {
  const { params } = context;
  const operation = params.text('operation');
  if (
    operation !== undefined &&
    operation !== 'removeDuplicateInputItems' &&
    operation !== 'removeDuplicates'
  )
    throw new NotHere('it remembers the items of earlier runs', [
      'trigger.poll, where each item starts one run',
      'state.get and state.set',
    ]);

  const compare = params.text('compare') ?? 'allFields';
  const listed = (name: string): string =>
    JSON.stringify([
      ...params.list(`${name}.fields`).map((one) => asText(one['fieldName'] ?? '')),
      ...(typeof params.get(name) === 'string' ? names(params.get(name)) : []),
    ]);
  const by =
    compare === 'allFieldsExcept'
      ? `omit(item, ${listed('fieldsToExclude')})`
      : compare === 'selectedFields'
        ? `pick(item, ${listed('fieldsToCompare')})`
        : undefined;
  return over(context, 'data.unique', by === undefined ? {} : { by: `{{ toJson(${by}) }}` });
}

const SUMS: Readonly<Record<string, readonly [as: string, prefix: string]>> = {
  append: ['list', 'appended'],
  average: ['avg', 'average'],
  concatenate: ['list', 'concatenated'],
  count: ['count', 'count'],
  countUnique: ['list', 'unique_count'],
  max: ['max', 'max'],
  min: ['min', 'min'],
  sum: ['sum', 'sum'],
};

function summarize(context: Context): Given {
  const { params, step } = context;
  params.skip('options.continueIfFieldNotFound');
  const by = names(params.get('fieldsToSplitBy'));
  const list = params.list('fieldsToSummarize.values');
  const fields = list.map((one) => {
    const [as = 'count', prefix = 'count'] = SUMS[asText(one['aggregation'] ?? 'count')] ?? [];
    const name = asText(one['field'] ?? '');
    return {
      name: `${prefix}_${lastPart(name)}`,
      as,
      of: `{{ ${field('item', name)} ?? null }}`,
      how: asText(one['aggregation'] ?? 'count'),
      separator: separatorOf(one),
    };
  });
  const group =
    by.length === 0
      ? {}
      : { by: `{{ toJson([${by.map((name) => `${field('item', name)} ?? null`).join(', ')}]) }}` };
  const { item } = over(context, 'data.aggregate', {
    fields: fields.map(({ name, as, of }) => ({ name, as, of })),
    ...group,
  });
  const parts = [
    ...by.map((name, i) => `${keyOf(name)}: json(one.key)[${i}]`),
    ...fields.map(
      ({ name, how, separator }) => `${keyOf(name)}: ${summed(field('one', name), how, separator)}`,
    ),
  ];
  const value =
    by.length === 0
      ? `[input].map(one => ({ ${parts.join(', ')} }))[0]`
      : `input.map(one => ({ ${parts.join(', ')} }))`;
  const id = context.add(`${step.name} items`, { operator: 'core.map', params: { value: `{{ ${value} }}` } });
  context.wire(item as Port, `${id}.in`);
  const isOne = by.length === 0 || params.text('options.outputFormat') === 'singleItem';
  if (isOne && by.length > 0)
    throw new NotHere('it puts all groups into one item', ['data.aggregate', 'data.group']);
  return gives(
    context.port(id, 'out', {
      card: plural(!isOne),
      aligned: new Set([step.name]),
      ...(isOne && { origin: ofItems(context).origin }),
    }),
  );
}

function summed(value: string, how: string, separator: string): string {
  if (how === 'concatenate') return `${value}?.join(${separator})`;
  return how === 'countUnique' ? `length(unique(${value}))` : value;
}

const separatorOf = (one: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(
    asText(one['separateBy'] === 'other' ? (one['customSeparator'] ?? '') : (one['separateBy'] ?? ',')),
  );

const BY_OPERATION: Readonly<Record<string, (context: Context) => Given>> = {
  splitOutItems: splitOut,
  aggregateItems: aggregate,
  concatenateItems: aggregate,
  limit,
  removeDuplicates,
  sort,
  summarize,
};

function itemLists(context: Context): Given {
  const operation = context.params.text('operation') ?? 'splitOutItems';
  context.params.skip('resource');
  const convert = BY_OPERATION[operation];
  if (!convert) throw new NotHere(`it does “${operation}”`, ['core.map', 'code.run']);
  return convert(context);
}

const COMPARE = `const { a, b, pairs } = input;
const keyOf = (item, side) => JSON.stringify(pairs.map((pair) => item[pair[side]] ?? null));
const ofB = new Map(b.map((item) => [keyOf(item, 1), item]));
const ofA = new Set(a.map((item) => keyOf(item, 0)));
const same = [], different = [];
for (const item of a) {
  const other = ofB.get(keyOf(item, 0));
  if (other === undefined) continue;
  const names = [...new Set([...Object.keys(item), ...Object.keys(other)])];
  const unequal = names.filter((name) => JSON.stringify(item[name]) !== JSON.stringify(other[name]));
  if (unequal.length === 0) same.push(item);
  else different.push({ keys: Object.fromEntries(pairs.map(([name]) => [name, item[name]])), different: Object.fromEntries(unequal.map((name) => [name, { inputA: item[name] ?? null, inputB: other[name] ?? null }])) });
}
return { onlyA: a.filter((item) => !ofB.has(keyOf(item, 0))), same, different, onlyB: b.filter((item) => !ofA.has(keyOf(item, 1))) };`;

function compareDatasets(context: Context): Given {
  const { params, step } = context;
  const [a, b] = [context.input(0), context.input(1)];
  if (!a || !b) throw new NotHere('it has one input only', ['core.map', 'code.run']);
  params.skip('infoBox');
  const pairs = params
    .list('mergeByFields.values')
    .map((one) => [asText(one['field1'] ?? ''), asText(one['field2'] ?? '')]);
  const join = context.add(`${step.name} inputs`, {
    operator: 'core.join',
    params: {
      inputs: [{ name: 'in_1' }, { name: 'in_2' }],
      value: { a: '{{ [inputs.in_1].flat() }}', b: '{{ [inputs.in_2].flat() }}', pairs },
    },
  });
  context.wire(a, `${join}.in_1`);
  context.wire(b, `${join}.in_2`);
  const id = context.add(step.name, { operator: 'code.run', params: { source: COMPARE, pure: true } });
  context.wire(`${join}.out`, `${id}.in`);
  const outputs = ['onlyA', 'same', 'different', 'onlyB'].map((name) => {
    const map = context.add(`${step.name} ${name}`, {
      operator: 'core.map',
      params: { value: `{{ input.${name} }}` },
    });
    context.wire(`${id}.out`, `${map}.in`);
    return context.port(map, 'out', { card: 'many', mayBeEmpty: true });
  });
  return { outputs, item: outputs[1] };
}

export const listEntries: readonly Entry[] = [
  {
    kind: 'splitOut',
    word: 'equal',
    becomes: '`core.map`',
    convert: splitOut,
  },
  { kind: 'aggregate', word: 'equal', becomes: '`core.map`', convert: aggregate },
  { kind: 'limit', word: 'equal', becomes: '`core.map`', convert: limit },
  {
    kind: 'sort',
    word: 'equal',
    becomes: '`data.sort`',
    difference: 'Sorting by code is a placeholder.',
    convert: sort,
  },
  {
    kind: 'removeDuplicates',
    versions: '1 to 2',
    word: 'close',
    becomes: '`data.unique`',
    difference: 'Removing what earlier runs had is a placeholder.',
    convert: removeDuplicates,
  },
  { kind: 'summarize', word: 'equal', becomes: '`data.aggregate`', convert: summarize },
  {
    kind: 'itemLists',
    versions: '1 to 3',
    word: 'equal',
    becomes: '`core.map`, `data.sort`, `data.unique`, `data.aggregate`',
    convert: itemLists,
  },
  {
    kind: 'compareDatasets',
    word: 'code',
    becomes: '`code.run`',
    difference: 'Fields that differ come in the form of “include both”.',
    convert: compareDatasets,
  },
];

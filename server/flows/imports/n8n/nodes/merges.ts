import type { Context } from '../context.ts';
import { type Entry, NotHere } from '../entry.ts';
import { commonFacts, plural, type Origin, type Port, inARow, itemAt } from '../graph.ts';
import { gives, type Given } from '../job.ts';
import { asText } from '../params.ts';

/** Merge, in the modes of its versions, as an expression over its inputs. */

/** The expression that merges the lists `A` and `B`, and its needs. */
interface Way {
  readonly value: string;
  readonly card: Port['card'];
  /** Inputs without a value are left out; otherwise all are needed. */
  readonly optional?: boolean;
  readonly aligned?: boolean;
  readonly origin?: Port['origin'];
}

const list = (port: Port | undefined, at: number): string =>
  port?.card === 'many' ? `inputs.in_${at}` : `[inputs.in_${at}]`;

function merge(context: Context): Given {
  const { step } = context;
  const ports = Array.from({ length: Math.max(context.inputCount, 1) }, (_, at) => context.input(at));
  const given = ports.filter((port) => port !== undefined);
  if (given.length === 0) throw new NotHere('nothing leads to it');
  const way = wayOf(context, ports);
  context.params.skip('numberInputs');
  const id = context.add(step.name, {
    operator: 'core.join',
    params: {
      inputs: ports.flatMap((port, i) =>
        port ? [{ name: `in_${i + 1}`, required: way.optional !== true }] : [],
      ),
      value: `{{ ${way.value} }}`,
    },
  });
  ports.forEach((port, i) => port && context.wire(port, `${id}.in_${i + 1}`));
  const aligned =
    way.aligned === true ? [...given.flatMap((port) => [...port.aligned]), step.name] : [step.name];
  const isMany = way.card === 'many';
  return gives(
    context.port(id, 'out', {
      ...commonFacts(given),
      card: way.card,
      aligned: new Set(aligned),
      origin: way.origin,
      mayBeEmpty: isMany && (way.optional !== true || given.every((port) => port.mayBeEmpty)),
    }),
  );
}

function wayOf(context: Context, ports: readonly (Port | undefined)[]): Way {
  const { params } = context;
  const mode = params.text('mode') ?? 'append';
  if (mode === 'append') return appended(ports);
  if (['chooseBranch', 'passThrough', 'wait'].includes(mode)) return chosen(context, ports, mode);
  if (mode === 'combineBySql')
    throw new NotHere('it combines by SQL', ['core.join with an expression', 'code.run']);
  const named = params.text('combineBy') ?? params.text('combinationMode') ?? 'combineByFields';
  return combined(context, ports, mode === 'combine' ? named : mode);
}

function combined(context: Context, ports: readonly (Port | undefined)[], by: string): Way {
  const [a, b] = ports;
  if (!a || !b) return appended(ports);
  if (['combineByPosition', 'mergeByPosition', 'mergeByIndex'].includes(by))
    return byPosition(context, ports);
  const [A, B] = [list(a, 1), list(b, 2)];
  if (by !== 'combineAll' && by !== 'multiplex') return byFields(context, by, A, B);
  return a.card === 'one' && b.card === 'one'
    ? { value: together(context, ['inputs.in_1', 'inputs.in_2']), card: 'one', aligned: true }
    : {
        value: `${A}.flatMap(a => ${B}.map(b => ${together(context, ['a', 'b'])}))`,
        card: 'many',
        origin: ofPairs(a, b),
      };
}

/** Each item of a list with each one of another list. */
function ofPairs(a: Port, b: Port): Origin {
  const count = b.card === 'many' ? `length(${b.expr})` : '1';
  return (node, place) =>
    ofEither([
      itemAt(a, node, `floor((${place}) / ${count})`),
      itemAt(b, node, b.card === 'many' ? `(${place}) % ${count}` : '0'),
    ]);
}

/** The item of the one side that has any: with two it is an error there, unless they are the same. */
function ofEither(items: readonly (string | undefined)[]): string | undefined {
  const found = new Set(items.filter((item) => item !== undefined));
  return found.size === 1 ? [...found][0] : undefined;
}

const clashOf = ({ params }: Context): string | undefined =>
  params.text('options.clashHandling.values.resolveClash');

/** The item with the number of its input behind the names of its fields. */
const suffixed = (item: string, at: number): string =>
  `fromEntries(entries(${item}).map(x => [x[0] + "_${at}", x[1]]))`;

/** One item of several; of fields that they share, that of the last one counts, or of the one that is named. */
function together(context: Context, items: readonly string[]): string {
  const clash = clashOf(context) ?? 'preferLast';
  if (clash === 'addSuffix') return `merge(${items.map((one, i) => suffixed(one, i + 1)).join(', ')})`;
  const preferred = Number(/^preferInput(\d+)$/.exec(clash)?.[1] ?? items.length);
  const first = items.filter((_, i) => i + 1 !== preferred);
  return `merge(${[...first, items[preferred - 1] ?? '{ }'].join(', ')})`;
}

function appended(ports: readonly (Port | undefined)[]): Way {
  const parts = ports.flatMap((port, i) => {
    if (!port) return [];
    return [port.card === 'many' ? `...(inputs?.in_${i + 1} ?? [])` : `...compact([inputs?.in_${i + 1}])`];
  });
  return {
    value: `[${parts.join(', ')}]`,
    card: 'many',
    optional: true,
    origin: inARow(ports.filter((port) => port !== undefined)),
  };
}

/** Waits for all, and passes one on. */
function chosen({ params }: Context, ports: readonly (Port | undefined)[], mode: string): Way {
  const output = params.text('output') ?? 'specifiedInput';
  const wanted = params.get('useDataOfInput') ?? (output === 'input2' ? 2 : 1);
  params.skip('chooseBranchMode');
  if (mode === 'wait' || output === 'empty') return { value: '{ }', card: 'one' };
  const at = output === 'input1' ? 1 : Number(asText(wanted).replaceAll(/\D/g, '')) || 1;
  return { value: `inputs.in_${at}`, card: ports[at - 1]?.card ?? 'one', aligned: false };
}

function byPosition(context: Context, ports: readonly (Port | undefined)[]): Way {
  const { params } = context;
  const all = ports.flatMap((port, i) => (port ? [{ port, at: i + 1 }] : []));
  if (all.every(({ port }) => port.card === 'one'))
    return {
      value: together(
        context,
        all.map(({ at }) => `inputs.in_${at}`),
      ),
      card: 'one',
      aligned: true,
    };
  const lists = all.map(({ port, at }) => list(port, at));
  const lengths = lists.map((one) => `length(${one})`).join(', ');
  const join = params.text('join');
  const isWhole = params.flag('options.includeUnpaired') || join === 'outer';
  const count = join === 'left' ? `length(${lists[0]})` : isWhole ? `max(${lengths})` : `min(${lengths})`;
  const items = together(
    context,
    lists.map((one) => `(${one}.at(i) ?? { })`),
  );
  return {
    value: `range(${count}).map(i => ${items})`,
    card: 'many',
    aligned: true,
    origin: (node, place) =>
      // The only item of an input has no place in the others.
      ofEither(
        all.map(({ port }) => (port.card === 'many' || !isWhole ? itemAt(port, node, place) : undefined)),
      ),
  };
}

/** The names of the fields that have to be equal, of both sides. */
function pairsOf({ params }: Context): (readonly [string, string])[] {
  const old = [params.text('propertyName1'), params.text('propertyName2')];
  if (old[0] !== undefined && old[1] !== undefined) return [[old[0], old[1]]];
  const pairs = [...params.list('mergeByFields.values'), ...params.list('mergeByFields.fields')].map(
    (one) => [asText(one['field1'] ?? ''), asText(one['field2'] ?? '')] as const,
  );
  const text = asText(params.get('fieldsToMatchString') ?? params.get('fieldsToMatch') ?? '');
  params.skip('advanced', 'combineWith');
  const same = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== '{}');
  return [...pairs, ...same.map((name) => [name, name] as const)];
}

const read = (of: string, name: string): string =>
  `${of}${name
    .split('.')
    .map((part) => (/^[A-Za-z_]\w*$/.test(part) ? `?.${part}` : `?.[${JSON.stringify(part)}]`))
    .join('')}`;

function byFields(context: Context, by: string, A: string, B: string): Way {
  const { params } = context;
  const pairs = pairsOf(context);
  if (pairs.length === 0) throw new NotHere('it names no fields to match', ['core.join']);
  // A field that is not there is equal to nothing.
  const fits = pairs
    .map(([one, other]) => `${read('a', one)} != null && ${read('b', other)} == ${read('a', one)}`)
    .join(' && ');
  const joined = `${B}.filter(b => ${fits}).map(b => ${together(context, ['a', 'b'])})`;
  const clash = clashOf(context);
  const has = `${B}.some(b => ${fits})`;
  const onlyA = `${A}.filter(a => !${has})`;
  const onlyB = `${B}.filter(b => !${A}.some(a => ${fits}))`;
  /** What an input without items has nothing beside stays as it is. */
  const beside = (items: string, other: string, made: string): string =>
    `(length(${other}) == 0 ? ${items} : ${items}.map(one => ${made}))`;
  const rest = (items: string, at: number): string =>
    clash === 'addSuffix' ? beside(items, at === 1 ? B : A, suffixed('one', at)) : items;
  const named = (items: string, at: number): string =>
    beside(items, at === 1 ? B : A, `merge(one, { _source: "input${at}" })`);
  const from = params.text('outputDataFrom') ?? 'both';
  const way =
    by === 'mergeByKey'
      ? 'byKey'
      : by === 'keepKeyMatches'
        ? 'keepMatches1'
        : by === 'removeKeyMatches'
          ? 'keepNonMatches1'
          : (params.text('joinMode') ?? 'keepMatches') + (from === 'both' ? '' : from.slice(-1));
  const value = {
    keepMatches: `${A}.flatMap(a => ${joined})`,
    keepMatches1: `${A}.filter(a => ${has})`,
    keepMatches2: `${B}.filter(b => ${A}.some(a => ${fits}))`,
    keepNonMatches: `[...${named(onlyA, 1)}, ...${named(onlyB, 2)}]`,
    keepNonMatches1: onlyA,
    keepNonMatches2: onlyB,
    // The first version keeps the order of its items; later ones have those without a partner last.
    byKey: `${A}.flatMap(a => ${has} ? ${joined} : [a])`,
    enrichInput1: `[...${A}.flatMap(a => ${joined}), ...${rest(onlyA, 1)}]`,
    enrichInput2: `[...${B}.flatMap(b => ${A}.filter(a => ${fits}).map(a => ${clash === undefined ? 'merge(b, a)' : together(context, ['a', 'b'])})), ...${rest(onlyB, 2)}]`,
    keepEverything: `[...${A}.flatMap(a => ${joined}), ...${rest(onlyA, 1)}, ...${rest(onlyB, 2)}]`,
  }[way];
  if (value === undefined)
    throw new NotHere(`it joins by “${way}”`, ['core.join with an expression', 'code.run']);
  return { value, card: plural(true) };
}

export const mergeEntries: readonly Entry[] = [
  {
    kind: 'merge',
    versions: '1 to 3.2',
    word: 'equal',
    becomes: '`core.join`',
    difference:
      'If both inputs have a field, one of them counts, and objects in such fields are not merged; SQL is a placeholder.',
    convert: merge,
  },
];

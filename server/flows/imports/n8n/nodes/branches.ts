import type { Context } from '../context.ts';
import { isTraced, itemwise, listPort } from '../items.ts';
import { conditionOf, oldCondition } from '../conditions.ts';
import { type Entry, NotHere } from '../entry.ts';
import { fromPlaces, type Port } from '../graph.ts';
import type { Given } from '../job.ts';
import { firstReads } from '../expressions/reads.ts';
import { idFrom, idSource } from '../../../awel/names.ts';

/** If, Filter, Switch, and what stops. */

function required(context: Context): Port {
  const input = context.input();
  if (input === undefined) throw new NotHere('nothing leads to it', []);
  return input;
}

/** Where an output of a branching node is: its place there, and the places of its items in the list. */
interface Place {
  readonly at: number;
  readonly places?: string | undefined;
}

/** An output of a branching node: of a list the items that took it. */
export function branch(
  context: Context,
  input: Port,
  [id, output]: readonly [id: string, output: string],
  { at, places }: Place,
): Port {
  const port = context.port(id, output, {
    card: input.card,
    taken: input.card === 'one' ? new Map([...input.taken, [context.step.name, at]]) : input.taken,
  });
  if (input.card === 'one') return { ...port, origin: input.origin };
  const above = places === undefined ? undefined : fromPlaces(input, places);
  // An item of the branching node itself is the one at the same place of the output.
  const origin: Port['origin'] = (node, place) =>
    node.name === context.step.name ? `${port.expr}?.[${place}]` : above?.(node, place);
  return { ...port, origin };
}

function optionsOf({ params, step }: Context): { loose?: boolean; ignoreCase?: boolean } {
  const loose = params.flag('looseTypeValidation') || params.flag('options.looseTypeValidation');
  const fold = params.get('options.ignoreCase');
  const isNew = step.version >= 2.1;
  return {
    ...(loose && { loose }),
    ...(fold === true && { ignoreCase: true }),
    ...(isNew && fold === false && { ignoreCase: false }),
  };
}

/** Which output each item of a list takes, where later nodes read what belongs to it: the places by output. */
interface Chosen {
  /** Whether an item takes an output. */
  readonly when: (output: number) => string;
  readonly places: (output: number) => string | undefined;
  readonly input: Port;
}

function chosenOutputs(context: Context, input: Port, choice: string, outputs: readonly number[]): Chosen {
  const { step } = context;
  const chosen = context.add(`${step.name} chosen`, {
    operator: 'core.map',
    params: { value: `{{ ${choice} }}` },
    each: {},
  });
  context.wire(input, `${chosen}.in`);
  const places = new Map<number, string>();
  let last = chosen;
  for (const output of outputs) {
    const id = context.add(`${step.name} places ${output + 1}`, {
      operator: 'core.map',
      params: {
        value: `{{ range(length(nodes.${chosen})).filter((place) => nodes.${chosen}[place] == ${output}) }}`,
      },
    });
    context.wire(`${last}.out`, `${id}.in`);
    places.set(output, `nodes.${id}`);
    last = id;
  }
  const again = context.add(`${step.name} list`, {
    operator: 'core.map',
    params: { value: `{{ ${input.expr} }}` },
  });
  context.wire(`${last}.out`, `${again}.in`);
  return {
    when: (output) => `nodes.${chosen}?.[index] == ${output}`,
    places: (output) => places.get(output),
    input: { ...input, ref: `${again}.out` },
  };
}

function convertIf(context: Context, outputs: readonly number[] = [0, 1]): Given {
  const input = required(context);
  const condition = conditionOf(
    context,
    context.params.get('conditions'),
    context.reads(input),
    optionsOf(context),
  );
  const chosen = isTraced(context)
    ? chosenOutputs(context, input, `(${condition}) ? 0 : 1`, outputs)
    : undefined;
  const id = itemwise(context, chosen?.input ?? input, {
    operator: 'logic.if',
    params: { condition: `{{ ${chosen?.when(0) ?? condition} }}` },
  });
  return {
    outputs: [
      branch(context, input, [id, 'then'], { at: 0, places: chosen?.places(0) }),
      branch(context, input, [id, 'else'], { at: 1, places: chosen?.places(1) }),
    ],
    item: input,
    isParted: true,
  };
}

/** The two outputs of what a step makes of its input, item by item: where a condition holds, and where not. */
export function eitherOutput(context: Context, made: Port, condition: string): readonly Port[] {
  const input = required(context);
  const chosen = isTraced(context)
    ? chosenOutputs(context, made, `(${condition}) ? 0 : 1`, [0, 1])
    : undefined;
  const id = itemwise(
    context,
    chosen?.input ?? made,
    { operator: 'logic.if', params: { condition: `{{ ${chosen?.when(0) ?? condition} }}` } },
    { hint: `${context.step.name} either way` },
  );
  return ['then', 'else'].map((output, at) =>
    branch(context, input, [id, output], { at, places: chosen?.places(at) }),
  );
}

function convertFilter(context: Context): Given {
  const { outputs, ...more } = convertIf(context, [0]);
  return { outputs: [outputs[0]], ...more };
}

interface Case {
  readonly name: string;
  readonly when: string;
  readonly output: number;
}

function convertSwitch(context: Context): Given {
  const { params, step } = context;
  const input = required(context);
  if (params.get('options.allMatchingOutputs') === true)
    throw new NotHere('it sends an item to every output whose rule fits', [
      'core.branch, which sends the input to every branch whose condition holds',
      'one logic.if for each output',
    ]);
  const cases = step.version >= 3 ? newCases(context, input) : oldCases(context, input);
  const chosen = isTraced(context) ? chosenCase(context, input, cases) : undefined;
  const id = itemwise(context, chosen?.input ?? input, {
    operator: 'logic.switch',
    params: {
      cases: cases.map(({ name, when }, at) => ({ name, when: `{{ ${chosen?.when(at) ?? when} }}` })),
    },
  });
  const last = Math.max(-1, ...cases.map(({ output }) => output));
  const outputs: (Port | undefined)[] = Array.from({ length: last + 1 }, () => undefined);
  cases.forEach(({ name, output }, at) => {
    outputs[output] ??= branch(context, input, [id, name], { at: output, places: chosen?.places(at) });
  });
  const fallback = fallbackOf(context, last + 1);
  if (fallback !== undefined)
    outputs[fallback] ??= branch(context, input, [id, 'default'], {
      at: fallback,
      places: chosen?.places(cases.length),
    });
  return { outputs, item: input, isParted: true };
}

function chosenCase(context: Context, input: Port, cases: readonly Case[]): Chosen {
  const choice = cases.map(({ when }, at) => `(${when}) ? ${at} : `).join('');
  const outputs = [...cases.keys(), cases.length];
  return chosenOutputs(context, input, `${choice}${cases.length}`, outputs);
}

/** The output of items that no rule fits; undefined if they are dropped. */
function fallbackOf({ params }: Context, next: number): number | undefined {
  const given = params.get('options.fallbackOutput') ?? params.get('fallbackOutput') ?? 'none';
  params.skip('options.renameFallbackOutput');
  if (given === 'extra') return next;
  const place = Number(given);
  return given === 'none' || given === -1 || !Number.isInteger(place) || place < 0 ? undefined : place;
}

function newCases(context: Context, input: Port): Case[] {
  const { params } = context;
  const reads = context.reads(input);
  if (params.text('mode') === 'expression') return byNumber(context, reads);
  const rules =
    params.list('rules.values').length > 0 ? params.list('rules.values') : params.list('rules.rules');
  const nameOf = idSource(['default']);
  return rules.map((rule, output) => {
    const key = typeof rule['outputKey'] === 'string' ? rule['outputKey'] : '';
    const name = nameOf(idFrom(key, `case_${output + 1}`));
    return { name, output, when: conditionOf(context, rule['conditions'], reads, optionsOf(context)) };
  });
}

/** The output is the number that an expression gives. */
function byNumber(context: Context, reads: ReturnType<Context['reads']>): Case[] {
  const { params } = context;
  const count = params.number('numberOutputs') ?? params.number('outputsAmount') ?? 4;
  const output = context.expr(params.get('output'), reads);
  return Array.from({ length: Math.min(count, 50) }, (_, place) => ({
    name: `case_${place + 1}`,
    output: place,
    when: `(${output}) == ${place}`,
  }));
}

function oldCases(context: Context, input: Port): Case[] {
  const { params } = context;
  const reads = context.reads(input);
  if (params.text('mode') === 'expression') return byNumber(context, reads);
  const type = params.text('dataType') ?? 'number';
  const left = params.get('value1');
  const rules =
    params.list('rules.rules').length > 0 ? params.list('rules.rules') : params.list('rules.values');
  return rules.map((rule, place) => {
    const one = { value1: left, operation: rule['operation'], value2: rule['value2'] };
    const output = Number(rule['output'] ?? rule['outputIndex'] ?? place);
    return {
      name: `case_${place + 1}`,
      output: Number.isInteger(output) && output >= 0 && output < 100 ? output : place,
      when: oldCondition(context, type, one, reads),
    };
  });
}

function stop(context: Context): Given {
  const { params } = context;
  const input = required(context);
  const reads = input.card === 'many' ? firstReads(context.reads(input)) : context.reads(input);
  const isObject = params.text('errorType') === 'errorObject';
  const message = isObject
    ? `{{ toJson(${context.expr(params.get('errorObject'), reads)}) }}`
    : context.text(params.get('errorMessage') ?? 'An error occurred', reads);
  if (input.card === 'one') itemwise(context, input, { operator: 'logic.stop', params: { message } });
  else {
    // The first item ends the run, as there.
    const first = context.add(`${context.step.name} first`, {
      operator: 'core.map',
      params: { value: '{{ input[0] }}' },
    });
    context.wire(listPort(context, input) as Port, `${first}.in`);
    const id = context.add(context.step.name, { operator: 'logic.stop', params: { message } });
    context.wire(`${first}.out`, `${id}.in`);
  }
  return { outputs: [], item: input };
}

const STRICT =
  'A value of another type than the condition names is converted if possible, and otherwise an error.';

export const branchEntries: readonly Entry[] = [
  {
    kind: 'if',
    versions: '1 to 2.2',
    word: 'equal',
    becomes: '`logic.if`',
    difference: STRICT,
    convert: (context) => convertIf(context),
  },
  {
    kind: 'filter',
    versions: '1 to 2.2',
    word: 'equal',
    becomes: '`logic.if`',
    difference: STRICT,
    convert: convertFilter,
  },
  {
    kind: 'switch',
    versions: '1 to 3.2',
    word: 'equal',
    becomes: '`logic.switch`',
    difference: 'With *all matching outputs* it is a placeholder.',
    convert: convertSwitch,
  },
  { kind: 'stopAndError', word: 'equal', becomes: '`logic.stop`', convert: stop },
];

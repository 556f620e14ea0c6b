import type { FlowEdge } from '#shared/flow.ts';
import { idFrom, idSource } from '../../../awel/names.ts';
import { type Context, createContext } from '../context.ts';
import type { Cycle } from './cycles.ts';
import { sinkEnds } from '../ends.ts';
import { areExclusive, bodyOf, createScope, itemAt, type Origin, type Port, type Scope } from '../graph.ts';
import { listPort } from '../items.ts';
import type { Given, Job } from '../job.ts';
import type { Shape } from './loops.ts';
import type { Wire } from '../workflow.ts';

/**
 * A loop that is drawn by hand becomes `data.repeat-until`. Between two rounds goes `{ round, again, of, out, outOf, last }`: what leads
 * back, what has left the loop so far, what the nodes gave that others read, and, of lists, the items of other nodes that belong to theirs.
 */

interface Repeating {
  readonly job: Job;
  readonly shape: Shape;
  readonly cycle: Cycle;
  /** The step at which rounds begin, as it is seen around the loop. */
  readonly context: Context;
  readonly entry: Port;
  readonly body: Scope;
  readonly start: string;
  /** Fields of `last`, by step. */
  readonly kept: ReadonlyMap<string, string>;
  /** Fields of `of`, by step. */
  readonly tracked: ReadonlyMap<string, string>;
}

const MOST_ROUNDS = 100_000;

/** `inside` converts the steps of the loop in a body. */
export function convertCycle(
  { job, shape, cycle, context }: Pick<Repeating, 'job' | 'shape' | 'cycle' | 'context'>,
  inside: (scope: Scope) => void,
): void {
  const input = context.input();
  if (input === undefined) {
    for (const wire of cycle.back) tellBack(job, wire, undefined);
    inside(context.scope);
    return;
  }
  const isList = input.card === 'many' || job.assumed.has(manyOf(cycle));
  const entry = isList ? (listPort(context, input) as Port) : input;
  const start = job.naming.id(`${cycle.header} round`);
  const body = createScope(context.scope, start);
  const loop: Repeating = {
    job,
    shape,
    cycle,
    context,
    entry,
    body,
    start,
    kept: keptIn(job, shape, cycle),
    tracked: isList ? trackedIn(job, shape, cycle) : new Map(),
  };
  const first = firstOf(loop);
  begin(loop);
  inside(body);
  const { result, exits } = end(loop);
  sinkEnds(job, body, result);
  const id = context.add(`${cycle.header} until`, {
    operator: 'data.repeat-until',
    params: {
      input: first(exits),
      until: isList ? '{{ length(item.again) == 0 }}' : '{{ item.again == null }}',
      maxRounds: MOST_ROUNDS,
    },
    body: bodyOf(body),
  });
  context.wire(entry, `${id}.in`);
  goOn(loop, id, exits);
  for (const wire of cycle.back) tellBack(job, wire, id);
}

function tellBack({ report }: Job, { from, to }: Wire, id: string | undefined): void {
  report.change({
    what: 'wire',
    effect: id === undefined ? 'lost' : 'changed',
    node: from,
    before: `${from} → ${to}`,
    ...(id !== undefined && { after: id }),
    message:
      id === undefined
        ? 'It leads back to a loop that nothing leads to.'
        : `It leads back: the loop is the body of ${id} here, and fails after ${MOST_ROUNDS} rounds.`,
  });
}

/** That a loop carries lists is known only once its body is there; then all is converted anew. */
const manyOf = ({ header }: Cycle): string => JSON.stringify(['many', header]);
const untrackedOf = ({ header }: Cycle, name: string): string => JSON.stringify(['untracked', header, name]);

const READS_OWN = /\.item\b|\.pairedItem\b/;

/** The settings of steps as text, by the settings: each of a large loop is asked for by all others. */
const texts = new WeakMap<object, string>();

function textOf(parameters: object): string {
  const text = texts.get(parameters) ?? JSON.stringify(parameters);
  texts.set(parameters, text);
  return text;
}

/** Steps that name another one in their settings. */
function readersOf({ workflow }: Job, name: string, ownItems = false): string[] {
  const quoted = JSON.stringify(name).slice(1, -1);
  return [...workflow.steps.values()].flatMap((step) => {
    const text = textOf(step.parameters);
    return text.includes(quoted) && (!ownItems || READS_OWN.test(text)) ? [step.name] : [];
  });
}

/** Steps of the loop that are read behind it, in a later round, or in a round that may have skipped them. */
function keptIn(job: Job, { sure }: Shape, { body }: Cycle): Map<string, string> {
  const isLater = (reader: string, name: string): boolean =>
    !body.has(reader) || sure.get(reader)?.has(name) !== true;
  return named([...body].filter((name) => readersOf(job, name).some((reader) => isLater(reader, name))));
}

/** Steps whose items belong to those that go round, for those who read them. */
function trackedIn(job: Job, { before }: Shape, cycle: Cycle): Map<string, string> {
  const { header, body } = cycle;
  const isReached = (reader: string): boolean => body.has(reader) || before.get(reader)?.has(header) === true;
  const isList = (name: string): boolean => job.given.get(name)?.item?.card === 'many';
  const above = [...(before.get(header) ?? [])].filter((name) => body.has(name) || isList(name));
  return named(
    [...new Set([...above, ...body])].filter(
      (name) =>
        !job.assumed.has(untrackedOf(cycle, name)) &&
        readersOf(job, name, true).some((one) => isReached(one)),
    ),
  );
}

function named(names: readonly string[]): Map<string, string> {
  const idOf = idSource([]);
  return new Map(names.map((name) => [name, idOf(idFrom(name, 'node'))]));
}

/** The value that the first round starts with; its exits are known once the body is there. */
function firstOf({ job, cycle, entry, kept, tracked }: Repeating): (exits: readonly Exit[]) => unknown {
  const of = [...tracked].map(([name, field]): [string, unknown] => {
    if (cycle.body.has(name)) return [field, []];
    const port = job.given.get(name)?.item as Port;
    const item = itemAt(entry, { name, port }, 'place');
    if (item === undefined) job.assume(untrackedOf(cycle, name));
    return [field, `{{ input.map((one, place) => ${item ?? 'null'} ?? null) }}`];
  });
  const last = [...kept.values()].map((field) => [field, null]);
  return (exits) => ({
    round: 0,
    again: '{{ input }}',
    ...(tracked.size > 0 && { of: Object.fromEntries(of) }),
    ...(exits.length > 0 && {
      out: Object.fromEntries(exits.map(({ field, isList }) => [field, isList ? [] : null])),
    }),
    ...(tracked.size > 0 &&
      exits.length > 0 && {
        outOf: Object.fromEntries(
          exits.map(({ field }) => [
            field,
            Object.fromEntries([...tracked.values()].map((one) => [one, []])),
          ]),
        ),
      }),
    ...(kept.size > 0 && { last: Object.fromEntries(last) }),
  });
}

/** Sets the port that leads to the first step of a round, and the outputs of the steps in the round before. */
function begin({ job, cycle, entry, body, start, kept, tracked }: Repeating): void {
  const id = job.naming.id(`${cycle.header} again`);
  body.nodes.set(id, { operator: 'core.map', params: { value: '{{ input.again }}' } });
  body.edges.push({ from: `${start}.out`, to: `${id}.in` });
  const origin: Origin = ({ name }, place) => {
    const field = tracked.get(name);
    return field === undefined ? undefined : `nodes.${start}.of.${field}?.[${place}]`;
  };
  const port: Port = {
    ...entry,
    ref: `${id}.out`,
    expr: `nodes.${id}`,
    mayBeEmpty: false,
    aligned: new Set(),
    origin: entry.card === 'many' ? origin : entry.origin,
    scope: body,
  };
  const last = (name: string): string | undefined => {
    const field = kept.get(name);
    return field === undefined ? undefined : `nodes.${start}.last.${field}`;
  };
  body.round = { step: cycle.header, after: [entry], port, index: `nodes.${start}.round`, last };
  for (const [name, field] of kept)
    job.given.set(name, {
      outputs: [],
      item: { ...port, expr: `nodes.${start}.last.${field}`, mayBeMissing: true, origin: undefined },
    });
}

interface Exit {
  readonly wire: Wire;
  readonly port: Port;
  readonly field: string;
  /** It may be taken in several rounds, or by several items. */
  readonly isList: boolean;
}

/** The node whose result is that of a round. */
function end(loop: Repeating): { readonly result: string; readonly exits: readonly Exit[] } {
  const { job, cycle, context, entry, body, start, kept, tracked } = loop;
  const back = [...new Set(cycle.back.flatMap((wire) => portIn(loop, wire) ?? []))];
  const inside = createContext(job, context.step, body, [back]);
  const again = inside.input();
  const isList = entry.card === 'many';
  if (!isList && again?.card === 'many') job.assume(manyOf(cycle));
  const exits = exitsOf(loop, back, isList);
  const result = job.naming.id(`${cycle.header} result`);
  const inputs = [{ name: 'start', required: true }];
  const edges: FlowEdge[] = [{ from: `${start}.out`, to: `${result}.start` }];
  const take = (name: string, port: Port | undefined): void => {
    if (port === undefined) return;
    inputs.push({ name, required: false });
    edges.push({ from: port.ref, to: `${result}.${name}` });
  };
  take('again', again);
  for (const { field, port } of exits) take(field, port);
  const last = [...kept].map(([name, field]): [string, string] => {
    const port = job.given.get(name)?.item;
    const before = `nodes.${start}.last.${field}`;
    if (port?.scope !== body || port.expr === before) return [field, `{{ ${before} }}`];
    if (!isList && port.card === 'many') job.assume(manyOf(cycle));
    take(`last_${field}`, port);
    const given = isList && port.card === 'one' ? `${port.expr} == null ? null : [${port.expr}]` : port.expr;
    return [field, `{{ (inputs?.last_${field} ?? null) == null ? ${before} : ${given} }}`];
  });
  const sources = cycle.back.map(({ from }) => from);
  const of = [...tracked.keys()].map((name) =>
    pairedWith(loop, name, sources, { field: 'again', port: again }),
  );
  body.nodes.set(result, {
    operator: 'core.join',
    params: {
      inputs,
      value: {
        round: `{{ nodes.${start}.round + 1 }}`,
        again: isList ? `{{ ${itemsOf('again', again)} }}` : again ? '{{ inputs?.again ?? null }}' : null,
        ...(tracked.size > 0 && {
          of: Object.fromEntries(of.map(([field, list]) => [field, `{{ ${list} }}`])),
        }),
        ...(exits.length > 0 && {
          out: Object.fromEntries(exits.map((exit) => [exit.field, outOf(start, exit)])),
        }),
        ...(tracked.size > 0 &&
          exits.length > 0 && {
            outOf: Object.fromEntries(exits.map((exit) => [exit.field, pairedOut(loop, exit)])),
          }),
        ...(kept.size > 0 && { last: Object.fromEntries(last) }),
      },
    },
  });
  body.edges.push(...edges);
  return { result, exits };
}

/** The port of a wire, unless it is in an inner loop. */
function portIn({ job, body }: Repeating, { from, output }: Wire): Port | undefined {
  const port = job.given.get(from)?.outputs[output];
  return port?.scope === body ? port : undefined;
}

function exitsOf(loop: Repeating, back: readonly Port[], isList: boolean): Exit[] {
  const { shape, cycle, context } = loop;
  const exits = new Map<string, Exit>();
  const fieldOf = idSource(['start', 'again']);
  for (const wire of shape.wires) {
    const key = JSON.stringify([wire.from, wire.output]);
    if (!cycle.body.has(wire.from) || cycle.body.has(wire.to) || exits.has(key)) continue;
    const port = portIn(loop, wire);
    if (port === undefined) continue;
    const isOften = !back.every((one) => areExclusive(one, port));
    if (isOften)
      context.changed(
        'wire',
        `What leaves the loop at “${wire.from}” goes on once, behind it, with the items of all rounds; there it went on in each round.`,
        { before: `${wire.from} → ${wire.to}` },
      );
    const field = fieldOf(idFrom(wire.from, 'out'));
    exits.set(key, { wire, port, field, isList: isList || isOften || port.card === 'many' });
  }
  return [...exits.values()];
}

/** The items of an input of the result, as a list. */
function itemsOf(field: string, port: Port | undefined): string {
  if (port === undefined) return '[]';
  return port.card === 'many' ? `(inputs?.${field} ?? [])` : `compact([inputs?.${field} ?? null])`;
}

function outOf(start: string, { field, port, isList }: Exit): string {
  if (!isList) return `{{ inputs?.${field} ?? null }}`;
  return `{{ [...nodes.${start}.out.${field}, ...${itemsOf(field, port)}] }}`;
}

function pairedOut(loop: Repeating, exit: Exit): Record<string, string> {
  const { tracked, start } = loop;
  return Object.fromEntries(
    [...tracked.keys()].map((name) => {
      const [field, list] = pairedWith(loop, name, [exit.wire.from], exit);
      return [field, `{{ [...nodes.${start}.outOf.${exit.field}.${field}, ...${list}] }}`];
    }),
  );
}

/** The items of a step that belong to those of an input of the result. */
function pairedWith(
  { job, shape, cycle, tracked }: Repeating,
  name: string,
  sources: readonly string[],
  { field, port }: { readonly field: string; readonly port: Port | undefined },
): [field: string, list: string] {
  const own = job.given.get(name)?.item;
  const isSure = sources.every((from) => from === name || shape.upstream.get(from)?.has(name) === true);
  const item =
    port === undefined || own === undefined || (own.card === 'one' && cycle.body.has(name) && !isSure)
      ? undefined
      : itemAt(port, { name, port: own }, port.card === 'many' ? 'place' : '0');
  if (port !== undefined && item === undefined) job.assume(untrackedOf(cycle, name));
  return [
    tracked.get(name) as string,
    `${itemsOf(field, port)}.map((one, place) => ${item ?? 'null'} ?? null)`,
  ];
}

/** Sets the outputs of the loop for the steps behind it, and the values of its steps that are read there. */
function goOn(loop: Repeating, id: string, exits: readonly Exit[]): void {
  const { job, cycle, context, entry, kept } = loop;
  const outputs = new Map<string, (Port | undefined)[]>();
  for (const exit of exits) {
    const { from, output } = exit.wire;
    const ports = outputs.get(from) ?? [];
    ports[output] = exitPort(loop, id, exit);
    outputs.set(from, ports);
  }
  for (const name of cycle.body) {
    const given = job.given.get(name);
    if (given === undefined) continue;
    const field = kept.get(name);
    const item: Given['item'] =
      field === undefined || given.item === undefined
        ? given.item
        : {
            ...given.item,
            ref: `${id}.out`,
            expr: `nodes.${id}.last.${field}`,
            card: entry.card,
            mayBeMissing: true,
            earlier: undefined,
            aligned: new Set(),
            origin: undefined,
            scope: context.scope,
          };
    const own = given.own ?? given.item?.ref;
    job.given.set(name, { outputs: outputs.get(name) ?? [], item, ...(own !== undefined && { own }) });
  }
}

function exitPort({ context, entry, tracked }: Repeating, id: string, exit: Exit): Port {
  const { wire, field, isList, port } = exit;
  const value = context.add(`${wire.from} left`, {
    operator: 'core.map',
    params: { value: `{{ input.out.${field} }}` },
  });
  context.wire(`${id}.out`, `${value}.in`);
  const { taken, triggers } = isList ? entry : port;
  const expr = `nodes.${id}.out.${field}`;
  if (isList) {
    const origin: Origin = ({ name }, place) => {
      const one = tracked.get(name);
      return one === undefined ? undefined : `nodes.${id}.outOf.${field}.${one}?.[${place}]`;
    };
    return context.port(value, 'out', { card: 'many', mayBeEmpty: true, origin, taken, triggers, expr });
  }
  const there = context.add(`${wire.from} was left`, {
    operator: 'logic.if',
    params: { condition: '{{ input != null }}' },
  });
  context.wire(`${value}.out`, `${there}.in`);
  return context.port(there, 'then', { card: 'one', origin: entry.origin, taken, triggers, expr });
}

import type { ReportBuilder } from '../../frame/report-builder.ts';
import { type Cycle, cyclesOf } from './cycles.ts';
import { isMain, type Step, type Wire, type Workflow } from '../workflow.ts';

/** The repeated parts of a workflow: the loops of Split in Batches, and wires that lead back. */

export interface Loop {
  readonly name: string;
  /** The output that leads into the loop, and the one for its end. */
  readonly into: number;
  readonly end: number;
  /** Steps in the loop, those of loops in it included. */
  readonly body: ReadonlySet<string>;
}

/** The step of Split in Batches, or the key of a loop that is drawn by hand. */
export type LoopKey = string | number;

export interface Shape {
  readonly loops: ReadonlyMap<string, Loop>;
  /** Loops that are drawn by hand, by the step at which their rounds begin. */
  readonly cycles: ReadonlyMap<string, Cycle>;
  /** The innermost loop that a step is in. */
  readonly loopOf: ReadonlyMap<string, LoopKey>;
  /** The loop around one that is drawn by hand. */
  readonly around: ReadonlyMap<Cycle, LoopKey | undefined>;
  /** Main wires without those that lead back. */
  readonly wires: readonly Wire[];
  /** Wires that lead back to the loops they are in. */
  readonly back: readonly Wire[];
  /** Steps that may have run before each one, in the same round or in an earlier one. */
  readonly before: ReadonlyMap<string, ReadonlySet<string>>;
  /** The same, in the same round only. */
  readonly upstream: ReadonlyMap<string, ReadonlySet<string>>;
  /** Steps that have surely run in the same round when each one does. */
  readonly sure: ReadonlyMap<string, ReadonlySet<string>>;
  /** All steps, each after those before it. */
  readonly order: readonly string[];
}

const isLoop = ({ kind }: Step): boolean => kind === 'splitInBatches';

export function shapeOf({ steps, wires }: Workflow, report: ReportBuilder): Shape {
  const main = wires.filter(isMain);
  const loops = new Map<string, Loop>();
  for (const name of inOrder([...steps.keys()], main).order) {
    const step = steps.get(name) as Step;
    if (isLoop(step)) {
      const loop = loopAt(step, main);
      // Of two that are within each other only the first one is a loop.
      const isTangled = [...loop.body].some((name) => loops.get(name)?.body.has(step.name));
      loops.set(step.name, isTangled ? { ...loop, body: new Set() } : loop);
    }
  }
  const isBack = ({ from, to }: Wire): boolean => loops.get(to)?.body.has(from) === true;
  const forward = main.filter((wire) => !isBack(wire));
  const bodies = [...loops.values()].map(({ body }) => body);
  const cycles = cyclesOf({
    steps,
    wires: forward,
    within: (name) => loops.get(name)?.body ?? new Set(),
  }).filter(({ body }) => bodies.every((other) => isApart(body, other)));
  const again = new Set(cycles.flatMap(({ back }) => back));
  const { order, cut } = inOrder(
    [...steps.keys()],
    forward.filter((wire) => !again.has(wire)),
  );
  for (const { from, to } of cut)
    report.change({
      what: 'wire',
      effect: 'lost',
      node: from,
      before: `${from} → ${to}`,
      message:
        'It leads back, to a loop that cannot be told from outside: one that is entered at several places, at a trigger or at a second input, or that answers a caller. Use data.repeat-until with a body.',
    });
  const lost = new Set(cut);
  const kept = forward.filter((wire) => !lost.has(wire) && !again.has(wire));
  const upstream = ancestors(order, kept);
  return {
    loops,
    cycles: new Map(cycles.map((cycle) => [cycle.header, cycle])),
    ...innermost([...loops.values()], cycles),
    wires: kept,
    back: main.filter(isBack),
    before: withRounds(upstream, cycles),
    upstream,
    sure: dominators(order, kept, steps),
    order,
  };
}

/** Whether a loop is around the other one, or neither has a step of the other. */
function isApart(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const common = [...one].filter((step) => other.has(step)).length;
  return common === 0 || common === Math.min(one.size, other.size);
}

function innermost(lists: readonly Loop[], cycles: readonly Cycle[]): Pick<Shape, 'loopOf' | 'around'> {
  const loopOf = new Map<string, LoopKey>();
  const around = new Map<Cycle, LoopKey | undefined>();
  // Smaller bodies are inner ones, and come last.
  for (const loop of [...lists, ...cycles].sort((a, b) => b.body.size - a.body.size)) {
    if ('header' in loop) around.set(loop, loopOf.get(loop.header));
    for (const step of loop.body) loopOf.set(step, 'header' in loop ? loop.key : loop.name);
  }
  return { loopOf, around };
}

/** All steps of a loop that is drawn by hand have run before each other, but for its first round. */
function withRounds(
  upstream: ReadonlyMap<string, ReadonlySet<string>>,
  cycles: readonly Cycle[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const before = new Map(upstream);
  for (const { body } of cycles)
    for (const step of body) before.set(step, new Set([...(before.get(step) ?? []), ...body]));
  return before;
}

/** From version 3 on the first output is the one for the end. */
function loopAt(step: Step, main: readonly Wire[]): Loop {
  const [into, end] = step.version >= 3 ? [1, 0] : [0, 1];
  const next = (name: string): string[] => main.filter(({ from }) => from === name).map(({ to }) => to);
  const reach = (output: number): Set<string> => {
    const found = new Set<string>();
    const open = main
      .filter(({ from, output: at }) => from === step.name && at === output)
      .map(({ to }) => to);
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (name === step.name || found.has(name)) continue;
      found.add(name);
      open.push(...next(name));
    }
    return found;
  };
  const after = reach(end);
  const leadsBack = sourcesOf(step.name, main);
  const body = [...reach(into)].filter((name) => leadsBack.has(name) || !after.has(name));
  return { name: step.name, into, end, body: new Set(body) };
}

/** All steps from which wires lead to a step. */
function sourcesOf(name: string, main: readonly Wire[]): Set<string> {
  const found = new Set<string>();
  const open = [name];
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const { from, to } of main)
      if (to === at && !found.has(from) && from !== name) {
        found.add(from);
        open.push(from);
      }
  return found;
}

/** Steps in an order in which wires lead forward, and the wires that have to be cut for it. */
function inOrder(names: readonly string[], wires: readonly Wire[]): { order: string[]; cut: Wire[] } {
  const next = new Map<string, Wire[]>();
  for (const wire of wires) next.set(wire.from, [...(next.get(wire.from) ?? []), wire]);
  const order: string[] = [];
  const cut: Wire[] = [];
  const state = new Map<string, 'open' | 'done'>();
  for (const root of names) {
    if (state.has(root)) continue;
    state.set(root, 'open');
    // Without recursion, since chains may be long.
    const stack = [{ name: root, at: 0 }];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const wire: Wire | undefined = next.get(top.name)?.[top.at++];
      if (wire === undefined) {
        state.set(top.name, 'done');
        order.push(top.name);
        stack.pop();
      } else if (state.get(wire.to) === 'open') cut.push(wire);
      else if (!state.has(wire.to)) {
        state.set(wire.to, 'open');
        stack.push({ name: wire.to, at: 0 });
      }
    }
  }
  return { order: order.reverse(), cut };
}

function ancestors(order: readonly string[], wires: readonly Wire[]): Map<string, Set<string>> {
  const into = Map.groupBy(wires, ({ to }) => to);
  const before = new Map<string, Set<string>>();
  for (const name of order) {
    const all = new Set<string>();
    for (const { from } of into.get(name) ?? []) {
      all.add(from);
      for (const one of before.get(from) ?? []) all.add(one);
    }
    before.set(name, all);
  }
  return before;
}

/** Modes of Merge in which it waits for all of its inputs. */
const isWaiting = ({ kind, parameters }: Step): boolean =>
  kind === 'merge' && !['append', undefined].includes(parameters['mode'] as string | undefined);

/** The steps that all ways to a step have in common; for one that waits for its inputs, those that all ways to any of them have. */
function dominators(
  order: readonly string[],
  wires: readonly Wire[],
  steps: ReadonlyMap<string, Step>,
): Map<string, Set<string>> {
  const into = Map.groupBy(wires, ({ to }) => to);
  const sure = new Map<string, Set<string>>();
  for (const name of order)
    sure.set(name, surelyBefore(into.get(name) ?? [], isWaiting(steps.get(name) as Step)));
  return sure;

  function surelyBefore(given: readonly Wire[], isApart: boolean): Set<string> {
    const ways = new Map<number, Set<string>>();
    for (const { from, input } of given) {
      const way = new Set(sure.get(from)).add(from);
      const at = isApart ? input : 0;
      ways.set(at, inBoth(ways.get(at) ?? way, way));
    }
    const [all = new Set<string>(), ...more] = ways.values();
    for (const way of more) for (const one of way) all.add(one);
    return all;
  }
}

/** The first set without what the other one lacks. */
function inBoth(one: Set<string>, other: ReadonlySet<string>): Set<string> {
  if (one !== other) for (const name of one) if (!other.has(name)) one.delete(name);
  return one;
}

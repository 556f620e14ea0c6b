import type { Step, Wire } from '../workflow.ts';

/** Loops that are drawn by hand: wires that lead back without Split in Batches. */

export interface Cycle {
  /** Its place among all of them, from the outermost on. */
  readonly key: number;
  /** The step at which a round begins: the only one that wires from outside lead to. */
  readonly header: string;
  /** Steps of a round, those of loops in it included. */
  readonly body: ReadonlySet<string>;
  /** Wires that begin another round. */
  readonly back: readonly Wire[];
}

/** Bodies are nested five deep, and nodes for each item have some of their own. */
const MOST_NESTED = 3;
/** Steps that answer a caller, which no body does. */
const isAnswer = (step: Step | undefined): boolean =>
  step?.kind === 'respondToWebhook' ||
  (step?.kind === 'form' && step.parameters['operation'] === 'completion');
export const isTrigger = (step: Step | undefined): boolean =>
  /Trigger$|^(?:webhook|cron|start|interval|emailReadImap)$/.test(step?.kind ?? '');

interface Given {
  readonly steps: ReadonlyMap<string, Step>;
  /** Main wires without those that lead back to Split in Batches. */
  readonly wires: readonly Wire[];
  /** The other steps in the loop of a step: the body of Split in Batches. */
  readonly within: (step: string) => ReadonlySet<string>;
}

/** Cycles that one body can say; wires of all others remain to be told. Outer ones come first. */
export function cyclesOf({ steps, wires, within }: Given): readonly Cycle[] {
  const cycles: Cycle[] = [];
  const open = [
    { names: [...steps.keys()], inner: wires.filter(({ to }) => !isTrigger(steps.get(to))), depth: 0 },
  ];
  for (let part = open.pop(); part !== undefined; part = open.pop())
    for (const group of groupsOf(part.names, part.inner)) {
      const header = headerOf(group, wires);
      if (header === undefined || part.depth >= MOST_NESTED) continue;
      const own = part.inner.filter(({ from, to }) => group.has(from) && group.has(to));
      const back = own.filter(({ to }) => to === header);
      const members = new Set([...group, ...[...group].flatMap((name) => [...within(name)])]);
      if ([...members].some((name) => isAnswer(steps.get(name)))) continue;
      cycles.push({
        key: cycles.length,
        header,
        body: new Set([...members, ...asideOf(members, wires, steps)]),
        back,
      });
      open.push({ names: [...group], inner: own.filter(({ to }) => to !== header), depth: part.depth + 1 });
    }
  return cycles;
}

/** The only step that wires from outside lead to, and only to its first input. */
function headerOf(group: ReadonlySet<string>, wires: readonly Wire[]): string | undefined {
  const headers = new Set(
    wires.filter(({ from, to }) => !group.has(from) && group.has(to)).map(({ to }) => to),
  );
  const [header] = headers;
  if (header === undefined || headers.size > 1) return undefined;
  return wires.some(({ to, input }) => to === header && input > 0) ? undefined : header;
}

/**
 * Steps beside a loop that run in each of its rounds: an output that leads to them leads on in the loop too, and nothing else leads to
 * them.
 */
function asideOf(
  members: ReadonlySet<string>,
  wires: readonly Wire[],
  steps: ReadonlyMap<string, Step>,
): Set<string> {
  const leading = new Set(
    wires
      .filter(({ from, to }) => members.has(from) && members.has(to))
      .map(({ from, output }) => `${output} ${from}`),
  );
  const aside = new Set<string>();
  const isWithin = (name: string): boolean => members.has(name) || aside.has(name);
  const isBeside = ({ from, output }: Wire): boolean => aside.has(from) || leading.has(`${output} ${from}`);
  for (let grown = true; grown; ) {
    grown = false;
    for (const { to } of wires.filter(
      (wire) => isWithin(wire.from) && isBeside(wire) && !isWithin(wire.to),
    )) {
      const into = wires.filter((wire) => wire.to === to);
      if (
        isWithin(to) ||
        isAnswer(steps.get(to)) ||
        !into.every((wire) => isWithin(wire.from) && isBeside(wire))
      )
        continue;
      aside.add(to);
      grown = true;
    }
  }
  return aside;
}

/** Steps that lead to each other, in groups; those that lead to themselves are a group too. */
function groupsOf(names: readonly string[], wires: readonly Wire[]): Set<string>[] {
  const next = neighbours(wires, 'from', 'to');
  const done = new Set<string>();
  const order = names.flatMap((name) => leavesFirst(name, next, done));
  const before = neighbours(wires, 'to', 'from');
  const found = new Set<string>();
  const self = new Set(wires.filter(({ from, to }) => from === to).map(({ from }) => from));
  return order
    .toReversed()
    .map((name) => new Set(leavesFirst(name, before, found)))
    .filter((group) => group.size > 1 || [...group].some((name) => self.has(name)));
}

function neighbours(wires: readonly Wire[], from: 'from' | 'to', to: 'from' | 'to'): Map<string, string[]> {
  const all = new Map<string, string[]>();
  for (const wire of wires) {
    const list = all.get(wire[from]) ?? [];
    list.push(wire[to]);
    all.set(wire[from], list);
  }
  return all;
}

/** The steps that are first reached from a step, each after those that it leads to; without recursion, since chains may be long. */
function leavesFirst(
  root: string,
  next: ReadonlyMap<string, readonly string[]>,
  seen: Set<string>,
): string[] {
  if (seen.has(root)) return [];
  seen.add(root);
  const order: string[] = [];
  const stack = [{ name: root, at: 0 }];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const one = next.get(top.name)?.[top.at++];
    if (one === undefined) {
      order.push(top.name);
      stack.pop();
    } else if (!seen.has(one)) {
      seen.add(one);
      stack.push({ name: one, at: 0 });
    }
  }
  return order;
}

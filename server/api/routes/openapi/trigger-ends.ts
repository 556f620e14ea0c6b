import type { Plan } from '#engine';
import type { Flow } from '#shared/flow.ts';

type Step = Plan['steps'][number];

/** The possible ends of a run that is started by a call. */
export interface TriggerEnds {
  /** The statuses of respond nodes; `2XX` for one that an expression determines. Empty if the result is the answer. */
  readonly statuses: readonly (number | '2XX')[];
  /** Whether a run may end without an answer of its own: nothing leads to a respond node, or to the end of the flow. */
  readonly mayBeEmpty: boolean;
}

export function triggerEnds(plan: Plan, flow: Flow): TriggerEnds {
  const statuses = plan.steps
    .filter((step) => isOn(step) && step.operator.respond === true)
    .map(({ id }) => statusOf(flow.nodes[id]?.params?.['status']));
  return { statuses: [...new Set(statuses)], mayBeEmpty: !new EndSearch(plan).isCertain() };
}

function statusOf(param: unknown): number | '2XX' {
  if (param === undefined) return 200;
  return typeof param === 'number' ? param : '2XX';
}

function isOn({ disabled }: Step): boolean {
  return disabled === 'no' || disabled === 'pass';
}

/**
 * Whether every run reaches an end, unless it fails. Nodes that choose one of their outputs must lead to an end on each of them;
 * a path that the search cannot prove counts as uncertain.
 */
class EndSearch {
  private readonly plan: Plan;
  private readonly readers = new Map<number, Step[]>();
  /** Slots that have a value in every run. */
  private readonly live = new Set<number>();
  private readonly known = new Map<Step, boolean>();

  constructor(plan: Plan) {
    this.plan = plan;
    for (const step of plan.steps)
      for (const slot of step.inputs.flatMap(({ sources }) => sources))
        this.readers.set(slot, [...(this.readers.get(slot) ?? []), step]);
  }

  isCertain(): boolean {
    const { plan } = this;
    const begun = [plan.triggerStep, ...plan.roots].map((index) => plan.steps[index] as Step);
    const sure = new Set(begun.filter(isOn));
    // The set grows during the iteration.
    for (const step of sure) {
      if (this.isEnd(step)) return true;
      if (choosesOutput(step)) continue;
      const slots = slotsOf(step);
      for (const slot of slots) this.live.add(slot);
      const readers = slots.flatMap((slot) => this.readers.get(slot) ?? []);
      for (const reader of readers) if (runsWith(reader, this.live)) sure.add(reader);
    }
    return [...sure].some((step) => choosesOutput(step) && this.ends(step));
  }

  /** Whether the run reaches an end once the step has run. */
  private ends(step: Step): boolean {
    if (this.isEnd(step)) return true;
    const before = this.known.get(step);
    if (before !== undefined) return before;
    const slots = slotsOf(step);
    const ends = choosesOutput(step)
      ? slots.every((slot) => this.leadsOn(slot))
      : slots.some((slot) => this.leadsOn(slot));
    this.known.set(step, ends);
    return ends;
  }

  private leadsOn(slot: number): boolean {
    const live = new Set(this.live).add(slot);
    return (this.readers.get(slot) ?? []).some((reader) => runsWith(reader, live) && this.ends(reader));
  }

  private isEnd(step: Step): boolean {
    if (!isOn(step)) return false;
    return this.plan.hasRespond ? step.operator.respond === true : this.plan.leaves.includes(step);
  }
}

/** Whether some of its outputs may be dead after a successful run. */
function choosesOutput({ operator, onError, fallback }: Step): boolean {
  return Boolean(operator.exclusive) || onError === 'route' || (onError === 'continue' && !fallback);
}

function slotsOf({ ports, out, errorSlot }: Step): number[] {
  const slots = ports.map((_, i) => out + i);
  return errorSlot < 0 ? slots : [...slots, errorSlot];
}

function runsWith(step: Step, live: ReadonlySet<number>): boolean {
  if (!isOn(step)) return false;
  return step.inputs.every(({ required, many, sources }) => {
    if (sources.length === 0) return !required;
    return many === 'all' ? sources.every((slot) => live.has(slot)) : sources.some((slot) => live.has(slot));
  });
}

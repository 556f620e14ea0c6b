import type { Given, Plan, Step } from '../plan/plan.ts';
import { ERROR_PORT } from '../flow/ports.ts';
import { type OneRound, withInside } from './inside.ts';
import { ItemOutputs } from '../run/outputs.ts';
import { earlierError } from '../run/retry.ts';

/**
 * The plan with some nodes replaced by their outputs and some left out.
 * G1. A given node waits for nothing: the edges into it are removed, so nodes that only fed it need not run.
 * G2. A node that is left out is skipped, and so are the nodes that require it.
 * G3. A node that reads another one by `nodes.…` still waits for it, even if the edges between them are removed.
 * G4. The trigger's output is set at the start of a run and is never given.
 * G5. What holds for a node in a body holds in each of its rounds; of a container in `rounds` only that one runs.
 */
export function withGiven(
  plan: Plan,
  given: ReadonlyMap<string, Given>,
  leftOut: ReadonlySet<string>,
  rounds: ReadonlyMap<string, OneRound> = new Map(),
): Plan {
  const isGiven = (step: Step): boolean => step.index !== plan.triggerStep && given.has(step.id);
  const cut = plan.steps.filter(isGiven);
  const lost = edgesInto(cut);
  const targets = new Set(cut.map(({ index }) => index));
  const readers = readersOf(plan, (step) => !isGiven(step));
  const steps = plan.steps.map((step) => {
    const found = isGiven(step) ? given.get(step.id) : undefined;
    // The trigger's output is set from the start.
    const own = step.index === plan.triggerStep ? undefined : readers.get(step.index);
    const rest = withReaders(withoutEdges(step, lost, targets), own);
    if (found !== undefined) return givenStep(rest, found);
    const isOut = leftOut.has(step.id) && step.index !== plan.triggerStep;
    if (isOut) return { ...rest, disabled: 'left-out' as const };
    return withInside(rest, { given, leftOut, rounds }, (body) => withGiven(body, given, leftOut, rounds));
  });
  const freed = cut.filter(({ index }) => (plan.open[index] ?? 0) > 0).map(({ index }) => index);
  return {
    ...plan,
    steps,
    leaves: plan.leaves.map((leaf) => steps[leaf.index] as Step),
    open: plan.open.map((edges, index) => (targets.has(index) ? 0 : edges + waitsOf(plan, index))),
    roots: [...plan.roots, ...freed],
    // Given outputs are reported with their reason, which is noted while the node is executed.
    derivable: false,
    partial: { given, leftOut },
  };
}

/** The steps that read others by `nodes.…`, by the index of the step they read. */
export function readersOf(plan: Plan, counts: (reader: Step) => boolean = () => true): Map<number, number[]> {
  const readers = new Map<number, number[]>();
  for (const step of plan.steps) {
    if (!counts(step)) continue;
    for (const index of step.reads) {
      const known = readers.get(index);
      if (known === undefined) readers.set(index, [step.index]);
      else known.push(step.index);
    }
  }
  return readers;
}

function waitsOf({ steps, triggerStep }: Plan, index: number): number {
  return steps[index]?.reads.filter((read) => read !== triggerStep).length ?? 0;
}

function withReaders(step: Step, readers: readonly number[] | undefined): Step {
  return readers === undefined ? step : { ...step, next: [...step.next, ...readers] };
}

/** How many edges into these steps come from each slot. */
function edgesInto(steps: readonly Step[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  const slots = steps.flatMap(({ inputs }) => inputs.flatMap(({ sources }) => sources));
  for (const slot of slots) counts.set(slot, (counts.get(slot) ?? 0) + 1);
  return counts;
}

/** The step without the edges to `targets`; `lost` counts them by their source slot. */
function withoutEdges(step: Step, lost: ReadonlyMap<number, number>, targets: ReadonlySet<number>): Step {
  if (!step.next.some((index) => targets.has(index))) return step;
  const first = step.out >= 0 ? step.out : step.errorSlot;
  return {
    ...step,
    next: step.next.filter((index) => !targets.has(index)),
    fanOut: step.fanOut.map((edges, i) => edges - (lost.get(first + i) ?? 0)),
  };
}

function givenStep(step: Step, { outputs, error, reason }: Given): Step {
  return {
    ...step,
    inputs: [],
    after: undefined,
    reads: [],
    source: -1,
    params: {},
    makeParams: undefined,
    run: () => {
      if (error !== undefined) throw earlierError(error);
      if (step.each !== undefined && step.errorSlot >= 0)
        return new ItemOutputs(
          step.ports.map((port) => outputs[port]),
          outputs[ERROR_PORT],
        );
      return step.single ? valueOf(step, outputs, 0) : valuesOf(step, outputs);
    },
    onError: error === undefined ? 'fail' : step.onError,
    retry: undefined,
    timeoutMs: 0,
    cache: { ttlMs: 0, key: undefined, refused: undefined, definition: '', lasting: false, given: reason },
    disabled: 'no',
    mayWait: false,
    lifted: false,
    each: undefined,
    gathers: step.each !== undefined,
  };
}

function valuesOf(step: Step, outputs: Given['outputs']): Record<string, unknown> {
  const named = step.ports.filter((port) => outputs[port] !== undefined);
  return Object.fromEntries(named.map((port) => [port, valueOf(step, outputs, step.ports.indexOf(port))]));
}

function valueOf(step: Step, outputs: Given['outputs'], place: number): unknown {
  const value = outputs[step.ports[place] ?? ''];
  return step.streamPorts[place] === true && Array.isArray(value) ? streamOf(value) : value;
}

async function* streamOf(items: readonly unknown[]): AsyncGenerator<unknown> {
  yield* items;
}

import type { Stretch, Stretches } from '../base/host.ts';
import type { LoopStretches } from '../base/strand.ts';
import type { RoundSums } from './rounds.ts';
import type { Attempt } from './state.ts';

interface Kept {
  readonly ends: readonly unknown[];
  /** What is told of the rounds of a body. */
  readonly rounds?: RoundSums | undefined;
}

/** The stretches of the loop of a step, in the records of its run. */
export class StepStretches implements LoopStretches {
  private readonly call: Attempt;
  private readonly records: Stretches;
  /** Whether the rounds of the step are those of this loop alone. */
  private readonly hasRounds: boolean;
  private before: RoundSums | undefined = undefined;

  constructor(call: Attempt, records: Stretches) {
    this.call = call;
    this.records = records;
    this.hasRounds = call.step.body !== undefined && call.index === undefined;
  }

  kept(from: number, to: number): readonly unknown[] | undefined {
    const { run, step } = this.call;
    const found = this.records.kept(this.stretch(from, to));
    if (found === undefined) {
      this.before = this.hasRounds ? run.roundsOf(step).sums : undefined;
      return undefined;
    }
    const { ends, rounds } = found.value as Kept;
    if (rounds !== undefined && this.hasRounds) run.roundsOf(step).addEarlier(rounds);
    return ends;
  }

  keep(from: number, to: number, ends: readonly unknown[]): Promise<void> | undefined {
    const { run, step } = this.call;
    const rounds = this.before && run.roundsOf(step).since(this.before);
    return this.records.keep(this.stretch(from, to), { ends, ...(rounds && { rounds }) } satisfies Kept);
  }

  private stretch(from: number, to: number): Stretch {
    return { loop: this.call.stepKey, from, to };
  }
}

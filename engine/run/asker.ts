import type { Step } from '../compile/plan.ts';
import type { Asker } from '../services.ts';
import type { RunState } from './run.ts';
import type { Caller } from './types.ts';

/** Who a step's call is. The run behind it is private, so that an operator cannot pass itself off as a step of another one. */
export class StepAsker implements Asker {
  readonly flow: string;
  readonly version: string;
  readonly run: string;
  readonly node: string;
  readonly operator: string;
  readonly #state: RunState;

  constructor(run: RunState, step: Step) {
    this.flow = run.flow;
    this.version = run.version;
    this.run = run.id;
    this.node = step.id;
    this.operator = step.type;
    this.#state = run;
  }

  static callerOf(asker: Asker): Caller | undefined {
    return #state in asker ? asker.#state : undefined;
  }
}

/** The run that asks; undefined for an asker that the engine has not made. */
export function callerOf(asker: Asker): Caller | undefined {
  return StepAsker.callerOf(asker);
}

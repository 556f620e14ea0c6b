import type { Step } from '../plan/plan.ts';
import type { Asker } from '../services.ts';
import { type ModelSpent, Spending } from './spending.ts';
import type { Caller, RunCore } from './state.ts';

/** Who a step's call is. The run behind it is private, so that an operator cannot pass itself off as a step of another one. */
export class StepAsker implements Asker, Caller {
  readonly flow: string;
  readonly version: string;
  readonly run: string;
  readonly node: string;
  readonly operator: string;
  readonly #state: RunCore;
  readonly #step: number;

  constructor(run: RunCore, step: Step) {
    this.flow = run.flow;
    this.version = run.version;
    this.run = run.id;
    this.node = step.id;
    this.operator = step.type;
    this.#state = run;
    this.#step = step.index;
  }

  get id(): string {
    return this.run;
  }

  get depth(): number {
    return this.#state.depth;
  }

  static callerOf(asker: Asker): Caller | undefined {
    return #state in asker ? asker : undefined;
  }

  static waitedFor(asker: Asker, wait: { readonly for: string; readonly ms: number }): void {
    if (#state in asker) asker.#state.recorder.queued(asker.node, wait);
  }

  static spend(asker: Asker, spent: ModelSpent): void {
    let at: object | undefined = asker;
    while (at !== undefined && #state in at) {
      const run: RunCore = at.#state;
      (run.spending ??= new Spending()).add(at.#step, spent);
      at = run.caller;
    }
  }
}

/**
 * Notes that a step has just waited for what others had, for the events of its run. An asker that the engine has not made is
 * nobody's.
 */
export function waitedFor(asker: Asker, wait: { readonly for: string; readonly ms: number }): void {
  StepAsker.waitedFor(asker, wait);
}

/** The step that asks, as one that starts runs; undefined for an asker that the engine has not made. */
export function callerOf(asker: Asker): Caller | undefined {
  return StepAsker.callerOf(asker);
}

/**
 * Notes what a call of a model took with the step that asked for it, and with the steps that started its run as a part of
 * theirs; their events and the outcome of their runs tell it. An asker that the engine has not made is nobody's.
 */
export function spend(asker: Asker, spent: ModelSpent): void {
  StepAsker.spend(asker, spent);
}

import type { Step } from '../plan/plan.ts';
import type { PartName } from '../base/operator.ts';
import type { Asker, RunClaim } from '../base/services.ts';
import { type ModelSpent, Spending } from './spending.ts';
import { partKey } from './durable.ts';
import { PartCtx } from './places.ts';
import type { Attempt, Caller, RunCore } from './state.ts';

/** The identity of a step's call. Its run is private, so that an operator cannot pass as a step of another run. */
export class StepAsker implements Asker, Caller {
  readonly flow: string;
  readonly version: string;
  readonly run: string;
  readonly node: string;
  readonly operator: string;
  readonly #state: RunCore;
  readonly #step: number;
  readonly #call: Attempt | undefined;

  /** `call`: the attempt that asks; absent where a body is the caller. */
  constructor(run: RunCore, step: Step, call?: Attempt) {
    this.flow = run.flow;
    this.version = run.version;
    this.run = run.id;
    this.node = step.id;
    this.operator = step.type;
    this.#state = run;
    this.#step = step.index;
    this.#call = call;
  }

  get id(): string {
    return this.run;
  }

  get depth(): number {
    return this.#state.depth;
  }

  get isDraft(): boolean {
    return this.#state.isDraft;
  }

  get isDurable(): boolean {
    return this.#state.ctx !== undefined;
  }

  get claim(): RunClaim | undefined {
    let run: RunCore | undefined = this.#state;
    while (run !== undefined && run.ctx?.claim === undefined) {
      const caller: object | undefined = run.caller;
      run = caller !== undefined && #state in caller ? caller.#state : undefined;
    }
    return run?.ctx?.claim;
  }

  static callerOf(asker: Asker): Caller | undefined {
    return #state in asker ? asker : undefined;
  }

  static rootOf(asker: Asker): string {
    let at: Caller = { id: asker.run, depth: 0 };
    let next: object | undefined = asker;
    while (next !== undefined && #state in next) {
      const run: RunCore = next.#state;
      at = run.caller ?? { id: run.id, depth: 0 };
      next = run.caller;
    }
    return at.id;
  }

  static below(asker: Asker, part: PartName | undefined): PartCtx | undefined {
    const call = #state in asker ? asker.#call : undefined;
    const ctx = call?.run.ctx;
    if (call === undefined || ctx === undefined) return undefined;
    const place = part === undefined ? call.stepKey : partKey(call, part);
    const outer = ctx.unrecorded ?? ctx;
    return new PartCtx(outer, call, place, outer.parts(place));
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
 * Notes, for the events of its run, that a step has just waited for a resource that others used. A caller that the engine
 * did not create is ignored.
 */
export function waitedFor(asker: Asker, wait: { readonly for: string; readonly ms: number }): void {
  StepAsker.waitedFor(asker, wait);
}

/**
 * The durable context of a flow that the asking step runs: below the step, or below a part of it. Undefined if the step's run is
 * only in memory. Its `end` is called when that flow has ended.
 */
export function contextBelow(asker: Asker, part?: PartName): PartCtx | undefined {
  return StepAsker.below(asker, part);
}

/** The calling step, as the parent of new runs; undefined for a caller that the engine did not create. */
export function callerOf(asker: Asker): Caller | undefined {
  return StepAsker.callerOf(asker);
}

/**
 * Adds the usage of a model call to the calling step, and to the steps that started its run as a part of theirs; their
 * events and the outcome of their runs report it. A caller that the engine did not create is ignored.
 */
export function spend(asker: Asker, spent: ModelSpent): void {
  StepAsker.spend(asker, spent);
}

/** The run that was started from outside and led to this call; the asker's own run for one that the engine did not create. */
export function rootOf(asker: Asker): string {
  return StepAsker.rootOf(asker);
}

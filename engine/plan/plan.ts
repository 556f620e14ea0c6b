import type { Effects, InputPort } from '#shared/catalog.ts';
import type { FlowSettings, OnError, Retry } from '#shared/flow.ts';
import type { RunError } from '#shared/run-event.ts';
import type { Host } from '../base/host.ts';
import type { Call, Operator, TriggerRequest } from '../base/operator.ts';
import type { Path } from '../flow/field-path.ts';

/**
 * A plan: what `compile` makes of a flow for one of its triggers. It is frozen, shared by all runs, and does not depend on a
 * request.
 *
 * P1. `steps` is in topological order, so a step's edges come from steps before it. A step may wait for a later one before it
 *     is needed (`after`).
 * P2. Every output of every step has one slot; slot 0 is always dead and represents edges from nodes outside the run.
 * P3. `open[i]` is the number of edges into step i that come from steps of this plan, and of its slots `after`.
 */
export interface Plan {
  readonly flow: string;
  readonly version: string;
  /** The trigger node. */
  readonly trigger: string;
  /** The trigger's params with their defaults. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly settings: FlowSettings;
  /** The zone of its expressions. */
  readonly timezone: string;
  readonly steps: readonly Step[];
  readonly triggerStep: number;
  /** Initial slots: `DEAD` at 0, `UNSET` elsewhere. */
  readonly slots: readonly unknown[];
  readonly open: readonly number[];
  /** Steps that wait for no other, without the trigger. */
  readonly roots: readonly number[];
  /** Steps whose live outputs are the result. */
  readonly leaves: readonly Step[];
  readonly hasRespond: boolean;
  /** A model or an agent takes part. */
  readonly asksModels: boolean;
  /** The trigger's request has fields whose values must not be shown or stored. */
  readonly hidesFields: boolean;
  /** Events that are derived after the end are complete: no stream counts items, and no attempt is repeated. */
  readonly derivable: boolean;
  /** In a partial run: the replacements of nodes, and the nodes that are left out. */
  readonly partial?: { readonly given: ReadonlyMap<string, Given>; readonly leftOut: ReadonlySet<string> };
}

/** A flow ready to run: one plan for each trigger that is not disabled. */
export interface CompiledFlow {
  readonly id: string;
  readonly version: string;
  readonly plans: ReadonlyMap<string, Plan>;
}

/** An input port and the slots of the edges into it, in edge order. */
export interface Binding {
  readonly name: string;
  readonly required: boolean;
  readonly many: InputPort['many'];
  readonly sources: readonly number[];
  /** By source: the field of its value that arrives. Undefined if all edges carry whole values. */
  readonly picks: readonly (Picked | undefined)[] | undefined;
  /** The operator accepts streams itself; otherwise a stream here is lifted. */
  readonly stream: boolean;
}

/** The field of a value that an edge carries. */
export interface Picked {
  readonly path: Path;
  /** The output, for messages. */
  readonly from: string;
}

/** What a step waits for before it is needed. */
export interface Earlier {
  readonly slot: number;
  readonly pick: Picked | undefined;
}

/** A node in a plan, with everything that a run needs of it. */
export interface Step {
  readonly index: number;
  readonly id: string;
  /** What people call it: its name, or the title of its operator. Errors name it so; their data have its id. */
  readonly title: string;
  readonly type: string;
  readonly operator: Operator;
  readonly inputs: readonly Binding[];
  /** Slot of the only edge into the only input if it carries a whole value and no stream, or -1: the fast path. */
  readonly source: number;
  /** Edges into it carry fields of values. */
  readonly picks: boolean;
  /** First output slot; the others follow in the order of `ports`. */
  readonly out: number;
  /** Output ports without `error`. */
  readonly ports: readonly string[];
  /** `run` returns the value of its only output, not a record. */
  readonly single: boolean;
  /** Slot of the `error` output, or -1. */
  readonly errorSlot: number;
  /** Edges out of each slot, from `out` on. */
  readonly fanOut: readonly number[];
  /** What must be dead or null, or the step is not needed (`flow/lazy-inputs.ts`). */
  readonly after: readonly Earlier[] | undefined;
  /** The step at the end of each edge out of this one (once per edge), and those that wait whether they are needed. */
  readonly next: readonly number[];
  /** Steps whose outputs its expressions read by `nodes.…`, by index; the trigger's also for `trigger.…`. */
  readonly reads: readonly number[];
  /** The params when they do not depend on the run. */
  readonly params: unknown;
  readonly makeParams: ((scope: StepScope) => unknown) | undefined;
  readonly run: ((call: Call) => unknown) | undefined;
  readonly onError: OnError;
  readonly fallback: Readonly<Record<string, unknown>> | undefined;
  readonly retry: Retry | undefined;
  readonly timeoutMs: number;
  /** Can reuse earlier outputs. */
  readonly cache: StepCache | undefined;
  /** `left-out`: not wanted in this run (`engine/partial`). */
  readonly disabled: 'no' | 'pass' | 'skip' | 'left-out';
  /** As its params set it. */
  readonly effects: Effects;
  /** May await something, so it needs a slot of `settings.concurrency`. */
  readonly mayWait: boolean;
  /** Has outputs that are streams, and which of `ports` are. */
  readonly streams: boolean;
  readonly streamPorts: readonly boolean[];
  /** Runs once per item of the stream on its first input. */
  readonly lifted: boolean;
  /** What the operator runs by `call.body`. */
  readonly body: StepBody | undefined;
  /** Runs once per item of a list, or of the stream on its first input. */
  readonly each: StepEach | undefined;
  /** Its results may be `ItemOutputs`: it has `each`, or stands for a step that has. Results of other steps are not inspected for it. */
  readonly gathers: boolean;
}

/** The scope of the expressions of a step: the current attempt, and its run. */
export interface StepScope {
  readonly input: unknown;
  /** Inputs by port. */
  readonly inputs: Record<string, unknown>;
  item: unknown;
  index: number | undefined;
  /** The value of a fold so far. */
  acc: unknown;
  readonly run: {
    readonly host: Pick<Host, 'now' | 'random'>;
    /** The run itself; for that of a body the run that it is part of. */
    readonly root: {
      readonly id: string;
      readonly flow: string;
      readonly version: string;
      readonly trigger: string;
      readonly startedAt: number;
    };
    readonly request: TriggerRequest;
    readonly vars: Readonly<Record<string, unknown>>;
    /** Output slots (P2). */
    readonly values: readonly unknown[];
  };
}

/** The body of a node: a plan whose trigger is its start. */
export interface StepBody {
  readonly plan: Plan;
  /** Outputs that it reads from the flow around it: their slot there, and in its own plan. */
  readonly imports: readonly (readonly [outer: number, inner: number])[];
}

/** What `each` of a node means for its step. */
export interface StepEach {
  /** The list; the first input if undefined. */
  readonly items: ((scope: StepScope) => unknown) | undefined;
  readonly concurrency: number;
  readonly onItemError: 'fail' | 'skip' | 'collect';
  /** Undefined: the default of a list, and no limit of a stream. */
  readonly maxItems: number | undefined;
}

/** The settings of `cache` for the step of a node. */
export interface StepCache {
  readonly ttlMs: number;
  /** The expression for the key; without it, params and inputs form the key. */
  readonly key: ((scope: StepScope) => unknown) | undefined;
  /** Changes when the node does. */
  readonly definition: string;
  /** Outputs are kept on disk. */
  readonly lasting: boolean;
  /** Why no output can be stored, whatever the input. */
  readonly refused: string | undefined;
  /** Why the step returns given outputs and never asks the cache (`engine/partial`). */
  readonly given?: string;
}

/** The outputs that replace the execution of a node. */
export interface Given {
  /** Outputs by port; ports that are left out have no value. The value of a stream port is a list of items. */
  readonly outputs: Readonly<Record<string, unknown>>;
  /** The error that left through the node's `error` port; `outputs` are empty then. */
  readonly error?: RunError | undefined;
  /** Reported in the node's events. */
  readonly reason: string;
}

/** The state of a slot before its step has settled. */
export const UNSET: unique symbol = Symbol('unset');
/** An output that was left out, or whose step was skipped: edges from it are dead. */
export const DEAD: unique symbol = Symbol('dead');

/** The steps of a plan and of all bodies in it. */
export function* allSteps(plan: Plan): Generator<Step> {
  for (const step of plan.steps) {
    yield step;
    if (step.body) yield* allSteps(step.body.plan);
  }
}

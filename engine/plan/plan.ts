import type { Effects } from '#shared/catalog.ts';
import type { FlowSettings, OnError, Retry } from '#shared/flow.ts';
import type { RunError } from '#shared/run-event.ts';
import type { Call, Operator, TriggerRequest } from '../operator.ts';

/**
 * A plan: what `compile` makes of a flow for one of its triggers. Frozen, shared by all runs, free of anything that depends
 * on a request.
 *
 * P1. `steps` is in topological order, so a step's edges come from steps before it.
 * P2. Every output of every step has one slot; slot 0 is dead for ever and stands for edges from nodes outside the run.
 * P3. `open[i]` is the number of edges into step i that come from steps of this plan.
 */
export interface Plan {
  readonly flow: string;
  readonly version: string;
  /** The trigger node. */
  readonly trigger: string;
  /** The trigger's params with their defaults. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly settings: FlowSettings;
  readonly steps: readonly Step[];
  readonly triggerStep: number;
  /** Initial slots: `DEAD` at 0, `UNSET` elsewhere. */
  readonly slots: readonly unknown[];
  readonly open: readonly number[];
  /** Steps without incoming edges, the trigger left out. */
  readonly roots: readonly number[];
  /** Steps whose live outputs are the result. */
  readonly leaves: readonly Step[];
  readonly hasRespond: boolean;
  /** A model or an agent takes part. */
  readonly asksModels: boolean;
  /** The trigger's request has fields whose values are shown and kept nowhere. */
  readonly hidesFields: boolean;
  /** Events derived after the end say all there is: no stream whose items were counted, no attempt that was repeated. */
  readonly derivable: boolean;
  /** Where not everything is carried out: what stands in for nodes, and which are not wanted. */
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
  readonly many: 'any' | 'all' | undefined;
  readonly sources: readonly number[];
  /** The operator gets streams as they are; else a stream here is lifted. */
  readonly stream: boolean;
}

export interface Step {
  readonly index: number;
  readonly id: string;
  readonly type: string;
  readonly operator: Operator;
  readonly inputs: readonly Binding[];
  /** Slot of the only edge into the only input, or -1: the fast path. */
  readonly source: number;
  /** First output slot; the others follow in the order of `ports`. */
  readonly out: number;
  /** Output ports without `error`. */
  readonly ports: readonly string[];
  /** `run` returns the value of its one output instead of a record. */
  readonly single: boolean;
  /** Slot of the `error` output, or -1. */
  readonly errorSlot: number;
  /** Edges out of each slot, from `out` on. */
  readonly fanOut: readonly number[];
  /** The step at the end of each edge out of this one (a step appears once per edge). */
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
  /** Uses earlier outputs again. */
  readonly cache: StepCache | undefined;
  /** `left-out`: not wanted in this run (`engine/partial`). */
  readonly disabled: 'no' | 'pass' | 'skip' | 'left-out';
  /** As its params have it. */
  readonly effects: Effects;
  /** May await something, so it takes a slot of `settings.concurrency`. */
  readonly mayWait: boolean;
  /** Has outputs that are streams, and which of `ports` are. */
  readonly streams: boolean;
  readonly streamPorts: readonly boolean[];
  /** Runs once per item of the stream on its one input. */
  readonly lifted: boolean;
}

/** What the expressions of a step see: the attempt that they are evaluated for, and its run. */
export interface StepScope {
  readonly input: unknown;
  /** Inputs by port. */
  readonly inputs: Record<string, unknown>;
  item: unknown;
  index: number | undefined;
  /** What a fold has so far. */
  acc: unknown;
  readonly run: {
    readonly id: string;
    readonly flow: string;
    readonly version: string;
    readonly trigger: string;
    readonly startedAt: number;
    readonly request: TriggerRequest;
    readonly vars: Readonly<Record<string, unknown>>;
    /** Output slots (P2). */
    readonly values: readonly unknown[];
  };
}

/** What `cache` of a node means for its step. */
export interface StepCache {
  readonly ttlMs: number;
  /** What stands for the input; without it params and inputs do. */
  readonly key: ((scope: StepScope) => unknown) | undefined;
  /** Why nothing can be kept, whatever the input. */
  readonly refused: string | undefined;
  /** Why the step gives what was laid down for it, and never asks the cache (`engine/partial`). */
  readonly given?: string;
}

/** Stands in for carrying a node out. */
export interface Given {
  /** Outputs by port; ports that are left out give nothing. Those of a stream port are a list of items. */
  readonly outputs: Readonly<Record<string, unknown>>;
  /** The error that left through the node's `error` port; `outputs` are then empty. */
  readonly error?: RunError | undefined;
  /** Told in the node's events. */
  readonly reason: string;
}

/** The state of a slot before its step has settled. */
export const UNSET: unique symbol = Symbol('unset');
/** An output that was left out, or whose step was skipped: edges from it are dead. */
export const DEAD: unique symbol = Symbol('dead');

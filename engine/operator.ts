import { z } from 'zod';
import type {
  DerivedPorts,
  Effects,
  OperatorExample,
  OperatorInfo,
  OutputPort,
  PortKind,
} from '#shared/catalog.ts';
import type { InferRules } from '#shared/type-rule.ts';
import type { LogLevel } from '#shared/run-event.ts';
import type { WaitFor } from './host.ts';
import type { Asker, Services } from './services.ts';

export { WeftError } from './errors.ts';
export type { WaitFor } from './host.ts';
export { askedWait, MAX_ASKED_WAIT_MS } from './retry-after.ts';
export { isTransient } from './transient.ts';
export { END, ItemStream, itemStream, PENDING } from './item-stream.ts';
export { toText } from './text.ts';
export type { HttpRequest, HttpResponse } from './services.ts';

/**
 * How an operator is written: one file in `operators/<group>/<name>.ts` that default-exports `defineOperator({...})`.
 * Params, ports, form, docs page, connection rules and behaviour all derive from this one object.
 */

export interface InputSpec<
  T = unknown,
  Required extends boolean = boolean,
  Many extends string | undefined = undefined,
> {
  readonly doc?: string;
  readonly kind: PortKind;
  readonly required: Required;
  readonly many: Many;
  readonly schema: z.ZodType | undefined;
  /** Carries the value's type only; never set. */
  readonly type?: T;
}

export interface OutputSpec<T = unknown> {
  readonly doc?: string;
  readonly kind: PortKind;
  readonly schema: z.ZodType | undefined;
  readonly when?: OutputPort['when'];
  /** Carries the value's type only; never set. */
  readonly type?: T;
}

interface PortOptions<T> {
  doc?: string;
  kind?: PortKind;
  schema?: z.ZodType<T>;
}

/** An input that needs one live edge. */
export function input<T = unknown>(o: PortOptions<T> = {}): InputSpec<T, true> {
  return { ...o, kind: o.kind ?? 'value', schema: o.schema, required: true, many: undefined };
}

/** An input that may stay without a live edge; its value is then `undefined`. */
export function optionalInput<T = unknown>(o: PortOptions<T> = {}): InputSpec<T, false> {
  return { ...o, kind: o.kind ?? 'value', schema: o.schema, required: false, many: undefined };
}

/** An input that takes many edges; its value is the array of the live ones in edge order. */
export function manyInput<T = unknown, M extends 'any' | 'all' = 'any'>(
  many: M,
  o: PortOptions<T> = {},
): InputSpec<T, true, M> {
  return { ...o, kind: o.kind ?? 'value', schema: o.schema, required: true, many };
}

/** `when`: it has a value only where a param is one of these. */
export function output<T = unknown>(o: PortOptions<T> & { when?: OutputPort['when'] } = {}): OutputSpec<T> {
  return { ...o, kind: o.kind ?? 'value', schema: o.schema };
}

/**
 * A param whose expression the operator evaluates itself, when and as often as it wants, with its own `item` and `index`, and
 * `acc` where it folds items into one value.
 */
export type Lazy<T = unknown> = (local?: { item?: unknown; index?: number; acc?: unknown }) => T;

/**
 * Declares a lazy param in a params schema: in the file it is any value, mostly a text with `{{ }}`; `run` gets a function.
 * JSON Schema cannot say that, so the mark travels as metadata (`weft: 'lazy'`).
 */
export function lazy<T = unknown>(doc: string): z.ZodType<Lazy<T>> {
  return z.unknown().describe(doc).meta({ weft: 'lazy' }) as unknown as z.ZodType<Lazy<T>>;
}

/** A param in which `{{ }}` is plain text and which no expression may make: a schema, a piece of code. */
export function literal<S extends z.ZodType>(schema: S): S {
  return schema.meta({ ...schema.meta(), weft: 'literal' }) as S;
}

/** What a run answers its caller with. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly body: unknown;
}

/** The request a run started from, as expressions see it under `trigger`. */
export interface TriggerRequest {
  readonly method?: string;
  readonly body?: unknown;
  readonly query?: unknown;
  readonly params?: unknown;
  readonly headers?: unknown;
}

/** Which part of a step, and which attempt at it, from 1. */
export interface PartOfStep {
  readonly index: number;
  readonly attempt: number;
  readonly signal: AbortSignal;
}

/** What `run` gets. `signal` and `inputs` are made when first read; destructure only what you use. */
export interface Call<P = unknown, I = Record<string, unknown>, In = unknown> {
  readonly params: P;
  /** The value of the only input; with several inputs, of the first one. */
  readonly input: In;
  /** Values by port; absent optional inputs are left out. */
  readonly inputs: I;
  /** Aborts when the run or this attempt ends early. */
  readonly signal: AbortSignal;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** The same over all attempts of this node in this run. */
  readonly idempotencyKey: string;
  readonly node: string;
  readonly trigger: TriggerRequest;
  readonly vars: Readonly<Record<string, unknown>>;
  /** Where the node runs once for each item of a stream: the item, and its place from 0. */
  readonly item: unknown;
  readonly index: number | undefined;
  log(level: LogLevel, text: string, data?: unknown): void;
  /** Waits; rejects at once when `signal` aborts. */
  sleep(ms: number): Promise<void>;
  /**
   * For operators with `effects: 'wait'`, once an attempt: waits for a time (gives undefined) or for people (gives their answer,
   * undefined when nobody gave one in time), also over restarts. Rejects with `needs_durable` where a run is kept in memory
   * only and people are asked, and when `signal` aborts.
   */
  wait(what: WaitFor): Promise<unknown>;
  /**
   * Carries out a part of this step, such as an item of a loop. In a durable run what it gave is recorded by itself: where the
   * step is carried out again, such a part is not. Else `fn` is called, and what it gives is given on.
   */
  part(of: PartOfStep, fn: () => unknown): unknown;
  /** Answers the caller; a second answer in one run is the error `second_response`. */
  respond(answer: Answer): void;
  now(): number;
  random(): number;
  /** Who this call is, for services. */
  readonly asker: Asker;
  /** What the host offers under this name; throws `service_missing` where it offers none. */
  service<K extends keyof Services>(name: K): NonNullable<Services[K]>;
}

type InputsOf<I extends Record<string, InputSpec<unknown, boolean, string | undefined>>> = {
  [K in keyof I as I[K] extends InputSpec<unknown, true, string | undefined> ? K : never]: InputValue<I[K]>;
} & { [K in keyof I as I[K] extends InputSpec<unknown, false> ? K : never]?: InputValue<I[K]> };

type InputValue<S> =
  S extends InputSpec<infer T, boolean, infer M> ? (M extends 'any' | 'all' ? T[] : T) : never;

type FirstInput<I> = I extends Record<string, never> ? undefined : InputValue<I[keyof I]>;

type OutputValue<S> = S extends OutputSpec<infer T> ? T : never;

type IsSingle<T, K = keyof T> = [K] extends [never] ? false : IsUnion<K> extends true ? false : true;
type IsUnion<T, U = T> = T extends unknown ? ([U] extends [T] ? false : true) : never;

/**
 * With exactly one declared output `run` returns its value; with several (or derived ones) a record of the live ones.
 * `undefined`, or a port left out of the record, makes that output dead, which skips what hangs on it.
 */
type Result<O, Derived> = Derived extends DerivedPorts
  ? Record<string, unknown>
  : keyof O extends never
    ? void
    : IsSingle<O> extends true
      ? OutputValue<O[keyof O]> | AsyncIterable<unknown> | undefined
      : { [K in keyof O]?: OutputValue<O[K]> | AsyncIterable<unknown> };

export interface OperatorSpec<
  P extends z.ZodType,
  I extends Record<string, InputSpec<unknown, boolean, string | undefined>>,
  O extends Record<string, OutputSpec>,
  DO extends DerivedPorts | undefined,
> {
  title: string;
  /** One to three sentences: what it does and when to use it. */
  doc: string;
  /** A lucide icon name. */
  icon: string;
  params: P;
  inputs: I;
  outputs: O;
  /** Further inputs named by a param (a join's). */
  derivedInputs?: DerivedPorts;
  /** Further outputs named by a param (a switch's). */
  derivedOutputs?: DO;
  /** The types of its outputs as data; an output without a rule is what its schema says. */
  infer?: InferRules;
  /**
   * `pure`: recomputed freely, deterministic, fast; must be written `async` when it awaits. `read`: looks at the outside.
   * `write`: changes it. `wait`: may take days.
   */
  effects: Effects;
  /** Other effects where a param is one of these, such as a method that only reads. */
  effectsByParam?: OperatorInfo['effectsByParam'];
  trigger?: boolean;
  sink?: boolean;
  respond?: boolean;
  lift?: boolean;
  exclusive?: boolean;
  /** A write that is tried again happens once, unless the boolean param `keyParam` is false. */
  idempotent?: boolean;
  keyParam?: string;
  examples: OperatorExample[];
  /** Absent on triggers: their output is what the run started with. */
  run?(call: Call<z.output<P>, InputsOf<I>, FirstInput<I>>): Result<O, DO> | Promise<Result<O, DO>>;
}

/** The type-erased form that the engine works with. */
export interface Operator {
  readonly title: string;
  readonly doc: string;
  readonly icon: string;
  readonly params: z.ZodType;
  readonly inputs: Readonly<Record<string, InputSpec<unknown, boolean, string | undefined>>>;
  readonly outputs: Readonly<Record<string, OutputSpec>>;
  readonly derivedInputs?: DerivedPorts;
  readonly derivedOutputs?: DerivedPorts;
  readonly infer?: InferRules;
  readonly effects: Effects;
  readonly effectsByParam?: OperatorInfo['effectsByParam'];
  readonly trigger?: boolean;
  readonly sink?: boolean;
  readonly respond?: boolean;
  readonly lift?: boolean;
  readonly exclusive?: boolean;
  readonly idempotent?: boolean;
  readonly keyParam?: string;
  readonly examples: readonly OperatorExample[];
  readonly run?: (call: Call) => unknown;
  /** Not one of ours: what it gives is copied and, unless it is pure, recorded (`foreign/foreign.ts`). */
  readonly foreign?: boolean;
  /** The code-first flow whose inline function it is. */
  readonly flow?: string;
}

/** Checks the types of an operator file and gives the erased form. */
export function defineOperator<
  const P extends z.ZodType,
  const I extends Record<string, InputSpec<unknown, boolean, string | undefined>>,
  const O extends Record<string, OutputSpec>,
  const DO extends DerivedPorts | undefined = undefined,
>(spec: OperatorSpec<P, I, O, DO>): Operator {
  return spec as unknown as Operator;
}

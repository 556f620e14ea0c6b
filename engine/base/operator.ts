import { z } from 'zod';
import type {
  DerivedPorts,
  Effects,
  InputPort,
  OperatorExample,
  OperatorInfo,
  OutputPort,
  PortKind,
  Purpose,
} from '#shared/catalog.ts';
import type { InferRules } from '#shared/type-rule.ts';
import type { LogLevel } from '#shared/run-event.ts';
import type { LoopStretches, PartName, Strand, WaitFor } from './strand.ts';
import type { Asker, Services } from './services.ts';
import type { ServiceWebhook } from '#shared/service-trigger.ts';
import type { Hook } from './hook-service.ts';
import type { SourceCall } from './source.ts';

export { isTransient, WeftError } from './errors.ts';
export type { PartName, Strand, StrandPart, WaitFor } from './strand.ts';
export { askedWait, MAX_ASKED_WAIT_MS } from './retry-after.ts';
export { END, ItemStream, itemStream, PENDING } from './item-stream.ts';
export type { Cell } from './document-service.ts';
export type { SourceCall } from './source.ts';
export { toText } from './text.ts';
export type { NewFile } from './file-services.ts';
export type { HttpRequest, HttpResponse, Signing } from './services.ts';

/**
 * How an operator is written: one file in `operators/<group>/<name>.ts` that default-exports `defineOperator({...})`.
 * Params, ports, form, docs page, connection rules and behaviour all derive from this one object.
 */

/** An input as `input`, `optionalInput` or `manyInput` makes it; `T` is the type of its value. */
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
  /** Only carries the value's type; never set. */
  readonly type?: T;
}

/** An output as `output` makes it; `T` is the type of its value, or of the items of its stream. */
export interface OutputSpec<T = unknown> {
  readonly doc?: string;
  readonly kind: PortKind;
  readonly schema: z.ZodType | undefined;
  readonly when?: OutputPort['when'];
  /** Only carries the value's type; never set. */
  readonly type?: T;
}

type ManyEdges = NonNullable<InputPort['many']>;

interface PortOptions<T> {
  doc?: string;
  kind?: PortKind;
  schema?: z.ZodType<T>;
}

/** An input that needs one live edge. */
export function input<T = unknown>(o: PortOptions<T> = {}): InputSpec<T, true> {
  return { ...o, kind: o.kind ?? 'value', schema: o.schema, required: true, many: undefined };
}

/** An input that may have no live edge; its value is then `undefined`. */
export function optionalInput<T = unknown>(o: PortOptions<T> = {}): InputSpec<T, false> {
  return { ...o, kind: o.kind ?? 'value', schema: o.schema, required: false, many: undefined };
}

/** An input for many edges; its value is the array of the live ones in edge order. */
export function manyInput<T = unknown, M extends ManyEdges = 'any'>(
  many: M,
  o: PortOptions<T> = {},
): InputSpec<T, true, M> {
  return { ...o, kind: o.kind ?? 'value', schema: o.schema, required: true, many };
}

/** An output; with `when` it has a value only if a param has one of the values named there. */
export function output<T = unknown>(o: PortOptions<T> & { when?: OutputPort['when'] } = {}): OutputSpec<T> {
  return { ...o, kind: o.kind ?? 'value', schema: o.schema };
}

/**
 * A param whose expression the operator evaluates itself, when and as often as it needs, with its own `item` and `index`,
 * and with `acc` if it folds items into one value.
 */
export type Lazy<T = unknown> = (local?: { item?: unknown; index?: number; acc?: unknown }) => T;

/**
 * Declares a lazy param in a params schema: in the file it is any value, usually a text with `{{ }}`; `run` gets a function.
 * JSON Schema cannot express that, so the mark is metadata (`weft: 'lazy'`).
 */
export function lazy<T = unknown>(doc: string): z.ZodType<Lazy<T>> {
  return z.unknown().describe(doc).meta({ weft: 'lazy' }) as unknown as z.ZodType<Lazy<T>>;
}

/** A param in which `{{ }}` is plain text and that no expression can compute: a schema, a piece of code. */
export function literal<S extends z.ZodType>(schema: S): S {
  return schema.meta({ ...schema.meta(), weft: 'literal' }) as S;
}

/** The answer of a run to its caller. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly body: unknown;
}

/** The request that started a run, as expressions see it under `trigger`. */
export interface TriggerRequest {
  readonly method?: string;
  readonly body?: unknown;
  readonly query?: unknown;
  readonly params?: unknown;
  readonly headers?: unknown;
  /** What the caller's JSON Web Token says, if the trigger asks for one. */
  readonly claims?: unknown;
}

/** A part of a step, as `Call.part` executes it. */
export interface PartOfStep extends PartName {
  readonly signal: AbortSignal;
  /** The value that the part works on. */
  readonly input?: unknown;
}

/** Runs the body of a node. */
export interface BodyRunner {
  /**
   * Runs it once and returns its result, or a promise of it if that takes more than this turn; null if it has none. `key` is the
   * prefix of the idempotency keys; `round` and the `attempt` at it, from 1, tell runs of one loop apart. Throws the error of the run.
   */
  run(start: {
    readonly input: unknown;
    readonly key: string;
    readonly signal: AbortSignal;
    readonly timeoutMs?: number | undefined;
    readonly round?: number | undefined;
    readonly attempt?: number | undefined;
  }): unknown;
  /** Waits after a round, in milliseconds; in a durable run also over restarts, and only once. */
  pause(ms: number, round: number): Promise<unknown>;
}

/** The argument of `run`. `signal` and `inputs` are created when first read; destructure only what you use. */
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
  /** Unchanged over all attempts of this node in this run. */
  readonly idempotencyKey: string;
  readonly node: string;
  readonly trigger: TriggerRequest;
  readonly vars: Readonly<Record<string, unknown>>;
  /** If the node runs once per item of a stream: the item, and its index from 0. */
  readonly item: unknown;
  readonly index: number | undefined;
  log(level: LogLevel, text: string, data?: unknown): void;
  /** Waits; rejects at once when `signal` aborts. */
  sleep(ms: number): Promise<void>;
  /**
   * For operators with `effects: 'wait'`, once per attempt: waits for a time (returns undefined) or for people (returns their
   * answer, or undefined if no answer came in time), even over restarts. Rejects when `signal` aborts, and with `needs_durable`
   * if people are asked in a run that is only in memory.
   */
  wait(what: WaitFor): Promise<unknown>;
  /**
   * Executes a part of this step, such as an item of a loop. In a durable run the part's result is recorded separately, so
   * the part is not executed again with the step. In other runs `fn` is just called and its result returned.
   */
  part(of: PartOfStep, fn: () => unknown): unknown;
  /** In a durable run: what is recorded of its loop as a whole, see `loopItems`. */
  readonly stretches?: LoopStretches | undefined;
  /** Begins work within this step whose parts and waits have records of their own. */
  strand(): Strand;
  /** The node's body; undefined if it has none. */
  readonly body: BodyRunner | undefined;
  /** Answers the caller; a second answer in one run fails with `second_response`. */
  respond(answer: Answer): void;
  now(): number;
  random(): number;
  /** Identifies this call to services. */
  readonly asker: Asker;
  /** The host's service of this name; throws `service_missing` if it has none, `package_not_declared` if a package did not declare it. */
  service<K extends keyof Services>(name: K): NonNullable<Services[K]>;
}

type InputsOf<I extends Record<string, InputSpec<unknown, boolean, string | undefined>>> = {
  [K in keyof I as I[K] extends InputSpec<unknown, true, string | undefined> ? K : never]: InputValue<I[K]>;
} & { [K in keyof I as I[K] extends InputSpec<unknown, false> ? K : never]?: InputValue<I[K]> };

type InputValue<S> = S extends InputSpec<infer T, boolean, infer M> ? (M extends ManyEdges ? T[] : T) : never;

type FirstInput<I> = I extends Record<string, never> ? undefined : InputValue<I[keyof I]>;

type OutputValue<S> = S extends OutputSpec<infer T> ? T : never;

type IsSingle<T, K = keyof T> = [K] extends [never] ? false : IsUnion<K> extends true ? false : true;
type IsUnion<T, U = T> = T extends unknown ? ([U] extends [T] ? false : true) : never;

/**
 * With exactly one declared output `run` returns its value; with several (or derived ones) a record of the live ones.
 * `undefined`, or a port left out of the record, makes that output dead, so the nodes after it are skipped.
 */
type Result<O, Derived> = Derived extends DerivedPorts
  ? Record<string, unknown>
  : keyof O extends never
    ? void
    : IsSingle<O> extends true
      ? OutputValue<O[keyof O]> | AsyncIterable<unknown> | undefined
      : { [K in keyof O]?: OutputValue<O[K]> | AsyncIterable<unknown> };

/** An operator as its file declares it; `defineOperator` checks and completes it. */
export interface OperatorSpec<
  P extends z.ZodType,
  I extends Record<string, InputSpec<unknown, boolean, string | undefined>>,
  O extends Record<string, OutputSpec>,
  DO extends DerivedPorts | undefined,
> {
  title: string;
  /** One to three sentences: what it does and when to use it. */
  doc: string;
  /** The name of an icon of lucide.dev/icons, or the path of an SVG on a field of 24 × 24, which is drawn as a line. */
  icon: string;
  /**
   * What a node of it does, in one line with its params: `{method} {url|url}`, `{cases: {when} → {name}}`, `[ · {model}]` for what
   * is left out when the param is empty. `shared/summary-formats.ts` has the formats.
   */
  summary?: string;
  /** Other words by which people look for it, such as those of other tools, separated by commas. */
  synonyms?: string;
  /** What it is for, which gives it its colour; by default its group says it. */
  purpose?: Purpose;
  params: P;
  /**
   * Params that few nodes need, by a word for what they are about: `{ Limits: ['maxBytes'] }`. The form offers them under *Add
   * option*; three to five others, the essentials, are always there.
   */
  options?: Readonly<Record<string, readonly (keyof z.output<P> & string)[]>>;
  inputs: I;
  outputs: O;
  /** More inputs, named by a param (a join's). */
  derivedInputs?: DerivedPorts;
  /** More outputs, named by a param (a switch's). */
  derivedOutputs?: DO;
  /** The types of its outputs as data. An output without a rule has the type of its schema. */
  infer?: InferRules;
  /**
   * `pure`: recomputed freely, deterministic, fast; must be declared `async` if it awaits. `read`: reads from the outside.
   * `write`: changes the outside. `wait`: may take days.
   */
  effects: Effects;
  /** Other effects if a param has one of these values, such as a method that only reads. */
  effectsByParam?: OperatorInfo['effectsByParam'];
  trigger?: boolean;
  sink?: boolean;
  respond?: boolean;
  lift?: boolean;
  /** At most one output has a value in a run: always, or unless a boolean param, which no expression computes, is true. */
  exclusive?: OperatorInfo['exclusive'];
  /** Whether its nodes may, usually, or must have a `body`, which it runs by `call.body`. */
  body?: OperatorInfo['body'];
  /** With `effects: 'wait'`: it usually waits only for a moment, so a run is not durable for its sake. */
  brief?: boolean;
  /**
   * Its output depends on more than params and inputs (the caller, the run), so a cache needs a key: always, or if the
   * text of a param has one of these words.
   */
  readsRun?: OperatorInfo['readsRun'];
  /** Its own failures can be temporary only if the text of a param contains one of these words. */
  retriesBy?: OperatorInfo['retriesBy'];
  /** A retried write happens only once, unless the boolean param `keyParam` is false. */
  idempotent?: boolean;
  keyParam?: string;
  /** The operator to use instead, and the new names of its params and ports. Flows that use this one go on. */
  replacedBy?: OperatorInfo['replacedBy'];
  examples: OperatorExample[];
  /** Absent on triggers: their output is the input of the run. */
  run?(call: Call<z.output<P>, InputsOf<I>, FirstInput<I>>): Result<O, DO> | Promise<Result<O, DO>>;
  /**
   * Makes a trigger a source: called when its flow goes live, and again, after a pause, when it ends or throws before
   * `signal` aborts.
   */
  listen?(call: SourceCall<z.output<P>>): Promise<void>;
}

/** How a service calls a source, and how the source takes its address back. */
export interface CalledSource {
  readonly webhook: ServiceWebhook;
  /** The flow is no longer live: the service is to forget the address. Throws the errors of requests. */
  leave(call: SourceCall, hook: Hook): Promise<void>;
}

/** The type-erased form that the engine works with. */
export interface Operator {
  readonly title: string;
  readonly doc: string;
  readonly icon: string;
  readonly summary?: string;
  readonly synonyms?: string;
  readonly purpose?: Purpose;
  readonly params: z.ZodType;
  readonly options?: Readonly<Record<string, readonly string[]>>;
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
  readonly exclusive?: OperatorInfo['exclusive'];
  readonly body?: OperatorInfo['body'];
  readonly brief?: boolean;
  readonly readsRun?: OperatorInfo['readsRun'];
  readonly retriesBy?: OperatorInfo['retriesBy'];
  readonly idempotent?: boolean;
  readonly keyParam?: string;
  readonly replacedBy?: OperatorInfo['replacedBy'];
  readonly examples: readonly OperatorExample[];
  readonly run?: (call: Call) => unknown;
  readonly listen?: (call: SourceCall) => Promise<void>;
  /** For a source that a service calls. */
  readonly called?: CalledSource;
  /** The npm package that it comes from. */
  readonly package?: string;
  /** Not built in: its outputs are copied and, unless it is pure, recorded (`foreign/foreign.ts`). */
  readonly foreign?: boolean;
  /** The code-first flow that this inline function belongs to. */
  readonly flow?: string;
}

/** Checks the types of an operator file and returns the type-erased form. */
export function defineOperator<
  const P extends z.ZodType,
  const I extends Record<string, InputSpec<unknown, boolean, string | undefined>>,
  const O extends Record<string, OutputSpec>,
  const DO extends DerivedPorts | undefined = undefined,
>(spec: OperatorSpec<P, I, O, DO>): Operator {
  return spec as unknown as Operator;
}

/** The access of the operators of a package to the server. */
export interface PackageLimits {
  /** The name of the package. */
  readonly package: string;
  /** Hosts that requests may go to: `api.example.com`, with a port if it is not the usual one, `*.example.com`, `*`. */
  readonly hosts: readonly string[];
  /** Kinds of connections that may be used, as far as they are granted. */
  readonly connections: readonly string[];
  /** Services besides those that reach nothing. */
  readonly services: readonly (keyof Services)[];
}

const limitsByAsker = new WeakMap<object, PackageLimits>();

/** Marks the caller as an operator of a package. */
export function notePackage(by: Asker, limits: PackageLimits): void {
  limitsByAsker.set(by, limits);
}

/** The limits of the package whose operator asks; undefined for all other operators. */
export function packageOf(by: object): PackageLimits | undefined {
  return limitsByAsker.get(by);
}

import { z } from 'zod';
import type { JsonSchema } from './json.ts';
import { InferRules } from './type-rule.ts';

/**
 * The operators as plain JSON: what `check`, the editor's palette and forms, and the reference pages read.
 * Nothing here can run; `engine/catalog/registry.ts` makes it from the operator files.
 */

export const PortKind = z.enum(['value', 'stream', 'either']);
export type PortKind = z.infer<typeof PortKind>;

const schema = z.custom<JsonSchema>((v) => typeof v === 'object' && v !== null);

export const InputPort = z.object({
  name: z.string(),
  doc: z.string().optional(),
  kind: PortKind,
  required: z.boolean(),
  /**
   * `any`: live as soon as one edge is, and gets the live values in edge order. `all`: needs all its edges. `first`: like
   * `any`, and what leads only to a later edge runs only if no earlier edge brought a value other than null.
   */
  many: z.enum(['any', 'all', 'first']).optional(),
  schema: schema.optional(),
});
export type InputPort = z.infer<typeof InputPort>;

export const OutputPort = z.object({
  name: z.string(),
  doc: z.string().optional(),
  /** `either`: a stream if and only if the operator's input is one. */
  kind: PortKind,
  schema: schema.optional(),
  /** It has a value only if this param has one of these values. */
  when: z.object({ param: z.string(), is: z.array(z.string()) }).optional(),
});
export type OutputPort = z.infer<typeof OutputPort>;

/**
 * Ports that one param defines, as data. The param is an array whose elements are a port name or an object with the name in
 * `nameKey` and, for inputs, an optional boolean in `requiredKey`; or an object whose keys are the names.
 */
export const DerivedPorts = z.object({
  param: z.string(),
  nameKey: z.string().optional(),
  requiredKey: z.string().optional(),
  kind: PortKind,
  doc: z.string().optional(),
});
export type DerivedPorts = z.infer<typeof DerivedPorts>;

export const Effects = z.enum(['pure', 'read', 'write', 'wait']);
export type Effects = z.infer<typeof Effects>;

/** What an operator is for. Each purpose has one colour, in which people find it again everywhere. */
export const Purpose = z.enum(['trigger', 'model', 'data', 'store', 'outside', 'logic', 'people', 'code']);
export type Purpose = z.infer<typeof Purpose>;

export const OperatorExample = z.object({
  title: z.string(),
  params: z.record(z.string(), z.unknown()).optional(),
  inputs: z.record(z.string(), z.unknown()).optional(),
  outputs: z.record(z.string(), z.unknown()).optional(),
  /** The error code that the example ends with, in place of outputs. */
  error: z.string().optional(),
});
export type OperatorExample = z.infer<typeof OperatorExample>;

/** What is an icon's drawing rather than its name. */
export const ICON_DRAWING = /^[Mm] ?-?[\d.][-+\d.,\seEaAcChHlLmMqQsStTvVzZ]*$/;

const Renames = z.record(z.string(), z.string());

/** The operator that took the place of another one, with the new names of its params and ports; what is not named has kept its name. */
export const ReplacedBy = z.object({
  operator: z.string(),
  map: z
    .object({ params: Renames.optional(), inputs: Renames.optional(), outputs: Renames.optional() })
    .optional(),
});
export type ReplacedBy = z.infer<typeof ReplacedBy>;

export const OperatorInfo = z.object({
  /** `group.name`, from the path of its file: `engine/operators/text/template.ts` is `text.template`. */
  type: z.string(),
  title: z.string(),
  doc: z.string(),
  /** The name of a lucide icon, or a drawing of the operator's own: the path of an SVG on a field of 24 × 24, drawn as a line. */
  icon: z.string(),
  /** The icon as such a path. The server adds it for the editor; it is absent where no editor was built. */
  drawing: z.string().optional(),
  /** What a node of it does, in one line with its params (`summary.ts`). */
  summary: z.string().optional(),
  /** Other words by which people look for it. */
  synonyms: z.array(z.string()).optional(),
  /** What it is for, if its group does not say it (`purpose.ts`). */
  purpose: Purpose.optional(),
  group: z.string(),
  /** The service that it belongs to, if it is a call or a trigger of one (`service-file.ts`), with its colour. */
  service: z.object({ title: z.string(), color: z.string() }).optional(),
  params: schema,
  /** Params that few nodes need, by the group under which the form adds them. What is not named here is always shown. */
  options: z.record(z.string(), z.array(z.string())).optional(),
  inputs: z.array(InputPort),
  outputs: z.array(OutputPort),
  derivedInputs: DerivedPorts.optional(),
  derivedOutputs: DerivedPorts.optional(),
  /** Types of the outputs. An output without a rule has the type of its schema. */
  infer: InferRules.optional(),
  effects: Effects,
  /** Other effects if a param has one of these values. */
  effectsByParam: z.object({ name: z.string(), cases: z.record(z.string(), Effects) }).optional(),
  /** Outputs depend on more than params and inputs: always, or if a param's text has one of these words. */
  readsRun: z
    .union([z.literal(true), z.object({ param: z.string(), words: z.array(z.string()) })])
    .optional(),
  /** Its own failures may pass only if a param's text has one of these words; otherwise `retry` does nothing for them. */
  retriesBy: z.object({ param: z.string(), words: z.array(z.string()) }).optional(),
  /** A run can start at it. */
  trigger: z.boolean(),
  /** A leaf that never counts as a result. */
  sink: z.boolean(),
  /** Answers the caller when it fires. */
  respond: z.boolean(),
  /** Runs once per item if its one input carries a stream. */
  lift: z.boolean(),
  /** Whether nodes of it may, usually, or must have a `body`. */
  body: z.enum(['optional', 'usual', 'required']).optional(),
  /** At most one of its outputs is live in a run; with `unless`, if that boolean param is not true. */
  exclusive: z.union([z.boolean(), z.object({ unless: z.string() })]),
  /** Sends an idempotency key, so that a retried write happens once. */
  idempotent: z.boolean(),
  /** The boolean param that turns that key off. */
  keyParam: z.string().optional(),
  /** Param paths (`cases[].when`) whose expressions the operator evaluates itself, when and as often as it needs. */
  lazyParams: z.array(z.string()),
  /** Params in which `{{ }}` is plain text (a request schema, the code of a node). */
  literalParams: z.array(z.string()),
  examples: z.array(OperatorExample),
  /** A trigger that starts runs by itself while its flow is live. */
  source: z.boolean().optional(),
  /** Its service calls an address of ours: the trigger registers it (`itself`), or a person enters it there (`hand`). */
  called: z.enum(['itself', 'hand']).optional(),
  /** No palette offers it; flows that use it go on, and `check` offers the other operator. */
  replacedBy: ReplacedBy.optional(),
  /** The npm package that it comes from. */
  package: z.string().optional(),
  /** The code-first flow that this inline function belongs to. No other flow may use it, and no palette offers it. */
  flow: z.string().optional(),
});
export type OperatorInfo = z.infer<typeof OperatorInfo>;

/** The facts of an operator that only computes and says nothing else of itself. */
export const PLAIN_FACTS = {
  effects: 'pure',
  trigger: false,
  sink: false,
  respond: false,
  lift: false,
  exclusive: false,
  idempotent: false,
  lazyParams: [],
  literalParams: [],
  examples: [],
} satisfies Partial<OperatorInfo>;

export const Catalog = z.object({ operators: z.record(z.string(), OperatorInfo) });
export type Catalog = z.infer<typeof Catalog>;

type Operators = Catalog['operators'];

/** Operators with more, which come in place of others of the same type. What is described when it is first read stays so. */
export function withOperators(operators: Operators, more: Operators): Operators {
  const all = { ...Object.getOwnPropertyDescriptors(operators), ...Object.getOwnPropertyDescriptors(more) };
  return Object.defineProperties({}, all) as Operators;
}

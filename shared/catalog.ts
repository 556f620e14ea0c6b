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
  /** `any`: live when one edge is, gets the live values in edge order. `all`: needs all of its edges. */
  many: z.enum(['any', 'all']).optional(),
  schema: schema.optional(),
});
export type InputPort = z.infer<typeof InputPort>;

export const OutputPort = z.object({
  name: z.string(),
  doc: z.string().optional(),
  /** `either`: a stream exactly when the operator's input is one. */
  kind: PortKind,
  schema: schema.optional(),
  /** It has a value only where a param is one of these. */
  when: z.object({ param: z.string(), is: z.array(z.string()) }).optional(),
});
export type OutputPort = z.infer<typeof OutputPort>;

/**
 * Ports that come from one param, as data. The param is an array whose elements are a port name or an object with
 * the name in `nameKey` and, for inputs, an optional boolean in `requiredKey`; or an object whose keys are the names.
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

export const OperatorExample = z.object({
  title: z.string(),
  params: z.record(z.string(), z.unknown()).optional(),
  inputs: z.record(z.string(), z.unknown()).optional(),
  outputs: z.record(z.string(), z.unknown()).optional(),
  /** The error code that the example ends with, instead of outputs. */
  error: z.string().optional(),
});
export type OperatorExample = z.infer<typeof OperatorExample>;

export const OperatorInfo = z.object({
  /** `group.name`, from the file's place: `engine/operators/text/template.ts` is `text.template`. */
  type: z.string(),
  title: z.string(),
  doc: z.string(),
  icon: z.string(),
  group: z.string(),
  params: schema,
  inputs: z.array(InputPort),
  outputs: z.array(OutputPort),
  derivedInputs: DerivedPorts.optional(),
  derivedOutputs: DerivedPorts.optional(),
  /** The types of its outputs; an output without a rule is what its schema says. */
  infer: InferRules.optional(),
  effects: Effects,
  /** Other effects where a param is one of these. */
  effectsByParam: z.object({ name: z.string(), cases: z.record(z.string(), Effects) }).optional(),
  /** A run can start here. */
  trigger: z.boolean(),
  /** As a leaf it is no result. */
  sink: z.boolean(),
  /** Answers the caller when it fires. */
  respond: z.boolean(),
  /** Runs once per item when its one input carries a stream. */
  lift: z.boolean(),
  /** At most one of its outputs is live in a run. */
  exclusive: z.boolean(),
  /** Passes an idempotency key on, so that a retried write happens once. */
  idempotent: z.boolean(),
  /** The boolean param that turns that key off. */
  keyParam: z.string().optional(),
  /** Param paths (`cases[].when`) whose expressions are evaluated by the operator itself, when and as often as it wants. */
  lazyParams: z.array(z.string()),
  /** Params in which `{{ }}` is plain text (a request schema, a code body). */
  literalParams: z.array(z.string()),
  examples: z.array(OperatorExample),
  /** The code-first flow whose inline function it is; no other flow may use it, and no palette offers it. */
  flow: z.string().optional(),
});
export type OperatorInfo = z.infer<typeof OperatorInfo>;

export const Catalog = z.object({ operators: z.record(z.string(), OperatorInfo) });
export type Catalog = z.infer<typeof Catalog>;

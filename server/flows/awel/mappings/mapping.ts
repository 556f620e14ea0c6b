import type { FlowNode } from '#shared/flow.ts';
import type { FlowFacts, Note, Original } from '../original.ts';

/** Extra nodes around a node: one step of DB-GPT may need several here. */
export interface Around {
  /** A node before its first input. */
  readonly front?: FlowNode | undefined;
  /** A node after its first output. */
  readonly behind?: FlowNode | undefined;
  /** Makes its second output from its first one. */
  readonly view?: FlowNode | undefined;
  /** Combines the values of its inputs from the second one on, which it reads as fields of the first. */
  readonly extras?: ((inputs: readonly string[]) => FlowNode) | undefined;
}

/** How one operator of DB-GPT becomes one of ours. */
export interface Mapping {
  readonly operator: string;
  /** Our ports in the order of DB-GPT's; `in` and `out` if omitted. */
  readonly inputs?: readonly string[];
  readonly outputs?: readonly string[];
  /** All inputs in DB-GPT are edges of our first one, in their order. */
  readonly many?: true;
  /** Our params; parameters of DB-GPT that ours cannot express are noted. */
  params?(from: Original, flow: FlowFacts, note: Note): Record<string, unknown>;
  /** Extra nodes around it, if DB-GPT does more in one step. */
  around?(from: Original, flow: FlowFacts): Around;
}

/** Mappings by DB-GPT's name of the operator. */
export type Mappings = Readonly<Record<string, Mapping>>;

/** A literal text, even if it contains `{{`. */
export function literalText(text: string): string {
  return text.replaceAll('{{', '\\{{');
}

/** An expression that reads a field of `root`; `path` is one name or several with dots. */
export function readField(root: string, path: readonly string[]): string {
  const steps = path.map((name) => (/^[a-z_]\w*$/i.test(name) ? `.${name}` : `[${quoted(name)}]`));
  return `{{ ${root}${steps.join('')} }}`;
}

/** Quotes a text for an expression, which braces would end. */
export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('}', '\\u007d').replaceAll('{', '\\u007b');
}

export function only<T>(
  value: T | undefined,
  make: (value: T) => Record<string, unknown>,
): Record<string, unknown> {
  return value === undefined ? {} : make(value);
}

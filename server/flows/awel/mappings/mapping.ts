import type { FlowNode } from '#shared/flow.ts';
import type { FlowFacts, Note, Original } from '../original.ts';

/** Extra nodes around a node: one step of the original may take several here. */
export interface Around {
  /** Before its first input. */
  readonly front?: FlowNode | undefined;
  /** After its first output. */
  readonly behind?: FlowNode | undefined;
  /** Makes its second output from its first one. */
  readonly view?: FlowNode | undefined;
  /** Combines the values of its inputs from the second one on, which it reads as fields of the first. */
  readonly extras?: ((inputs: readonly string[]) => FlowNode) | undefined;
}

/** How one operator of the original becomes one of ours. */
export interface Mapping {
  readonly operator: string;
  /** Our ports in the order of the original's; `in` and `out` if omitted. */
  readonly inputs?: readonly string[];
  readonly outputs?: readonly string[];
  /** All inputs of the original are edges of our first one, in their order. */
  readonly many?: true;
  /** Our params; parameters of the original that ours cannot express are noted. */
  params?(from: Original, flow: FlowFacts, note: Note): Record<string, unknown>;
  /** Extra nodes around it, if the original does more in one step. */
  around?(from: Original): Around;
}

/** By the original's name of the operator. */
export type Mappings = Readonly<Record<string, Mapping>>;

/** A text that is meant literally, even if it contains `{{`. */
export function literalText(text: string): string {
  return text.replaceAll('{{', '\\{{');
}

/** An expression that reads a field of `root`; `path` is one name or several with dots. */
export function readField(root: string, path: readonly string[]): string {
  const steps = path.map((name) => (/^[a-z_]\w*$/i.test(name) ? `.${name}` : `[${quoted(name)}]`));
  return `{{ ${root}${steps.join('')} }}`;
}

/** As a text in an expression; braces would end it. */
export function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('}', '\\u007d').replaceAll('{', '\\u007b');
}

export function only<T>(
  value: T | undefined,
  make: (value: T) => Record<string, unknown>,
): Record<string, unknown> {
  return value === undefined ? {} : make(value);
}

import type { Around } from '../import-around.ts';
import type { FlowFacts, Note, Original } from '../original.ts';

/** How one operator of the original becomes one of ours. */
export interface Mapping {
  readonly operator: string;
  /** Our ports in the order of the original's; `in` and `out` where they are left out. */
  readonly inputs?: readonly string[];
  readonly outputs?: readonly string[];
  /** All inputs of the original are edges of our first one, in their order. */
  readonly many?: true;
  /** Our params; what the original's parameters say that ours cannot is noted. */
  params?(from: Original, flow: FlowFacts, note: Note): Record<string, unknown>;
  /** Nodes around it, where the original does more in one step. */
  around?(from: Original): Around;
}

/** By the original's name of the operator. */
export type Mappings = Readonly<Record<string, Mapping>>;

/** A text that is meant as it is written, also where it holds `{{`. */
export function literalText(text: string): string {
  return text.replaceAll('{{', '\\{{');
}

/** An expression that reads a field of `root`; `path` holds one name or, with dots, several. */
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

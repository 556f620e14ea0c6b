import type { JsonSchema } from '#shared/json.ts';

/**
 * A value that an expression of one node can read, with the known facts about it: its value in the run on the canvas, and its schema.
 *
 * ES1. `value` is undefined if and only if that run does not have it; `why` then gives the reason.
 * ES2. `parts` is set if the members are known by name (ports, nodes), and wins over value and schema.
 */
export interface Source {
  readonly value: unknown;
  readonly why?: string | undefined;
  readonly schema?: JsonSchema | undefined;
  readonly parts?: ReadonlyMap<string, Source>;
  /** The node did not run, which is a special value: reading it fails, reading it with `?.` does not. */
  readonly skipped?: boolean;
  readonly doc?: string | undefined;
  /** The list of which `value` is the first item, while a node works on one item at a time. */
  readonly items?: readonly unknown[];
}

/** The parts of a run that expressions need. */
export interface RunValues {
  readonly id: string;
  readonly version: string | undefined;
  readonly startedAt: number;
  /** The trigger that started it, and its output. */
  readonly trigger?: string | undefined;
  readonly input?: unknown;
  readonly nodes: Readonly<Record<string, { status: string; outputs: Readonly<Record<string, unknown>> }>>;
}

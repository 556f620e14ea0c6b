import type { JsonSchema } from '#shared/json.ts';

/** Something that an agent can do besides talking. */
export interface Tool {
  /** Letters, digits, `_` and `-`; at most 64. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments, an object. */
  readonly parameters: JsonSchema;
  /** Carries it out. `args` fit `parameters`; `key` is the same for each attempt. Gives what the agent is told; throws its failure. */
  call(args: Readonly<Record<string, unknown>>, key: string, signal: AbortSignal): Promise<string>;
}

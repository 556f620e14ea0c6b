import type { FileValue } from '#shared/file.ts';
import type { JsonSchema } from '#shared/json.ts';

/** The result of a tool that returns files: its text, and the files, which the run holds. */
export interface ToolOutput {
  readonly text: string;
  readonly files: readonly FileValue[];
}

/** An action that an agent can take besides writing. */
export interface Tool {
  /** Letters, digits, `_` and `-`; at most 64. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments, an object. */
  readonly parameters: JsonSchema;
  /**
   * Executes the tool. `args` fit `parameters`; `key` is the same for each attempt. Returns the text for the agent, or its text and files;
   * throws its failure.
   */
  call(
    args: Readonly<Record<string, unknown>>,
    key: string,
    signal: AbortSignal,
  ): Promise<string | ToolOutput>;
}

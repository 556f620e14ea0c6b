import type { PartName } from '#engine';
import type { FileValue } from '#shared/file.ts';
import type { JsonSchema } from '#shared/json.ts';

/** The result of a tool that returns files: its text, and the files, which the run holds. */
export interface ToolOutput {
  readonly text: string;
  readonly files: readonly FileValue[];
}

/** Where a call of a tool stands: its idempotency key, and its part of the agent's step. */
export interface ToolCallPlace {
  readonly key: string;
  readonly part: PartName;
}

/** An action that an agent can take besides writing. */
export interface Tool {
  /** Letters, digits, `_` and `-`; at most 64. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments, an object. */
  readonly parameters: JsonSchema;
  /** Whether people must approve each call. */
  readonly needsApproval?: boolean | undefined;
  /**
   * Executes the tool. `args` fit `parameters`; `at` is the same for each attempt. Returns the text for the agent, or its text and files;
   * throws its failure.
   */
  call(
    args: Readonly<Record<string, unknown>>,
    at: ToolCallPlace,
    signal: AbortSignal,
  ): Promise<string | ToolOutput>;
}

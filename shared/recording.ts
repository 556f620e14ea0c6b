import { z } from 'zod';
import { Flow, Id } from './flow.ts';
import { RunExport } from './run-api.ts';

/**
 * A run with all that it takes to replay it: what it got from outside is its `tape`, which is the engine's own affair.
 * Secrets are in it as names or not at all.
 */
export const Recording = RunExport.extend({
  format: z.literal('weft.recording/1'),
  /** The flow as it ran; absent where that version is not kept any more. */
  flow: Flow.optional(),
  tape: z.looseObject({ format: z.literal(1), flow: Id, version: z.string(), trigger: Id }),
  /** By node and port: the SHA-256 of the output's canonical JSON in hex. Streams have none. */
  outputs: z.record(z.string(), z.record(z.string(), z.string())),
});
export type Recording = z.infer<typeof Recording>;

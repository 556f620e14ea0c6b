import { z } from 'zod';
import type { JsonSchema } from './json.ts';

const schema = z.custom<JsonSchema>((v) => typeof v === 'object' && v !== null);

/** What a flow takes and gives that is called at one of its triggers, as JSON Schema; absent where it is not known. */
export const FlowSchemas = z.object({
  /** All that it may be called with: also what its trigger makes fit, such as `"3"` for a number. */
  takes: schema.optional(),
  /** Its result; of a streamed one the list of the items. */
  gives: schema.optional(),
  /** An item of its result, or the result itself where that is neither a stream nor a list. */
  givesItems: schema.optional(),
});
export type FlowSchemas = z.infer<typeof FlowSchemas>;

import type { Context } from '../context.ts';
import { createAwelFlows } from '../../awel/awel-flows.ts';
import { fileHandlers } from './file-handlers.ts';
import { readHandlers } from './read-handlers.ts';
import { writeHandlers } from './write-handlers.ts';

/** What answers the original's flows API. */
export function createHandlers(ctx: Context) {
  const flows = createAwelFlows(ctx);
  return { ...readHandlers(ctx, flows), ...writeHandlers(ctx, flows), ...fileHandlers(ctx, flows) };
}

export type Handlers = ReturnType<typeof createHandlers>;

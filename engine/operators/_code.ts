import { z } from 'zod';
import { literal } from '../operator.ts';

/** Characters that the code of a node may have. */
const MAX_SOURCE = 262_144;

/** What code nodes have in common. Nothing of it can be an expression: `{{` in code is code. */
export const codeParams = {
  source: literal(
    z
      .string()
      .max(MAX_SOURCE)
      .describe('The body of the function: `input` and `ctx` are there, and `await`.')
      .meta({ title: 'Code', widget: 'code' }),
  ),
  language: literal(
    z
      .enum(['javascript', 'typescript'])
      .default('typescript')
      .describe('TypeScript may have types, which are taken out and not checked.'),
  ),
  pure: literal(
    z
      .boolean()
      .default(false)
      .describe(
        'Takes the clock, chance, `ctx.fetch` and `ctx.secret` away, so that the same input gives the same result.',
      ),
  ),
  cpuMs: literal(
    z
      .int()
      .min(10)
      .max(10_000)
      .default(250)
      .describe('How long it may compute at a stretch, in milliseconds.')
      .meta({ title: 'Computing time' }),
  ),
};

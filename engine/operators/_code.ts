import { z } from 'zod';
import { literal } from '../base/operator.ts';

/** Maximum length of a node's code, in characters. */
const MAX_SOURCE = 262_144;

/** Params that all code nodes share. None of them can be an expression: `{{` in code is code. */
export const codeParams = {
  source: literal(
    z
      .string()
      .max(MAX_SOURCE)
      .describe('The body of the function. It can use `input`, `ctx` and `await`.')
      .meta({ title: 'Code', widget: 'code' }),
  ),
  language: literal(
    z
      .enum(['javascript', 'typescript'])
      .default('typescript')
      .describe('TypeScript may contain types; they are removed, not checked.'),
  ),
  pure: literal(
    z
      .boolean()
      .default(false)
      .describe(
        'Removes the clock, randomness, timers, `crypto`, files, state, `ctx.fetch` and `ctx.secret`, so that the same input gives the same result.',
      ),
  ),
  cpuMs: literal(
    z
      .int()
      .min(10)
      .max(10_000)
      .default(250)
      .describe('Longest uninterrupted computing time, in milliseconds.')
      .meta({ title: 'Computing time' }),
  ),
};

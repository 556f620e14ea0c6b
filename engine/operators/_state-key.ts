import { z } from 'zod';

/** The owner of the value, and its name. */
export const stateKey = {
  key: z.string().min(1).max(500).describe('The name of the value, a text with expressions.'),
  scope: z
    .enum(['flow', 'shared'])
    .default('flow')
    .describe('Whether the value belongs to this flow, or to all flows together.'),
};

export const stateTtl = z
  .number()
  .min(1)
  .max(10 * 365 * 86_400_000)
  .optional()
  .describe('The value is deleted after this time, in milliseconds; empty means never.')
  .meta({ title: 'Lives for (ms)' });

/** The state service's name for the scope. */
export function scopeOf(scope: 'flow' | 'shared', asker: { readonly flow: string }): string {
  return scope === 'shared' ? '*' : asker.flow;
}

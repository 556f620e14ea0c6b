import { z } from 'zod';

/** The owner of the value, and its name. */
export const stateKey = {
  key: z
    .string()
    .min(1)
    .max(500)
    .describe('The name of the value, a text with expressions.')
    .meta({ widget: 'state-key' }),
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
  .meta({ title: 'Keep for' });

/** The state service's name for the scope: a run that tries a draft never sees or changes what live runs store. */
export function scopeOf(
  scope: 'flow' | 'shared',
  { flow, isDraft }: { readonly flow: string; readonly isDraft?: boolean },
): string {
  const owner = scope === 'shared' ? '*' : flow;
  return isDraft ? draftName(owner) : owner;
}

/** The name under which runs of drafts keep what live runs keep under `name`. No flow has it: ids contain no colon. */
export function draftName(name: string): string {
  return `draft:${name}`;
}

import { z } from 'zod';

/** Where texts of flows are looked for. */
export const TEXT_KINDS = ['names', 'settings', 'expressions', 'code', 'notes'] as const;
export type TextKind = (typeof TEXT_KINDS)[number];

export const TextWish = z.strictObject({
  find: z.string().min(1).max(1000).describe('The text to find, or a regular expression in RE2’s syntax.'),
  isPattern: z.boolean().default(false),
  isCaseSensitive: z.boolean().default(false),
  kinds: z
    .array(z.enum(TEXT_KINDS))
    .min(1)
    .default([...TEXT_KINDS])
    .describe('`notes` are the descriptions of flows and nodes.'),
});
export type TextWish = z.infer<typeof TextWish>;

export const FlowSearchBody = TextWish.extend({
  after: z
    .string()
    .max(200)
    .optional()
    .describe('`next` of the answer before: the search goes on behind it.'),
});
export type FlowSearchBody = z.input<typeof FlowSearchBody>;

/** A text in which something was found. */
const TextHit = z.object({
  path: z.string().describe('Where it is in the flow: `nodes.say.params.template`.'),
  node: z.string().optional().describe('The node; absent for texts of the flow itself.'),
  nodeName: z.string().optional().describe('What the node is called.'),
  operator: z.string().optional().describe('The operator of the node.'),
  kind: z.enum(TEXT_KINDS),
  text: z.string().describe('The whole text; its start if it is longer than 2,000 characters.'),
  count: z.number().int(),
});
export type TextHit = z.infer<typeof TextHit>;

export const FlowSearch = z.object({
  flows: z
    .array(
      z.object({
        id: z.string(),
        name: z.string().optional(),
        revision: z.string().describe('Of the text that was searched: the draft, if there is one.'),
        hits: z.array(TextHit).readonly().describe('At most 200.'),
        more: z.boolean().optional().describe('It has more hits than are listed.'),
      }),
    )
    .readonly(),
  searched: z.number().int().describe('How many flows this call has looked at.'),
  of: z.number().int().describe('How many flows there are.'),
  next: z.string().optional().describe('Send it as `after` to go on; absent at the end.'),
});
export type FlowSearch = z.infer<typeof FlowSearch>;

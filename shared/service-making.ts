import { z } from 'zod';
import { id, made, PARAM, plain, schema } from './service-parts.ts';

/**
 * How a file of a service makes what is sent from what people enter, and what they get from what comes: by expressions
 * (docs/reference/expressions.md), each within the limits of one. They read `params`, with null for what is not given, and `before`,
 * the outputs of earlier calls by their names.
 */

/** A call that is made for each item of a list. */
export const Detail = z.strictObject({
  call: id,
  given: z.record(z.string().max(64), z.unknown()).describe('Its params; expressions read the `item`.'),
});

/** How an answer becomes the output of the call. */
export const outputFields = {
  mail: z
    .string()
    .max(200)
    .optional()
    .describe(
      'The field that has a whole mail (RFC 5322) in base64url, which expressions then read as `mail`.',
    ),
  files: z
    .boolean()
    .default(false)
    .describe('The attachments of that mail become files of the run; otherwise their names are told.'),
  makes: made
    .optional()
    .describe('The output, made from the `answer`, or from its part that `result` names.'),
  each: made
    .optional()
    .describe(
      'What stands in the output for each `item` of the list, which has an `index`; one for which it is null is left out.',
    ),
  detail: Detail.optional().describe('Its output takes the place of the `item`.'),
  output: schema.optional().describe('The JSON Schema of the output, if it is made.'),
};

/** A call that comes first. */
export const Before = z.strictObject({
  as: z.string().regex(PARAM).describe('Its output is `before.<as>`; null if it is not made.'),
  call: id,
  given: z.record(z.string().max(64), z.unknown()).describe('Its params.'),
  when: made.optional().describe('It is made if this counts as true.'),
  absent: z
    .boolean()
    .default(false)
    .describe('What it asks for may be missing: with status 404 its output is null.'),
});

/** What a call refuses with `bad_params` before it is sent. */
export const Refuse = z.strictObject({
  after: z
    .string()
    .regex(PARAM)
    .optional()
    .describe('It is looked at once this call of `before` was made; otherwise before anything is sent.'),
  each: z
    .string()
    .regex(PARAM)
    .optional()
    .describe('A param with a list: it is looked at for each `item` of it, or for the one value.'),
  when: made,
  says: plain(500).describe('What is wrong, and what to do; it may have {{ }}.'),
  field: z.string().regex(PARAM).describe('The param that is wrong.'),
});

export type ServiceBefore = z.output<typeof Before>;
export type ServiceRefusal = z.output<typeof Refuse>;
export type ServiceDetail = z.output<typeof Detail>;

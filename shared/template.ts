import { z } from 'zod';
import { Flow, Id } from './flow.ts';
import { Layout } from './layout.ts';

/**
 * Flows to begin with: `server/flows/templates/shipped/<id>/` has `template.json`, and a flow with its layout and tests like those in
 * `flows/`.
 */

/** What the list of templates is divided by, in its order. */
export const TEMPLATE_PURPOSES = ['people', 'models', 'data', 'services'] as const;
export type TemplatePurpose = (typeof TEMPLATE_PURPOSES)[number];

const text = z.string().min(1).max(400);

/** Something that the flow needs and that differs from server to server. */
export const TemplateNeed = z.strictObject({
  kind: z.enum(['connection', 'space', 'model', 'secret']),
  name: z
    .string()
    .min(1)
    .max(200)
    .describe('What its flow calls it: another choice takes the place of this name in the whole flow.'),
  kinds: z.array(z.string()).optional().describe('The kinds of connections that fit; the first fits best.'),
  title: text.describe('What it is, such as A database.'),
  text: text.describe('What the flow does with it.'),
  expects: text
    .optional()
    .describe('What it must have to work: columns of a table, fields of an answer. Markdown.'),
});
export type TemplateNeed = z.infer<typeof TemplateNeed>;

/** What is in `template.json`. */
export const TemplateText = z.strictObject({
  title: text,
  purpose: z.enum(TEMPLATE_PURPOSES),
  text: text.describe('What it does.'),
  words: z.string().max(400).default('').describe('Other words by which people look for it.'),
  needs: z.array(TemplateNeed).max(6).default([]),
  sample: z
    .strictObject({
      trigger: Id,
      input: z.json(),
      files: z
        .record(Id, z.string().max(200))
        .optional()
        .describe('Files of the small shop that are uploaded for fields of the input, by field.'),
    })
    .describe('An input with which its first run shows a result.'),
  next: text.describe('What its user does after the first run.'),
});
export type TemplateText = z.infer<typeof TemplateText>;

/** A template as `GET /api/v1/templates` tells it. */
export const Template = TemplateText.extend({
  id: Id,
  flow: Flow,
  layout: Layout,
  tests: z.int().min(0).describe('How many tests it has.'),
});
export type Template = z.infer<typeof Template>;

export const UseTemplateBody = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe('The name of the flow; else that of the template.'),
  choices: z
    .record(z.string(), z.string().min(1).max(200))
    .default({})
    .describe(
      'What is used for its needs, by their names. A need that is left out keeps the name that the template has for it.',
    ),
});
export type UseTemplateBody = z.infer<typeof UseTemplateBody>;

/** A flow that was made from a template. */
export const TemplateFlow = z.object({
  flow: Id,
  sample: z.object({ trigger: Id, input: z.json() }),
});
export type TemplateFlow = z.infer<typeof TemplateFlow>;

import { z } from 'zod';
import { FormField, fieldTypes } from '#shared/form-field.ts';
import { PublicPage } from '#shared/public-page.ts';
import { CallRate } from '#shared/rate.ts';
import { defineOperator, literal, output } from '../../base/operator.ts';

const PATH = /^(?!.*[{:])[^\s?#]+$/;

export default defineOperator({
  title: 'Form',
  doc: 'Starts the flow when somebody sends the form at its address below /form, which anyone may open, without a login. The page works on a phone and without scripts; entries are checked before the flow starts.',
  icon: 'form',
  summary: '/{path|path}',
  synonyms: 'form trigger, survey, questionnaire, public form, typeform, web form, input form',
  params: z.object({
    path: z
      .string()
      .min(1)
      .max(500)
      .regex(PATH, 'must not contain blanks, ?, #, : or {')
      .describe('The path below /form, such as /contact.')
      .meta({ says: 'write a path such as /contact, without blanks, ?, #, : and {', begins: 'flow-path' }),
    title: z.string().min(1).max(200).describe('The heading of the page.').meta({ begins: 'flow-name' }),
    text: z.string().max(20_000).optional().describe('More about it, Markdown.').meta({ widget: 'textarea' }),
    fields: z
      .array(FormField)
      .max(100)
      .default([])
      .describe('The fields to fill in.')
      .meta({ when: { param: 'schema', is: [null] } }),
    schema: literal(
      z
        .record(z.string(), z.unknown())
        .optional()
        .describe('In place of `fields`: JSON Schema of the object.')
        .meta({ widget: 'schema' }),
    ),
    button: z.string().min(1).max(60).default('Send').describe('The label of the button.'),
    after: z
      .enum(['message', 'result', 'redirect'])
      .default('message')
      .describe(
        'The page after sending: `message` shows the message below at once, `result` waits for the result of the flow, `redirect` leads to another address.',
      ),
    message: z
      .string()
      .min(1)
      .max(20_000)
      .default('Thank you. Your entries have arrived.')
      .describe('The message, Markdown.')
      .meta({ widget: 'textarea' })
      .meta({ when: { param: 'after', is: ['message'] } }),
    redirect: z
      .url({ protocol: /^https?$/, error: 'must be an address that starts with https:// or http://' })
      .max(2000)
      .optional()
      .describe('The address with `redirect`.')
      .meta({ when: { param: 'after', is: ['redirect'] } }),
    origins: PublicPage.shape.origins.describe(
      'Sites whose pages may show the form in a frame, by their origins, such as https://example.com; others may not.',
    ),
    lang: z
      .string()
      .max(35)
      .regex(/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/, 'must be the code of a language, such as en or pt-BR')
      .default('en')
      .describe(
        'The language of the texts above, such as `de` or `pt-BR`, in which screen readers read the page. Words of the page itself, such as those beside a wrong entry, are English.',
      )
      .meta({ says: 'write the code of a language, such as en or pt-BR' }),
    rate: CallRate.prefault({ limit: 10, by: 'address' }).describe(
      'How often it may be sent; after that the page says when to try again. Ten times a minute from each address by default.',
    ),
  }),
  options: {
    Page: ['button', 'lang', 'origins'],
    Answer: ['after', 'message', 'redirect'],
    Fields: ['schema'],
    Limits: ['rate'],
  },
  inputs: {},
  outputs: { out: output({ doc: 'The entries: an object with a value for each field.' }) },
  infer: {
    outputs: {
      out: { byParam: { name: 'schema', cases: { absent: fieldTypes }, else: { schemaIn: 'schema' } } },
    },
  },
  effects: 'read',
  trigger: true,
  examples: [
    {
      title: 'A contact form',
      params: {
        path: '/contact',
        title: 'Write to us',
        text: 'We answer within **two days**.',
        fields: [
          { name: 'email', label: 'Your e-mail address', required: true },
          { name: 'message', label: 'Your message', type: 'longtext', required: true },
        ],
      },
      outputs: { out: { email: 'ada@example.com', message: 'Hello' } },
    },
    {
      title: 'A calculator that shows the result of its flow',
      params: {
        path: '/postage',
        title: 'What does it cost?',
        button: 'Calculate',
        after: 'result',
        fields: [{ name: 'grams', label: 'Weight in grams', type: 'integer', required: true }],
      },
      outputs: { out: { grams: 120 } },
    },
  ],
});

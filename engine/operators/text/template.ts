import { z } from 'zod';
import { defineOperator, input, output } from '../../base/operator.ts';

export default defineOperator({
  title: 'Template',
  doc: 'Writes a text with values filled in. Everything between {{ and }} is an expression over the input and earlier nodes.',
  icon: 'text-cursor-input',
  summary: '“{template}”',
  synonyms:
    'text, format, string, mustache, jinja, template transform, handlebars, html template, compose text, message',
  params: z.object({
    template: z
      .string()
      .describe('The text, with {{ expressions }} where values go.')
      .meta({ widget: 'textarea' }),
  }),
  inputs: { in: input({ doc: 'Any value; expressions read it as `input`.' }) },
  outputs: { out: output({ doc: 'The finished text.', schema: z.string() }) },
  effects: 'pure',
  lift: true,
  examples: [
    {
      title: 'A greeting',
      params: { template: 'Hello, {{ input.name }}, your age is {{ input.age }}' },
      inputs: { in: { name: 'Ada', age: 18 } },
      outputs: { out: 'Hello, Ada, your age is 18' },
    },
    {
      title: 'Objects are written as JSON, null as nothing',
      params: { template: '{{ input.tags }}{{ input.note }}' },
      inputs: { in: { tags: ['a', 'b'], note: null } },
      outputs: { out: '["a","b"]' },
    },
    {
      title: 'A field that is not there',
      params: { template: 'Hello, {{ input.nmae }}' },
      inputs: { in: { name: 'Ada' } },
      error: 'missing_field',
    },
  ],
  run: ({ params }) => params.template,
});

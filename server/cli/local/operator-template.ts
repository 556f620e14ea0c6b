/** The file of a new operator: it works, keeps the contract, and says what each part is for. */
export function operatorTemplate(type: string): string {
  const name = type.slice(type.indexOf('.') + 1).replace(/[-_]+/g, ' ');
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return `import { defineOperator, input, output, WeftError, z } from '#weft';

// A kind of node, ${type}, for all flows of this server. docs/operators.md has the rules;
// \`npm run weft -- operators\` holds this file to them. It is loaded when the server starts.
export default defineOperator({
  title: '${title}',
  // One to three sentences: what it does and when to use it.
  doc: 'Repeats a text as often as it is told.',
  // A name of lucide.dev/icons.
  icon: 'repeat',
  // The form in the editor. Describe each param; a default makes it optional.
  params: z.object({
    times: z.int().min(1).max(100).default(2).describe('How often.'),
  }),
  inputs: { in: input({ doc: 'A text.' }) },
  outputs: { out: output({ doc: 'The text, repeated.', schema: z.string() }) },
  // pure: the same result for the same input. read: looks at the outside. write: changes it.
  effects: 'pure',
  // A stream is taken item by item.
  lift: true,
  // Shown in the docs, and run as tests.
  examples: [
    { title: 'Twice', inputs: { in: 'ha' }, outputs: { out: 'haha' } },
    { title: 'Not a text', inputs: { in: 5 }, error: 'bad_input' },
  ],
  run({ params, input: text }) {
    // Anything may arrive: refuse what does not fit with a code.
    if (typeof text !== 'string') throw new WeftError('bad_input', 'The input is no text.');
    if (text.length > 100_000) throw new WeftError('value_too_large', 'The text is too long to be repeated.');
    return text.repeat(params.times);
  },
});
`;
}

/** Its test, for Node's own runner. */
export function operatorTestTemplate(type: string): string {
  const file = type.slice(type.indexOf('.') + 1);
  return `import assert from 'node:assert/strict';
import test from 'node:test';
import { brokenRules } from '#weft';
import operator from './${file}.ts';

test('${type} keeps the contract of operators and its examples', async () => {
  assert.deepEqual(await brokenRules('${type}', operator), []);
});
`;
}

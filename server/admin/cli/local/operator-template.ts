import { isInstalled, weftCommand } from '../../../access/http/version.ts';

/** A name that plain `node` resolves too. */
const authorsModule = isInstalled ? 'weft-flow' : '#weft';

/** The file of a new operator: it works, fulfils the contract, and explains each part. */
export function operatorTemplate(type: string): string {
  const name = type.slice(type.indexOf('.') + 1).replace(/[-_]+/g, ' ');
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return `import { defineOperator, input, output, WeftError, z } from '${authorsModule}';

// The operator ${type}, a kind of node for all flows of this server. docs/operators.md has the rules;
// \`${weftCommand} operators\` checks this file against them. It is loaded when the server starts.
export default defineOperator({
  title: '${title}',
  // One to three sentences: what it does and when to use it.
  doc: 'Repeats a text a given number of times.',
  // A name from lucide.dev/icons, or your own SVG path.
  icon: 'repeat',
  // What a node of it does, with its params, and other words by which people look for it.
  summary: '{times} times',
  synonyms: 'copy, duplicate text',
  // The form in the editor. Describe each param; a default makes it optional.
  params: z.object({
    times: z.int().min(1).max(100).default(2).describe('Number of repetitions.'),
  }),
  inputs: { in: input({ doc: 'A text.' }) },
  outputs: { out: output({ doc: 'The text, repeated.', schema: z.string() }) },
  // pure: the same result for the same input. read: reads from the outside. write: changes the outside.
  effects: 'pure',
  // A stream is processed item by item.
  lift: true,
  // Shown in the docs, and run as tests.
  examples: [
    { title: 'Twice', inputs: { in: 'ha' }, outputs: { out: 'haha' } },
    { title: 'Not a text', inputs: { in: 5 }, error: 'bad_input' },
  ],
  run({ params, input: text }) {
    // Any value may arrive: refuse unsuitable ones with an error code.
    if (typeof text !== 'string') throw new WeftError('bad_input', 'The input is not a text.');
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
import { brokenRules } from '${authorsModule}';
import operator from './${file}.ts';

test('${type} keeps the contract of operators and its examples', async () => {
  assert.deepEqual(await brokenRules('${type}', operator), []);
});
`;
}

import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineOperator, input, type Operator, output, WeftError } from '../base/operator.ts';
import { operatorContract } from './contract.ts';

const sound = defineOperator({
  title: 'Length',
  doc: 'Counts the characters of a text.',
  icon: 'ruler',
  params: z.object({ plus: z.number().default(0).describe('Added to it.') }),
  inputs: { in: input({ doc: 'A text.' }) },
  outputs: { out: output({ doc: 'Its length.', schema: z.number() }) },
  effects: 'pure',
  examples: [{ title: 'Three', inputs: { in: 'abc' }, outputs: { out: 3 } }],
  run({ params, input: text }) {
    if (typeof text !== 'string') throw new WeftError('bad_input', 'It is no text.');
    return text.length + params.plus;
  },
});

async function broken(change: object): Promise<Record<string, string[]>> {
  const rules = operatorContract('test.length', { ...sound, ...change } as Operator);
  const found = await Promise.all(rules.map(async (rule) => [rule.name, await rule.check()] as const));
  return Object.fromEntries(found.filter(([, faults]) => faults.length > 0));
}

const example = (more: object) => ({ examples: [{ title: 'One', inputs: { in: 'abc' }, ...more }] });
let calls = 0;

test('a sound operator keeps every rule', async () => {
  expect(await broken({})).toEqual({});
});

test.each<[string, object, string, string]>([
  ['a doc that is no sentence', { doc: 'counts' }, 'has a title', 'doc must be a sentence'],
  ['no example', { examples: [] }, 'has a title', 'at least one'],
  ['a port without doc', { inputs: { in: input() } }, 'describes every', 'inputs.in has no description'],
  [
    'a param without doc',
    { params: z.object({ a: z.string().default('') }) },
    'describes every',
    'params.a has',
  ],
  ['a silent example', example({}), 'says what', 'neither outputs nor error'],
  [
    'a wrong example',
    example({ outputs: { out: 4 } }),
    'keeps its example: One',
    'must give {"out":4}, but gave {"out":3}',
  ],
  [
    'an error that does not come',
    example({ error: 'bad_input' }),
    'keeps its example: One',
    'must end with the error bad_input',
  ],
  [
    'a promise from a function that is not async',
    { run: () => Promise.resolve(3) },
    'is written async',
    'must be written async',
  ],
  ['state', { run: () => ++calls }, 'has no state', 'gave'],
  [
    'a wait that ends with an error of its own',
    {
      run: async (call: { sleep(ms: number): Promise<void> }) =>
        call.sleep(1).catch(() => Promise.reject(new Error('mine'))),
    },
    'ends as soon',
    'instead of the reason',
  ],
  [
    'an error without a code',
    { run: ({ input: text }: { input: string }) => text.toUpperCase().length },
    'odd inputs',
    'TypeError',
  ],
  [
    'a change of its input',
    {
      ...example({ inputs: { in: [1] }, outputs: { out: 2 } }),
      run: ({ input: list }: { input: number[] }) => list.push(1),
    },
    'keeps its example',
    'TypeError',
  ],
])('%s breaks a rule', async (_, change, rule, fault) => {
  const found = await broken(change);
  expect(Object.keys(found).join()).toContain(rule);
  expect(Object.values(found).flat().join()).toContain(fault);
});

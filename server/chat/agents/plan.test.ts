import { fc } from '../../../tests/support/property.ts';
import { expect, test } from 'vitest';
import { exampleInput } from '#shared/example-input.ts';
import { planSchema, readPlan } from './plan.ts';

const agents = ['Ada', 'Bob'];
const read = (steps: readonly object[]) => readPlan(JSON.stringify({ steps }), agents);
const problemsOf = (steps: readonly object[]): readonly string[] => {
  const plan = read(steps);
  return 'problems' in plan ? plan.problems : [];
};

test('a plan names its dependencies by number or by name, and its agents in any case', () => {
  expect(
    read([
      { name: 'first', agent: 'ada', dependsOn: [] },
      { name: 'second', agent: 'Bob' },
      { name: 'third', agent: 'BOB', dependsOn: [1, '2', 'first'] },
    ]),
  ).toEqual({
    steps: [
      { name: 'first', agent: 'Ada', dependsOn: [] },
      { name: 'second', agent: 'Bob', dependsOn: [] },
      { name: 'third', agent: 'Bob', dependsOn: [0, 1] },
    ],
  });
});

test('text or a fence around the JSON is ignored', () => {
  const plan = '{"steps":[{"name":"a","agent":"Ada","dependsOn":[]}]}';
  expect(readPlan(`Here it is:\n\`\`\`json\n${plan}\n\`\`\`\nGood luck!`, agents)).toHaveProperty('steps');
});

test('all problems are reported at once', () => {
  expect(
    problemsOf([
      { name: 'a', agent: 'Eve', dependsOn: [1] },
      { name: 'b', agent: 'Bob', dependsOn: [7, 'nothing'] },
    ]),
  ).toEqual([
    'Step 1: there is no agent `Eve`; the agents are Ada, Bob.',
    'Step 1 depends on itself.',
    'Step 2 depends on 7, which is no step.',
    'Step 2 depends on nothing, which is no step.',
  ]);
});

test('steps that wait for each other are reported, and those that depend on them too', () => {
  const step = (name: string, ...dependsOn: number[]) => ({ name, agent: 'Ada', dependsOn });
  expect(problemsOf([step('a'), step('b', 3), step('c', 2), step('d', 3)])).toEqual([
    'Steps 2, 3, 4 wait for each other in a circle.',
  ]);
});

test.each(['', 'no JSON', '{"steps": 5}', '{"steps": []}', '[]', '{"steps":[{"name":""}]}'])(
  '%j is reported as no plan',
  (text) => {
    expect(readPlan(text, agents)).toHaveProperty('problems');
  },
);

test('a plan with too many steps is refused', () => {
  const steps = Array.from({ length: 31 }, (_, i) => ({ name: `${i}`, agent: 'Ada', dependsOn: [] }));
  expect(problemsOf(steps)).toEqual(['A plan has 1 to 30 steps, not 31.']);
});

test('any answer of a model is a plan or problems, never an error', () => {
  const text = fc.oneof(
    fc.string(),
    fc.json(),
    fc.json().map((json) => `{"steps":${json}}`),
  );
  fc.assert(
    fc.property(text, (answer) => {
      const plan = readPlan(answer, agents);
      expect('steps' in plan || plan.problems.length > 0).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('an example of the schema is a plan, so that the demo model can write one', () => {
  expect(readPlan(JSON.stringify(exampleInput(planSchema(agents))), agents)).toHaveProperty('steps');
});

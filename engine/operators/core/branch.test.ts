import { expect, test } from 'vitest';
import switchOperator from '../logic/switch.ts';
import { runOperator } from '../../testing/call.ts';
import branch from './branch.ts';
import join from './join.ts';

test('a switch does not look at the cases behind the first that fits', async () => {
  const cases = [
    { name: 'yes', when: '{{ true }}' },
    { name: 'broken', when: '{{ input.missing.field }}' },
  ];
  expect(
    await runOperator('logic.switch', switchOperator, { params: { cases }, inputs: { in: {} } }),
  ).toEqual({ yes: {} });
});

test('a branch looks at every condition', async () => {
  const branches = [
    { name: 'yes', when: '{{ true }}' },
    { name: 'broken', when: '{{ input.missing.field }}' },
  ];
  const run = runOperator('core.branch', branch, { params: { branches }, inputs: { in: {} } });
  await expect(run).rejects.toMatchObject({ code: 'missing_field' });
});

test('a condition may be a constant', async () => {
  const cases = [
    { name: 'no', when: false },
    { name: 'yes', when: 1 },
  ];
  expect(await runOperator('logic.switch', switchOperator, { params: { cases }, inputs: { in: 5 } })).toEqual(
    { yes: 5 },
  );
});

test.each([
  ['a case called default', switchOperator, { cases: [{ name: 'default', when: true }] }],
  ['a case called error', switchOperator, { cases: [{ name: 'error', when: true }] }],
  [
    'two cases of one name',
    switchOperator,
    {
      cases: [
        { name: 'a', when: true },
        { name: 'a', when: true },
      ],
    },
  ],
  ['no cases', switchOperator, { cases: [] }],
  ['a branch called otherwise', branch, { branches: [{ name: 'otherwise', when: true }] }],
  ['a branch without a condition', branch, { branches: [{ name: 'a' }] }],
  ['an input name that is no id', join, { inputs: [{ name: 'A B' }] }],
  ['two inputs of one name', join, { inputs: [{ name: 'a' }, { name: 'a' }] }],
])('%s is refused', (_, operator, params) => {
  expect(operator.params.safeParse(params).success).toBe(false);
});

import { expect, test } from 'vitest';
import { flowOf, play } from '../testing/play.ts';

test('an expression without reads that fails does so in the run, at its node', () => {
  const broken = { operator: 'core.map', params: { value: { sum: ['{{ floor("x") }}'] } } };
  const { run } = play(flowOf({ t: 'trigger.manual', a: broken }, ['t > a']), null);
  expect(run.outcome?.error).toMatchObject({
    code: 'expression_type',
    node: 'a',
    field: 'params.value.sum[0]',
  });
});

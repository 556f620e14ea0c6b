import { expect, test } from 'vitest';
import { runOperator } from '../../testing/call.ts';
import assert from './assert.ts';

const asserted = (params: Record<string, unknown>, value: unknown) =>
  runOperator('logic.assert', assert, { params, inputs: { in: value } });

test('the message is worked out only when the condition does not hold', async () => {
  const message = '{{ input.missing }}';
  expect(await asserted({ condition: true, message }, {})).toEqual({ out: {} });
  await expect(asserted({ condition: false, message }, {})).rejects.toMatchObject({
    code: 'missing_field',
    field: 'params.message',
  });
});

test('the message may be any value, and there is one without it', async () => {
  await expect(asserted({ condition: 0, message: { got: '{{ input }}' } }, 3)).rejects.toMatchObject({
    code: 'assertion_failed',
    message: '{"got":3}',
  });
  await expect(asserted({ condition: '' }, 3)).rejects.toMatchObject({
    code: 'assertion_failed',
    message: 'The condition does not hold.',
  });
});

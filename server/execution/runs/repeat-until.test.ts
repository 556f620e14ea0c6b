import { expect, test } from 'vitest';
import { eventually } from '../../../tests/support/eventually.ts';
import { createFlowBed, endOf, mapFlow, rowFlow } from './testing/flow-bed.ts';

const plus = mapFlow('plus', '{{ input + 1 }}');
const repeat = (params: Record<string, unknown>) =>
  rowFlow('repeat', { repeat: { operator: 'data.repeat-until', params: { flow: 'plus', ...params } } });

test('each round starts with the previous result, until the condition holds for the result or the round', async () => {
  const byResult = await createFlowBed([plus, repeat({ until: '{{ item >= 10 }}' })]);
  const run = byResult.start('repeat', 7);
  expect((await endOf(run)).body).toBe(10);
  expect(await byResult.hub.list({ limit: 9, parent: run.id })).toHaveLength(3);
  const byRound = await createFlowBed([
    plus,
    repeat({ until: '{{ index == 4 }}', input: '{{ input * 100 }}' }),
  ]);
  expect(await byRound.result('repeat', 1)).toBe(105);
});

test('a condition that never holds ends after the last round', async () => {
  const { hub, start } = await createFlowBed([plus, repeat({ until: '{{ false }}', maxRounds: 5 })]);
  const run = start('repeat', 0);
  await expect(endOf(run)).rejects.toMatchObject({ code: 'too_many_rounds', node: 'repeat' });
  expect(await hub.list({ limit: 9, parent: run.id })).toHaveLength(5);
});

test('a round that fails fails the node with its error', async () => {
  const { start } = await createFlowBed([plus, repeat({ until: '{{ item.done }}' })]);
  await expect(endOf(start('repeat', 0))).rejects.toMatchObject({ node: 'repeat' });
  await expect(endOf(start('repeat', null))).rejects.toMatchObject({
    message: expect.stringContaining('`plus` failed'),
  });
});

test('many quick rounds yield to other work, and end with the run', async () => {
  const { hub, start } = await createFlowBed([plus, repeat({ until: '{{ false }}', maxRounds: 100_000 })]);
  const run = start('repeat', 0);
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(run.outcome).toBeUndefined();
  run.cancel('stop');
  await eventually(() => expect([run.outcome?.status, hub.inFlight]).toEqual(['cancelled', 0]));
});

test('the wait between two rounds ends with the run', async () => {
  const { hub, start } = await createFlowBed([plus, repeat({ until: '{{ item > 5 }}', delayMs: 60_000 })]);
  const run = start('repeat', 0);
  await eventually(async () => expect(await hub.list({ limit: 9, parent: run.id })).toHaveLength(1));
  run.cancel('stop');
  await eventually(() => expect(run.outcome?.status).toBe('cancelled'));
});

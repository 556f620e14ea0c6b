import { expect, test } from 'vitest';
import { builtIns, flowOf } from '../../../engine/testing/play.ts';
import { sampleInput } from './sample-input.ts';
import { triggersOf } from './triggers.ts';

const sampleOf = (flow: ReturnType<typeof flowOf>) => {
  const [trigger] = triggersOf(flow, builtIns.catalog);
  return trigger && sampleInput(flow, trigger);
};
const template = (text: string) => ({ operator: 'text.template', params: { template: text } });

test('a trigger with a request model is tried with what that asks for', () => {
  const request = { type: 'object', properties: { age: { type: 'integer' } }, required: ['age'] };
  const flow = flowOf({ t: { operator: 'trigger.http', params: { path: '/a', request } } }, []);
  expect(sampleOf(flow)).toEqual({ age: expect.any(Number) as number });
});

test('without one, with the fields that expressions read from the request', () => {
  const flow = flowOf(
    {
      t: { operator: 'trigger.http', params: { path: '/a' } },
      a: template('{{ upper(input.name) }} {{ input?.city ?? "" }} input.text'),
      b: template('{{ input.length }} {{ trigger.color }} {{ my.input.x }}'),
    },
    ['t > a', 'a > b'],
  );
  expect(sampleOf(flow)).toEqual({ name: 'name', city: 'city', color: 'color' });
});

test('where nothing is read it is empty', () => {
  expect(sampleOf(flowOf({ t: { operator: 'trigger.http', params: { path: '/a' } } }, []))).toEqual({});
});

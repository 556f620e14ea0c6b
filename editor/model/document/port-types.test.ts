import { expect, test } from 'vitest';
import { builtIns, flowOf } from '../../../engine/testing/play.ts';
import { portTypes } from './port-types.ts';

const { catalog } = builtIns;
const flow = flowOf(
  {
    list: { operator: 'core.input', params: { value: [{ name: 'Ada', age: 36 }] } },
    one: {
      operator: 'core.map',
      params: { value: { name: '{{ upper("x") }}', size: '{{ length(input) }}' } },
    },
    pick: { operator: 'data.pick', params: { fields: ['name'] } },
    parse: 'text.parse-json',
  },
  ['list > one', 'one > pick', 'pick > parse'],
);

test('a port says what goes through it in a few characters', () => {
  expect(portTypes({ flow, catalog }, 'one.out', 'output')).toMatchObject({
    carries: '{name: string, size: integer}',
    takes: undefined,
  });
  expect(portTypes({ flow, catalog }, 'pick.in', 'input')).toMatchObject({
    carries: '{name: string, size: integer}',
    takes: 'object',
  });
  expect(portTypes({ flow, catalog }, 'parse.in', 'input')).toMatchObject({
    carries: '{name: string}',
    takes: 'string',
  });
});

test('a port says what a called flow gives', () => {
  const calling = flowOf({ t: 'trigger.manual', c: { operator: 'flow.call', params: { flow: 'price' } } }, [
    't > c',
  ]);
  const gives = { type: 'object', properties: { cents: { type: 'integer' } }, required: ['cents'] };
  const flows = [{ id: 'price', triggers: ['t'], schemas: { t: { gives } } }];
  const of = { flow: calling, catalog, world: { flows } };
  expect(portTypes(of, 'c.out', 'output').carries).toBe('{cents: integer}');
});

test('a port of which nothing is known says nothing', () => {
  expect(portTypes({ flow, catalog }, 'parse.out', 'output').carries).toBeUndefined();
  expect(portTypes({ flow, catalog }, 'gone.out', 'output').carries).toBeUndefined();
});

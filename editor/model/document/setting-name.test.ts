import { expect, test } from 'vitest';
import type { OperatorInfo } from '#shared/catalog.ts';
import { catalog } from '../testing/catalog.ts';
import { settingName } from './setting-name.ts';

const info: OperatorInfo = {
  ...(catalog.operators['text.template'] as OperatorInfo),
  params: {
    type: 'object',
    properties: {
      url: { type: 'string' },
      cases: { type: 'array', items: { type: 'object', properties: { when: {} } } },
    },
  },
};

test.each([
  ['params.url', 'URL'],
  ['params.cases[1].when', 'Case 2 › When'],
  ['params', 'params'],
  ['name', 'name'],
])('%s is called %s', (field, name) => expect(settingName(field, info)).toBe(name));

test('a setting of an operator that is gone has its path', () => {
  expect(settingName('params.url', undefined)).toBe('params.url');
});

import { expect, test } from 'vitest';
import { answersOverHttp } from './http-caller.ts';

const http = { operator: 'trigger.http', params: { path: '/a' } };
const form = { operator: 'trigger.form', params: { path: '/a', after: 'result' } };

test.each([
  ['http', http, true],
  ['test', http, true],
  ['manual', http, true],
  ['form', form, true],
  ['http', { ...http, params: { ...http.params, answer: 'immediately' } }, false],
  ['form', { ...form, params: { ...form.params, after: 'message' } }, false],
  ['form', { operator: 'trigger.form' }, false],
  ['manual', { operator: 'trigger.manual' }, false],
  ['test', { operator: 'trigger.chat' }, false],
  ['schedule', { operator: 'trigger.schedule' }, false],
  ['source', { operator: 'trigger.mail' }, false],
  ['flow', http, false],
  ['mcp', http, false],
  ['http', undefined, false],
  [undefined, http, false],
] as const)('a run by %s at %j has a caller over HTTP: %j', (source, trigger, has) => {
  expect(answersOverHttp(source, trigger)).toBe(has);
});

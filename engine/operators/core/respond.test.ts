import { expect, test } from 'vitest';
import { startOperator } from '../../testing/call.ts';
import respond from './respond.ts';

test('the caller gets status, headers and body', () => {
  const params = { status: 201, headers: { Location: '/x/{{ input.id }}' }, body: { id: '{{ input.id }}' } };
  const { call } = startOperator('core.respond', respond, { params, inputs: { in: { id: 7 } } });
  expect(call.answers).toEqual([{ status: 201, headers: { Location: '/x/7' }, body: { id: 7 } }]);
});

test('without params the input is the body', () => {
  const { call } = startOperator('core.respond', respond, { inputs: { in: [1] } });
  expect(call.answers).toEqual([{ status: 200, headers: {}, body: [1] }]);
});

test.each([
  ['a line break in a header', { headers: { 'x-name': 'a\r\nset-cookie: b' } }],
  ['a line break from the input', { headers: { 'x-name': '{{ input.name }}' } }],
  ['a blank in a name', { headers: { 'x name': 'a' } }],
  ['a length of its own', { headers: { 'Content-Length': '5' } }],
  ['letters beyond Latin-1', { headers: { 'x-name': '日本' } }],
  ['a status that is no answer', { status: 101 }],
  ['a status that is no number', { status: 'many' }],
])('%s is refused', (_, params) => {
  const start = () => startOperator('core.respond', respond, { params, inputs: { in: { name: 'a\r\nb' } } });
  expect(start).toThrow(expect.objectContaining({ code: 'bad_params' }));
});

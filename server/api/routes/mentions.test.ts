import { expect, test } from 'vitest';
import { startBed } from '../../testing/platform-bed.ts';
import { routeCaller } from '../../testing/route-caller.ts';
import { secretPattern, variablePattern } from './mentions.ts';

test.each([
  ['{{ vars.shop }}', true],
  ['{{ vars?.shop + 1 }}', true],
  [String.raw`{{ vars[\"shop\"] }}`, true],
  ["{{ vars?.['shop'] }}", true],
  ["{{ vars ?. [ 'shop' ] + vars . other }}", true],
  ['{{ vars.shop_url }}', false],
  ['{{ vars.my.shop }}', false],
  ['{{ my_vars.shop }}', false],
  ['shop', false],
])('Does the text %s read the variable shop? %s', (text, reads) => {
  expect(variablePattern('shop').test(text)).toBe(reads);
});

test('a text with very many blanks is searched once from front to back', () => {
  const text = `vars${' '.repeat(4_000_000)}`;
  expect(variablePattern('shop').test(`${text}x`)).toBe(false);
  expect(variablePattern('shop').test(`${text}.shop`)).toBe(true);
});

test.each([
  ['{"$secret": "token"}', true],
  ['{"$secret":"token"}', true],
  ['{"$secret": "token_2"}', false],
  ['"token"', false],
])('Does the text %s name the secret token? %s', (text, names) => {
  expect(secretPattern('token').test(text)).toBe(names);
});

const flowOf = (id: string, url: string, more: object = {}) => ({
  format: 1,
  id,
  name: `Flow ${id}`,
  nodes: {
    start: { operator: 'trigger.manual' },
    ask: { operator: 'http.request', params: { url, ...more } },
  },
  edges: [{ from: 'start.out', to: 'ask.in' }],
});

test('Which flows use a variable or a secret, also in what is live beside a draft?', async () => {
  const bed = await startBed();
  const { call } = await routeCaller(bed);
  await call('PUT /api/v1/variables/:name', {
    params: { name: 'shop' },
    body: { value: 'https://a.example.com' },
  });
  await call('PUT /api/v1/secrets/:name', {
    params: { name: 'token' },
    body: { value: 'hush', grants: { hosts: ['https://a.example.com'] } },
  });
  const auth = { auth: { type: 'bearer', token: { $secret: 'token' } } };
  for (const flow of [
    flowOf('reads', '{{ vars.shop }}/a'),
    flowOf('signs', 'https://a.example.com', auth),
    flowOf('neither', 'https://a.example.com'),
  ])
    await call('POST /api/v1/flows', { body: { id: flow.id, flow } });
  // Its draft no longer reads the variable; what is live does.
  const { revision }: { revision: string } = await call('GET /api/v1/flows/:id', {
    params: { id: 'reads' },
  });
  await call('PUT /api/v1/flows/:id', {
    params: { id: 'reads' },
    body: { flow: flowOf('reads', 'https://a.example.com'), revision, mode: 'draft' },
  });
  expect(await call('GET /api/v1/variables/:name/used-by', { params: { name: 'shop' } })).toEqual({
    flows: [{ id: 'reads', name: 'Flow reads' }],
  });
  expect(await call('GET /api/v1/secrets/:name/used-by', { params: { name: 'token' } })).toEqual({
    flows: [{ id: 'signs', name: 'Flow signs' }],
  });
});

test.each([
  ['variables', 'variable_not_found'],
  ['secrets', 'secret_not_found'],
])('Who uses one of the %s that is not there? %s', async (kind, code) => {
  const { url, ctx } = await startBed();
  const { key } = await ctx.keys.create({ name: 'asks', scopes: ['admin', 'flows:read'] });
  const answer = await fetch(`${url}/api/v1/${kind}/nowhere/used-by`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(answer.status).toBe(404);
  expect(await answer.json()).toMatchObject({ err_code: code });
});

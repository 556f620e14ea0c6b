import { expect, test } from 'vitest';
import { startBed } from '../../testing/platform-bed.ts';
import { routeCaller } from '../../testing/route-caller.ts';

const NAME = 'POST /api/v1/flows/:id/tools/try';

test('a tool of an agent is listed as a model would see it, called, and refused in words', async () => {
  const bed = await startBed();
  const { call } = await routeCaller(bed);
  const text = JSON.stringify({
    format: 1,
    id: 'greet',
    description: 'Greets people.',
    nodes: {
      start: { operator: 'trigger.manual' },
      hi: { operator: 'text.template', params: { template: 'Hello, {{ input.name }}!' } },
    },
    edges: [{ from: 'start.out', to: 'hi.in' }],
  });
  await call('POST /api/v1/flows', { body: { id: 'greet', text, mode: 'publish' } });
  const tool = { type: 'flow', name: 'greet', value: 'greet' };
  const params = { id: 'greet' };
  expect(await call(NAME, { params, body: { node: 'bot', tool } })).toMatchObject({
    tools: [{ name: 'greet', description: 'Greets people.' }],
  });
  const asked = { name: 'greet', arguments: { name: 'Ada' } };
  expect(await call(NAME, { params, body: { node: 'bot', tool, call: asked } })).toMatchObject({
    answer: { ok: true, text: 'Hello, Ada!' },
  });
  const lost = { ...tool, value: 'nowhere' };
  expect(await call(NAME, { params, body: { node: 'bot', tool: lost } })).toMatchObject({
    tools: [],
    failure: { code: 'sub_flow_missing' },
  });
});

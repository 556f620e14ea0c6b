import { expect, test } from 'vitest';
import { formatFlow } from '#engine/check';
import type { FlowSearch } from '#shared/find-text.ts';
import type { Flow } from '#shared/flow.ts';
import { actorNamed } from '../../flows/service/testing/flow-fixture.ts';
import { type Bed, startBed } from '../../testing/platform-bed.ts';
import { routeCaller } from '../../testing/route-caller.ts';

const says = (id: string, template: string): Flow => ({
  format: 1,
  id,
  nodes: {
    ask: { operator: 'trigger.http', params: { path: `/${id}`, auth: 'none' } },
    say: { operator: 'text.template', name: `Say ${id}`, params: { template } },
  },
  edges: [{ from: 'ask.out', to: 'say.in' }],
});

const save = ({ ctx }: Bed, flow: Flow) =>
  ctx.flows.save(flow.id, formatFlow(flow), {
    revision: ctx.flows.revision(flow.id),
    actor: actorNamed('owner'),
    mode: 'draft',
  });

const SEARCH = 'POST /api/v1/flows/search';

test('texts of all flows are found by words and by patterns, page by page', async () => {
  const bed = await startBed();
  const { call } = await routeCaller(bed);
  for (let n = 0; n < 130; n++) await save(bed, says(`f${String(n).padStart(3, '0')}`, `Hello ${n} world`));
  const first: FlowSearch = await call(SEARCH, { body: { find: 'HELLO' } });
  expect(first).toMatchObject({ of: 130, searched: 100, next: 'f099' });
  expect(first.flows[0]).toMatchObject({
    id: 'f000',
    hits: [
      {
        path: 'nodes.say.params.template',
        node: 'say',
        nodeName: 'Say f000',
        operator: 'text.template',
        kind: 'settings',
        text: 'Hello 0 world',
        count: 1,
      },
    ],
  });
  const second: FlowSearch = await call(SEARCH, { body: { find: 'HELLO', after: first.next } });
  expect(second.flows).toHaveLength(30);
  expect(second).not.toHaveProperty('next');
  const pattern: FlowSearch = await call(SEARCH, { body: { find: 'Hello 1?7 ', isPattern: true } });
  expect(pattern.flows.map(({ id }) => id)).toEqual(['f007', 'f017']);
  const exact: FlowSearch = await call(SEARCH, { body: { find: 'HELLO', isCaseSensitive: true } });
  expect(exact.flows).toEqual([]);
  const names: FlowSearch = await call(SEARCH, { body: { find: 'Say f00', kinds: ['names'] } });
  expect(names.flows).toHaveLength(10);
});

test('a pattern that would explode is refused with its reason', async () => {
  const { ctx, url } = await startBed();
  const { key } = await ctx.keys.create({ name: 'k', scopes: ['flows:read'] });
  for (const find of ['(a{1000}){1000}', '(?=a)', '(']) {
    const answer = await fetch(`${url}/api/v1/flows/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ find, isPattern: true }),
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      err_code: 'invalid_request',
      err_msg: expect.stringContaining('This pattern cannot be used'),
    });
  }
});

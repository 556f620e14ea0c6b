import { expect, test } from 'vitest';
import { signIn, startBed } from '../../testing/platform-bed.ts';

test('the output of a node in a body cannot be pinned, that of the node around it can', async () => {
  const bed = await startBed({});
  const owner = { ...(await signIn(bed)), 'content-type': 'application/json' };
  const inner = { operator: 'core.group', body: { start: 'inside', nodes: { deep: map(1) }, edges: [] } };
  const outer = { operator: 'core.group', body: { start: 'input', nodes: { inner }, edges: [] } };
  const flow = { format: 2, id: 'held', nodes: { t: { operator: 'trigger.manual' }, outer }, edges: [] };
  const ask = (method: string, path: string, body: object) =>
    fetch(`${bed.url}/api/v1${path}`, { method, headers: owner, body: JSON.stringify(body) });
  expect((await ask('POST', '/flows', { flow })).status).toBeLessThan(300);
  for (const node of ['deep', 'inner']) {
    const refused = await ask('PUT', `/flows/held/pins/${node}`, { outputs: { out: 1 } });
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { err_code: 'invalid_request', err_msg: expect.stringMatching(/pin that of outer/) },
    ]);
  }
  const pinned = await ask('PUT', '/flows/held/pins/outer', { outputs: { out: 1 } });
  expect([pinned.status, await pinned.json()]).toMatchObject([200, { data: { outer: { out: 1 } } }]);
});

function map(value: unknown) {
  return { operator: 'core.map', params: { value } };
}

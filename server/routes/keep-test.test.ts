import { expect, test } from 'vitest';
import { startBed } from '../testing/platform-bed.ts';

test('what a run held is kept as a test only for who may read runs', async () => {
  const bed = await startBed();
  const ask = async (scopes: readonly ('flows:write' | 'runs:read')[]) => {
    const { key } = await bed.ctx.keys.create({ name: scopes.join(), scopes: [...scopes] });
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(`${bed.url}/api/v1/runs/none/test`, { method: 'POST', headers, body: '{}' });
    return (await answer.json()) as { err_code: string; err_msg: string };
  };
  expect(await ask(['flows:write'])).toMatchObject({
    err_code: 'forbidden',
    err_msg: expect.stringContaining('`runs:read`'),
  });
  expect(await ask(['flows:write', 'runs:read'])).toMatchObject({ err_code: 'run_not_found' });
});

import { describe, expect, test } from 'vitest';
import { startBed } from '../testing/platform-bed.ts';

/** Who may start runs need not be allowed to see what earlier ones held. */
describe('a run that uses what an earlier one gave', () => {
  test.each([
    ['/runs/none/fork', {}],
    ['/flows/none/run', { reuse: 'last' }],
    ['/flows/none/run', { only: 'a' }],
    ['/flows/none/run', { from: 'a' }],
  ])('POST %s %j takes the right to read runs as well', async (path, body) => {
    const bed = await startBed();
    const ask = async (scopes: readonly ('runs:write' | 'runs:read')[]) => {
      const { key } = await bed.ctx.keys.create({ name: scopes.join(), scopes: [...scopes] });
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      return (await (await fetch(`${bed.url}/api/v1${path}`, init)).json()) as { err_code: string };
    };
    expect(await ask(['runs:write'])).toMatchObject({ err_code: 'forbidden' });
    expect((await ask(['runs:write', 'runs:read'])).err_code).toMatch(/_not_found$/);
  });
});

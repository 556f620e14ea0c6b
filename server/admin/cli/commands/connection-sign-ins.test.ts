import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  CLIENT,
  startAuthorizationServer,
} from '../../../integrations/connections/kinds/oauth2/testing/authorization-server.ts';
import { startBed, tempFolder } from '../../../testing/platform-bed.ts';
import { routeCaller } from '../../../testing/route-caller.ts';
import { runCli } from '../program.ts';
import { testIo } from '../testing/test-io.ts';
import { eventually } from '../../../../tests/support/eventually.ts';

test('weft connections authorize prints the address, waits for the sign-in, and says who it is', async () => {
  const folder = await tempFolder();
  const data = join(folder, 'data');
  const weft = (...args: string[]) => {
    const io = testIo(folder, { env: { WEFT_DATA: data } });
    return { io, code: runCli(['connections', ...args], io) };
  };
  const alone = weft('authorize', 'sheets');
  expect(await alone.code).toBe(1);
  expect(alone.io.stderr.text).toContain('Start the server first');

  const bed = await startBed({ data });
  const server = await startAuthorizationServer({ redirects: [`${bed.url}/oauth/callback`] });
  const { call } = await routeCaller(bed);
  const params = { name: 'sheets' };
  const settings = {
    issuer: server.origin,
    clientId: CLIENT.id,
    secret: CLIENT.secret,
    address: `${server.origin}/api`,
    scopes: ['openid', 'email'],
  };
  await call('PUT /api/v1/connections/:name', { params, body: { kind: 'oauth2', settings } });
  const { io, code } = weft('authorize', 'sheets');
  await eventually(() => expect(io.stdout.text).toMatch(/\n$/));
  const address = io.stdout.text.trim();
  expect(address).toMatch(`${bed.url}/oauth/start?state=`);
  expect(io.stderr.text).toContain('WEFT_PUBLIC_URL');
  const begun = await fetch(address, { redirect: 'manual' });
  const cookie = (begun.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
  const back = await server.consent(begun.headers.get('location') ?? '');
  expect((await fetch(back, { headers: { cookie } })).status).toBe(200);
  expect(await code).toBe(0);
  expect(io.stderr.text).toContain('Connected as ada@example.com.');

  // The answers of these routes fit their descriptions.
  expect(await call('GET /api/v1/connections/providers', {})).toMatchObject({ isLocal: true });
  const started = (await call('POST /api/v1/connections/:name/sign-ins', { params })) as { id: string };
  expect(
    await call('GET /api/v1/connections/:name/sign-ins/:id', { params: { ...params, id: started.id } }),
  ).toEqual({ state: 'waiting' });
});

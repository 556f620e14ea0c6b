import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { helloFlow } from '../../flows/service/testing/flow-fixture.ts';
import { createAccess } from '../../access/security/access.ts';
import { sha256 } from '../../access/security/secrets.ts';
import { type RunningServer, startServer } from '../../server.ts';
import { triggerPrefix } from '../triggers/front-door.ts';
import { testConfig } from '../../testing/fake-context.ts';

let folder: string;
let server: RunningServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weft-'));
  const flows = join(folder, 'flows');
  await mkdir(flows);
  await writeFile(join(flows, 'greets.json'), helloFlow('greets', { says: '{{ vars.greet }}' }));
  await writeFile(join(flows, 'careful.json'), helloFlow('careful', { says: "{{ vars.greet ?? 'Hi' }}" }));
  const config = testConfig({
    flows: [flows],
    operators: join(folder, 'operators'),
    data: join(folder, 'data'),
  });
  const key = { id: 'k', name: 'k', hash: sha256('k'), createdAt: '2026-01-01T00:00:00Z' };
  const access = createAccess(config, [{ ...key, scopes: ['flows:read', 'admin'] }]);
  server = await startServer(config, { access, editorFiles: '/nonexistent' });
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

async function call(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; data: unknown }> {
  const headers = { authorization: 'Bearer k', 'content-type': 'application/json' };
  const answer = await fetch(`http://127.0.0.1:${server.port}/api/v1${path}`, {
    method,
    headers: body === undefined ? { authorization: 'Bearer k' } : headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, data: ((await answer.json()) as { data: unknown }).data };
}

const greets = async (): Promise<{ status: number; text: string }> => {
  const answer = await fetch(`http://127.0.0.1:${server.port}${triggerPrefix}/greets`);
  return { status: answer.status, text: await answer.text() };
};

async function problems(): Promise<string[]> {
  const { data } = await call('GET', '/flows/greets');
  return (data as { problems: { code: string }[] }).problems.map(({ code }) => code);
}

test('a flow that waits for a variable goes live with it, and has a problem once it is deleted', async () => {
  expect(await problems()).toEqual(['unknown-variable']);
  expect((await greets()).status).toBe(404);

  expect((await call('PUT', '/variables/greet', { value: 'Hello' })).status).toBe(200);
  expect(await problems()).toEqual([]);
  expect(await greets()).toMatchObject({ status: 200, text: expect.stringContaining('Hello') });

  await call('PUT', '/variables/greet', { value: 'Welcome' });
  expect(await greets()).toMatchObject({ status: 200, text: expect.stringContaining('Welcome') });
  await call('PUT', '/variables/other', { value: 1 });
  expect((await call('DELETE', '/variables/other')).data).toEqual({ usedBy: [] });

  expect((await call('DELETE', '/variables/greet')).data).toEqual({ usedBy: ['greets'] });
  expect(await problems()).toEqual(['unknown-variable']);
});

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from './support/client.ts';
import { eventually } from './support/eventually.ts';
import { httpTrigger, write } from './support/flows.ts';
import { type Program, startProgram } from './support/process.ts';
import { discard, product, startServer, tempFolder, type TestServer } from './support/server.ts';

/** A server whose code runs in a sandbox that was started apart from it, as in a container of its own. */
const folder = tempFolder('code-apart');
const socket = join(folder, 'code.sock');
let program: Program;
let server: TestServer;

async function startSandbox(): Promise<void> {
  const env = { WEFT_CODE_HOST: `unix:${socket}` };
  program = startProgram(process.execPath, [join(product, 'server/code-host.js')], { env });
  await program.prints(/waits for servers/);
}

beforeAll(async () => {
  await startSandbox();
  const flows = tempFolder('flows');
  const source = 'if (input.loop) for (;;);\nreturn { sum: input.a + input.b };';
  write(flows, 'add.json', {
    format: 1,
    id: 'add',
    nodes: {
      code: { operator: 'code.run', params: { source, language: 'javascript', cpuMs: 100 } },
      trigger: httpTrigger('/add', { methods: ['POST'] }),
    },
    edges: [{ from: 'trigger.out', to: 'code.in' }],
  });
  server = await startServer({ flows, env: { WEFT_CODE_HOST: `unix:${socket}` } });
});
afterAll(async () => {
  await discard(server);
  program.child.kill('SIGTERM');
  await program.ended;
  rmSync(folder, { recursive: true, force: true });
});

const add = (body: object) =>
  call(server, '/add', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

test('code runs there, and code that does not end fails alone', async () => {
  expect(await add({ a: 1, b: 2 })).toMatchObject({ status: 200, body: { sum: 3 } });
  expect(await add({ loop: true })).toMatchObject({ body: { err_code: 'code_timeout' } });
  expect(await add({ a: 2, b: 2 })).toMatchObject({ status: 200, body: { sum: 4 } });
});

test('a sandbox that is killed fails calls with a code, and those after its return are answered', async () => {
  program.child.kill('SIGKILL');
  await program.ended;
  const { status, body } = await add({ a: 1, b: 2 });
  expect(status).toBe(503);
  expect((body as { err_code: string }).err_code).toBe('code_unavailable');
  await startSandbox();
  await eventually(async () =>
    expect(await add({ a: 3, b: 3 })).toMatchObject({ status: 200, body: { sum: 6 } }),
  );
});

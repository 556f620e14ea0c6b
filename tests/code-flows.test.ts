import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FlowRecord } from '../server/flows/service/flow-types.ts';
import { call, type Owner, signIn } from './support/client.ts';
import { startProgram } from './support/process.ts';
import { discard, product, root, startServer, tempFolder, type TestServer } from './support/server.ts';
import { PATIENCE_MS } from './support/eventually.ts';

/** Flows written in code, on a real server whose folder has broken ones too. */
let server: TestServer;
let owner: Owner;

const broken = {
  throws: "throw new Error('no luck today');\n",
  exits: 'process.exit(1);\n',
  syntax: 'const a = ;\n',
};

beforeAll(async () => {
  const flows = tempFolder('flows');
  copyFileSync(join(root, 'flows/examples/hello_code.ts'), join(flows, 'hello_code.ts'));
  copyFileSync(join(root, 'flows/examples/simple_dag_example.json'), join(flows, 'simple_dag_example.json'));
  for (const [id, text] of Object.entries(broken)) writeFileSync(join(flows, `${id}.ts`), text);
  server = await startServer({ flows });
  owner = await signIn(server);
});

afterAll(() => discard(server));

const flowOf = (id: string) => owner.data<FlowRecord & { flow?: { nodes: object } }>('GET', `/flows/${id}`);

test('a flow in code answers like any other, beside flows in files', async () => {
  expect((await call(server, '/examples/hello-code?name=Ada')).body).toBe('Hello, Ada, your age is 18');
  expect((await call(server, '/examples/hello?name=Ada')).body).toBe('Hello, Ada, your age is 18');
  expect((await call(server, '/examples/hello-code')).status).toBe(400);
});

test('the API shows it with its nodes, and says that it is read-only', async () => {
  const record = await flowOf('hello_code');
  expect(record).toMatchObject({ state: 'live', readOnly: true, file: 'hello_code.ts', problems: [] });
  expect(Object.keys(record.flow?.nodes ?? {})).toEqual(['map', 'respond', 'trigger']);
});

test('the API cannot change it, remove it, or take code', async () => {
  const { revision } = await flowOf('hello_code');
  const text = '{"format":1,"id":"hello_code","nodes":{},"edges":[]}';
  const refused = { status: 403, body: { err_code: 'read_only' } };
  expect(await owner.api('PUT', '/flows/hello_code', { text, revision })).toMatchObject(refused);
  expect(await owner.api('DELETE', `/flows/hello_code?revision=${revision}`)).toMatchObject(refused);
  expect(await owner.api('POST', '/flows', { id: 'in_code', text: 'export default 1;' })).toMatchObject({
    body: { data: { state: 'draft' } },
  });
  expect((await call(server, '/examples/hello-code?name=Ada')).status).toBe(200);
});

test.each(Object.keys(broken))('the broken file %s.ts is listed with its problem', async (id) => {
  expect(await flowOf(id)).toMatchObject({
    state: 'broken',
    readOnly: true,
    problems: [{ code: 'broken-code' }],
  });
});

test('a change of the file is not taken over while the server runs', async () => {
  writeFileSync(join(server.flows, 'hello_code.ts'), 'process.exit(1);\n');
  const other = join(server.flows, 'added.json');
  writeFileSync(other, '{"format":1,"id":"added","nodes":{"t":{"operator":"trigger.manual"}},"edges":[]}');
  const stateOf = async () =>
    ((await owner.api('GET', '/flows/added')).body as { data?: FlowRecord }).data?.state;
  await expect.poll(stateOf, { timeout: PATIENCE_MS }).toBe('live');
  expect(await flowOf('hello_code')).toMatchObject({ state: 'live', problems: [] });
  expect((await call(server, '/examples/hello-code?name=Ada')).status).toBe(200);
});

test('WEFT_CODE_FLOWS=off loads none', async () => {
  const without = await startServer({ flows: server.flows, env: { WEFT_CODE_FLOWS: 'off' } });
  try {
    expect((await call(without, '/examples/hello-code?name=Ada')).status).toBe(404);
    const list = await (await signIn(without)).data<FlowRecord[]>('GET', '/flows');
    expect(list.map(({ id }) => id)).not.toContain('hello_code');
  } finally {
    await without.stop();
  }
});

test('`node` runs the file by itself, where it ends in serve', async () => {
  const folder = tempFolder('alone');
  const file = join(folder, 'alone.ts');
  writeFileSync(
    file,
    `import { flow, serve } from '${join(product, 'server/admin/cli/weft-module')}${product === root ? '.ts' : '.js'}';
    export default serve(flow('alone', (f) => f.trigger.http({ path: '/alone', auth: 'none' }).map(() => 'here')), { port: 0 });`,
  );
  const program = startProgram(process.execPath, [file], { cwd: folder, group: true });
  const [, url] = await program.prints(/serves on (http:[^\s;]+)/);
  expect(await (await fetch(`${url}/api/v1/awel/trigger/alone`)).json()).toBe('here');
  expect((await program.interrupt()).code).toBe(0);

  const refused = startProgram(process.execPath, [file, '--port', '70000'], { cwd: folder, group: true });
  expect(await refused.ended).toMatchObject({ code: 2, stderr: expect.stringContaining('0 to 65535') });
  const moved = startProgram(process.execPath, [file, '--port', new URL(url as string).port], {
    cwd: folder,
    group: true,
  });
  await moved.prints(new RegExp(`serves on ${url}`));
  expect((await moved.interrupt()).code).toBe(0);
});

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startBed, tempFolder } from '../../../testing/platform-bed.ts';
import { eventually } from '../../../../tests/support/eventually.ts';
import { runCli } from '../program.ts';
import { testIo } from '../testing/test-io.ts';

const description = `
openapi: 3.0.0
info: { title: Birds, version: "1" }
servers: [{ url: "https://birds.example.com" }]
paths:
  /birds:
    get: { operationId: listBirds, summary: List birds, responses: { "200": { description: All. } } }
    post: { operationId: addBird, deprecated: true, responses: { "204": { description: Done. } } }
`;

test('weft services adds, lists, shows and removes, and a server that runs notices', async () => {
  const folder = await tempFolder();
  const flows = join(folder, 'flows');
  await writeFile(join(folder, 'birds.yaml'), description);
  const weft = async (...args: string[]) => {
    const io = testIo(folder, { env: { WEFT_DATA: join(folder, 'data'), WEFT_FLOWS: flows } });
    const code = await runCli(['services', ...args], io);
    return { code, out: io.stdout.text, err: io.stderr.text };
  };
  const server = await startBed({ flows: [flows] });
  const listed = await weft('add', 'birds.yaml', '--list');
  expect(listed).toEqual({
    code: 0,
    out: 'Birds 1: 2 calls\n  list-birds  GET     List birds\n  add-bird    POST    Add bird (deprecated)\n',
    err: '',
  });
  expect(await weft('add', 'birds.yaml')).toMatchObject({ code: 1, err: expect.stringContaining('--calls') });
  expect(await weft('add', 'birds.yaml', '--calls', 'list-birds')).toMatchObject({
    code: 0,
    out: 'Added birds: birds.list-birds\n',
  });
  expect(JSON.parse(await readFile(join(flows, '.services', 'birds.json'), 'utf8'))).toMatchObject({
    id: 'birds',
  });
  await eventually(() => expect(server.ctx.registry.operators.has('birds.list-birds')).toBe(true));
  expect((await weft('list')).out).toMatch(
    /birds +Birds, 1 call, added\n[^]*telegram +Telegram, \d+ calls\n/,
  );
  expect((await weft('show', 'birds')).out).toContain('birds.list-birds  List birds');
  expect(JSON.parse((await weft('show', 'telegram', '--json')).out)).toMatchObject({
    format: 'weft-service/1',
  });
  expect(await weft('add', 'birds.yaml', '--calls', 'add-bird')).toMatchObject({
    code: 1,
    err: expect.stringContaining('There is a service birds already.'),
  });
  expect(await weft('add', 'birds.yaml', '--calls', 'add-bird', '--replace')).toMatchObject({ code: 0 });
  expect(await weft('add', 'none.yaml')).toMatchObject({ code: 2 });
  // It belongs to the product.
  expect(await weft('remove', 'telegram')).toMatchObject({
    code: 1,
    err: expect.stringContaining('There is no service telegram.'),
  });
  expect(await weft('remove', 'birds')).toMatchObject({ code: 0 });
  await eventually(() => expect(server.ctx.registry.operators.has('birds.add-bird')).toBe(false));
});

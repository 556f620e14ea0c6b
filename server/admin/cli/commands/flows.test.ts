import { expect, test } from 'vitest';
import { formatFlow } from '#engine/check';
import type { FlowSummary } from '#shared/api.ts';
import { actorNamed } from '../../../flows/service/testing/flow-fixture.ts';
import { startBed, tempFolder } from '../../../testing/platform-bed.ts';
import { testIo } from '../testing/test-io.ts';
import { runCli } from '../program.ts';

test('weft flows lists flows, moves and tags them, and refuses what cannot be a folder or a tag', async () => {
  const bed = await startBed();
  const { key } = await bed.ctx.keys.create({
    name: 'ops',
    scopes: ['flows:read', 'flows:write', 'flows:publish'],
  });
  for (const id of ['orders', 'other']) {
    const text = formatFlow({ format: 1, id, nodes: {}, edges: [] });
    await bed.ctx.flows.save(id, text, { revision: undefined, actor: actorNamed('owner'), mode: 'draft' });
  }
  const folder = await tempFolder();
  const weft = async (...args: string[]) => {
    const io = testIo(folder);
    const code = await runCli(['flows', ...args, '--url', bed.url, '--key', key], io);
    return { code, out: io.stdout.text, err: io.stderr.text };
  };
  expect(await weft('move', 'orders', 'Sales/Orders')).toMatchObject({
    code: 0,
    out: 'orders  draft  Sales/Orders\n',
  });
  expect((await weft('tag', 'orders', 'vip', 'eu')).out).toBe('orders  draft  Sales/Orders  #vip  #eu\n');
  expect((await weft('list')).out).toBe('orders  draft  Sales/Orders  #vip  #eu\nother  draft\n');
  expect((await weft('list', '--folder', 'Sales')).out).toMatch(/^orders/);
  expect((await weft('list', '--tag', 'vip')).out).not.toContain('other');
  const { out } = await weft('list', '--tag', 'eu', '--json');
  expect((JSON.parse(out) as FlowSummary[]).map(({ id }) => id)).toEqual(['orders']);
  expect(await weft('list', '--tag', 'none')).toMatchObject({ code: 0, out: '' });
  expect((await weft('move', 'orders')).out).toBe('orders  draft  #vip  #eu\n');
  expect((await weft('tag', 'orders')).out).toBe('orders  draft\n');
  expect(await weft('move', 'orders', '/Sales')).toMatchObject({ code: 2 });
  expect(await weft('tag', 'orders', 'vip', 'vip')).toMatchObject({ code: 2 });
  expect(await weft('move', 'nowhere', 'Sales')).toMatchObject({ code: 1 });
});

test('a command finds the server that uses the data folder, whatever its port, and says how to name another one', async () => {
  const bed = await startBed();
  const { key } = await bed.ctx.keys.create({ name: 'ops', scopes: ['flows:read'] });
  const weft = async (env: Readonly<Record<string, string>>) => {
    const io = testIo(await tempFolder(), { env: { WEFT_API_KEY: key, ...env } });
    return { code: await runCli(['flows', 'list', '--json'], io), err: io.stderr.text };
  };
  const { data } = bed.ctx.config;
  expect(await weft({ WEFT_DATA: data })).toEqual({ code: 0, err: '' });
  const named = await weft({ WEFT_DATA: data, WEFT_PORT: '1' });
  expect(named).toEqual({
    code: 1,
    err: expect.stringMatching(/127\.0\.0\.1:1 cannot be reached .*name it with --url or WEFT_PORT/),
  });
  await bed.stop();
  expect(await weft({ WEFT_DATA: data, WEFT_PORT: '' })).toMatchObject({ code: 1 });
});

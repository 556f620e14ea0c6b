import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ConnectionInfo, ConnectionTest } from '#shared/connection.ts';
import type { KeptMail, ShopState } from '#shared/shop.ts';
import { copyOfExamples } from '../../../tests/support/flows.ts';
import { startServer } from '../../server.ts';
import { testConfig } from '../../testing/fake-context.ts';
import { type Bed, startBed, tempFolder } from '../../testing/platform-bed.ts';
import { type RouteCaller, routeCaller } from '../../testing/route-caller.ts';

async function openShop(): Promise<{ bed: Bed; call: RouteCaller['call'] }> {
  const bed = await startBed();
  const { call } = await routeCaller(bed);
  const state: ShopState = await call('PUT /api/v1/shop', { body: { on: true } });
  expect(state).toEqual({ on: true, here: true, service: `${bed.url}/small-shop`, mails: 0 });
  return { bed, call };
}

test('all of the shop can be reached through its connections, and what flows have stored survives a second opening', async () => {
  const { bed, call } = await openShop();
  for (const name of ['shop', 'shop_mail', 'shop_service']) {
    const tested: ConnectionTest = await call('POST /api/v1/connections/:name/test', { params: { name } });
    expect([name, tested.ok, tested.ok ? '' : tested]).toEqual([name, true, '']);
  }
  const space = (await (await bed.ctx.knowledge.opened()).spaces()).find(
    ({ name }) => name === 'shop_handbook',
  );
  expect(space).toMatchObject({ documents: 3, model: null });
  await bed.ctx.connections.put('shop', {
    ...known(bed, 'shop'),
    grants: { flows: ['mine'], drafts: true },
  });
  await call('PUT /api/v1/shop', { body: { on: true } });
  expect(known(bed, 'shop').grants).toEqual({ flows: ['mine'], drafts: true });
});

const known = (bed: Bed, name: string) => {
  const { kind, settings, grants } = bed.ctx.connections
    .list()
    .find((one) => one.name === name) as ConnectionInfo;
  return { kind, settings, grants };
};

test('the example flows work with its database, without any settings', async () => {
  const bed = await startBed({ flows: [copyOfExamples()] });
  const { call } = await routeCaller(bed);
  const order = async () => {
    const answer = await fetch(`${bed.url}/api/v1/awel/trigger/examples/shop/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ items: [{ product: 'Lamp', quantity: 2, price: 12.5 }] }),
    });
    return answer.text();
  };
  expect(await order()).toContain('connection_missing');
  await call('PUT /api/v1/shop', { body: { on: true } });
  expect(await order()).toContain('Lamp');
});

test('after a start on another port its service is reached through its connection, with the same grants', async () => {
  const folder = await tempFolder();
  const config = testConfig({ flows: [join(folder, 'flows')], data: join(folder, 'data') });
  const first = await startServer(config, { editorFiles: '/nonexistent' });
  const { openShop: open } = await import('./shop.ts');
  await open(first.ctx);
  const service = first.ctx.connections.list().find(({ name }) => name === 'shop_service');
  await first.ctx.connections.put('shop_service', {
    ...(service as ConnectionInfo),
    grants: { flows: ['f'] },
  });
  await first.stop();
  const held = createServer().listen(first.port, '127.0.0.1');
  onTestFinished(() => void held.close());
  await once(held, 'listening');
  const second = await startServer(config, { editorFiles: '/nonexistent' });
  onTestFinished(() => second.stop());
  expect(second.port).not.toBe(first.port);
  const found = second.ctx.connections.list().find(({ name }) => name === 'shop_service');
  expect(found).toMatchObject({
    settings: { address: `http://127.0.0.1:${second.port}/small-shop` },
    grants: { flows: ['f'] },
  });
  expect(await second.ctx.connections.test('shop_service')).toMatchObject({ ok: true });
});

test('its service answers nobody but its connection, and only while the shop is open', async () => {
  const { bed, call } = await openShop();
  expect((await fetch(`${bed.url}/small-shop/rates`)).status).toBe(401);
  const headers = { authorization: 'Bearer a-wrong-one' };
  expect((await fetch(`${bed.url}/small-shop/rates`, { headers })).status).toBe(401);
  await call('PUT /api/v1/shop', { body: { on: false } });
  expect((await fetch(`${bed.url}/small-shop/rates`, { headers })).status).toBe(404);
  expect(bed.ctx.connections.list()).toEqual([]);
  expect(await (await bed.ctx.knowledge.opened()).spaces()).toEqual([]);
  expect(await call('GET /api/v1/shop')).toMatchObject({ on: false, mails: 0 });
});

test('a mail is kept, and one mail that is tried again is kept once', async () => {
  const { bed, call } = await openShop();
  await bed.ctx.connections.put('shop_mail', { ...known(bed, 'shop_mail'), grants: { flows: ['f'] } });
  const by = { flow: 'f', version: 'v', run: 'r', node: 'n', operator: 'mail.send' };
  const send = (key: string, subject: string) =>
    bed.ctx.connections.actions.ask(
      {
        connection: 'shop_mail',
        kind: 'smtp',
        action: 'send',
        given: { to: ['Ada <ada@example.com>'], bcc: ['boss@example.com'], subject, text: 'Hello', key },
        timeoutMs: 5000,
      },
      by,
      new AbortController().signal,
    );
  const [first] = [await send('a', 'One'), await send('a', 'One'), await send('b', 'Two')];
  expect(first).toMatchObject({ accepted: ['ada@example.com', 'boss@example.com'], rejected: [] });
  const mails: KeptMail[] = await call('GET /api/v1/shop/mails');
  expect(mails.map(({ subject }) => subject).sort()).toEqual(['One', 'Two']);
  expect(mails[0]).toMatchObject({
    from: 'Small shop <shop@example.com>',
    to: ['Ada <ada@example.com>', 'boss@example.com'],
    html: null,
    attachments: [],
  });
  await call('DELETE /api/v1/shop/mails');
  expect(await call('GET /api/v1/shop/mails')).toEqual([]);
});

test('a connection of somebody else with a name of the shop is left alone', async () => {
  const bed = await startBed();
  const { key } = await bed.ctx.keys.create({ name: 'admin', scopes: ['admin'] });
  await bed.ctx.connections.put('shop', { kind: 'sqlite', settings: { folder: 'mine', file: 'a.db' } });
  const answer = await fetch(`${bed.url}/api/v1/shop`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{"on":true}',
  });
  expect(await answer.json()).toMatchObject({ err_code: 'shop_name_taken' });
  expect(bed.ctx.connections.list().map(({ name }) => name)).toEqual(['shop']);
});

import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { formatFlow } from '#engine/check';
import { eventually } from '../../../../../../tests/support/eventually.ts';
import { startVendor, type VendorName } from '../../../../../execution/sources/testing/vendors.ts';
import { startBed, tempFolder } from '../../../../../testing/platform-bed.ts';
import { accounted, importedShort } from '../../testing/service-bed.ts';

/** Triggers of n8n whose services call: they register themselves here as well, and their items have the fields that they have there. */

const imported = async (kind: string, parameters: Record<string, unknown>) => {
  const { flows, report } = await importedShort({
    nodes: {
      On: accounted([kind, parameters]),
      Item: ['set@3.4', { includeOtherFields: true, assignments: { assignments: [] } }],
    },
    wires: ['On > Item'],
  });
  const [flow] = flows;
  if (flow === undefined) throw new Error('Nothing was imported.');
  return { flow, report };
};

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** What runs of an imported workflow end with, when the stand-in of the service has sent these events. */
async function itemsOf(
  name: VendorName,
  [kind, parameters]: readonly [string, Record<string, unknown>],
  sent: readonly (readonly [event: string, body: unknown])[],
  count = sent.length,
): Promise<unknown[]> {
  const { flow, report } = await imported(kind, parameters);
  expect(report.nodes.filter(({ word }) => word === 'placeholder')).toEqual([]);
  expect(report.changes.filter(({ effect }) => effect === 'lost')).toEqual([]);
  const [need] = report.needs.filter((one) => one.kind === 'connection');
  const vendor = await startVendor(name);
  onTestFinished(() => vendor.close());
  const folder = await tempFolder();
  await writeFile(join(folder, `${flow.id}.json`), formatFlow(flow));
  const port = await freePort();
  const bed = await startBed({ flows: [folder], port, publicUrl: `http://127.0.0.1:${port}` });
  await bed.ctx.connections.put(need?.name ?? '', {
    kind: 'http',
    settings: { address: vendor.url, secret: '123:abc', auth: name === 'telegram' ? 'address' : 'bearer' },
    grants: { flows: [flow.id] },
  });
  await bed.ctx.flows.worldChanged('connections');
  await eventually(() => expect(vendor.hooks).toHaveLength(1));
  // The service sends again while the server has not stored the secret that it was given.
  for (const [event, body] of sent)
    await eventually(async () => expect(await vendor.send(event, body)).toEqual([200]));
  const ended = async (): Promise<unknown[]> => {
    const runs = await bed.ctx.durable.list({ flow: flow.id, status: ['ok', 'failed'], limit: 100 });
    return runs.map(({ status, answer }) => (status === 'ok' ? answer?.body : status)).reverse();
  };
  await eventually(async () => expect((await ended()).length).toBe(sent.length));
  const items = (await ended()).filter((one) => one !== undefined && one !== null);
  expect(items).toHaveLength(count);
  return items;
}

const said = (id: number, chat: number, from: number): readonly [string, unknown] => [
  'message',
  { update_id: id, message: { message_id: id, chat: { id: chat }, from: { id: from }, text: 'Hello' } },
];

test('a message to a bot', async () => {
  const items = await itemsOf(
    'telegram',
    ['telegramTrigger@1.2', { updates: ['message'], additionalFields: {} }],
    [said(1, 42, 7)],
  );
  expect(items).toEqual([said(1, 42, 7)[1]]);
});

test('messages of some chats and people only', async () => {
  const items = await itemsOf(
    'telegram',
    ['telegramTrigger@1.2', { updates: ['message'], additionalFields: { chatIds: '42, 43', userIds: '7' } }],
    [said(1, 42, 7), said(2, 44, 7), said(3, 43, 8)],
    1,
  );
  expect(items).toEqual([said(1, 42, 7)[1]]);
});

test('an event of a repository', async () => {
  const body = { action: 'opened', issue: { number: 1 } };
  const on = [
    'githubTrigger@1',
    {
      authentication: 'oAuth2',
      owner: { __rl: true, mode: 'name', value: 'acme' },
      repository: { __rl: true, mode: 'list', value: 'shop' },
      events: ['issues'],
    },
  ] as const;
  expect(await itemsOf('github', on, [['issues', body]])).toEqual([
    { body, headers: { 'x-github-event': 'issues' }, query: {} },
  ]);
});

test('an event of Stripe', async () => {
  const event = { id: 'evt_1', object: 'event', type: 'invoice.paid', data: { object: { id: 'in_1' } } };
  const on = ['stripeTrigger@1', { events: ['invoice.paid'] }] as const;
  expect(await itemsOf('stripe', on, [['invoice.paid', event]])).toEqual([event]);
});

test('all events are those that the trigger has, which is told', async () => {
  const { flow, report } = await imported('githubTrigger@1', {
    owner: 'acme',
    repository: 'https://github.com/acme/shop',
    events: ['*'],
  });
  expect(Object.values(flow.nodes)[0]).toMatchObject({
    operator: 'github.events',
    params: { repository: 'https://github.com/acme/shop', events: expect.arrayContaining(['push', 'star']) },
  });
  expect(report.changes).toContainEqual(expect.objectContaining({ before: '*', effect: 'changed' }));
});

test.each([
  ['githubTrigger@1', { owner: 'acme', repository: 'shop', events: ['issues', 'fork'] }],
  ['stripeTrigger@1', { events: ['payout.paid'] }],
  ['telegramTrigger@1.2', { updates: ['inline_query'] }],
] as const)(
  '%s with an event that the trigger does not have is called at an address',
  async (kind, params) => {
    const { flow, report } = await imported(kind, params);
    expect(Object.values(flow.nodes)[0]).toMatchObject({ operator: 'trigger.http' });
    expect(report.needs).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('to call /api/v1/awel/trigger/') }),
    );
  },
);

import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { onTestFinished, test } from 'vitest';
import { startVendor, type Vendor } from '../../../server/execution/sources/testing/vendors.ts';
import { auditOf } from '../../editor/support/audit.ts';
import { freshId, openFlow } from '../../editor/support/fixtures.ts';
import type { FlowPage } from '../../editor/support/flow-page.ts';
import { useOwnStage } from '../../editor/support/stage.ts';
import { eventually } from '../../support/eventually.ts';
import { expect } from '../../support/expect.ts';

/** What the editor tells of triggers that register themselves at a service. */

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const port = await freePort();
const stage = useOwnStage({
  env: { WEFT_PORT: String(port), WEFT_PUBLIC_URL: `http://127.0.0.1:${port}` },
});
const INSPECTOR = 'aside[aria-label="Inspector"]';

async function vendorOf(name: 'github' | 'telegram'): Promise<Vendor> {
  const vendor = await startVendor(name);
  onTestFinished(() => vendor.close());
  return vendor;
}

/** A live flow whose trigger a service calls. */
async function calledBy(
  vendor: Vendor,
  operator: string,
  params: Record<string, unknown>,
  auth = 'bearer',
): Promise<string> {
  const id = freshId();
  await stage.owner.data('PUT', `/connections/${id}`, {
    kind: 'http',
    settings: { address: vendor.url, secret: '123:abc', auth },
    grants: { flows: [id] },
  });
  await stage.putFlow(flowOf(id, operator, params));
  return id;
}

const flowOf = (id: string, operator: string, params: Record<string, unknown>) => ({
  format: 1,
  id,
  nodes: { called: { operator, params: { connection: id, ...params } }, same: { operator: 'core.map' } },
  edges: [{ from: 'called.out', to: 'same.in' }],
});

const shop = { repository: 'acme/shop', events: ['issues'] };
const facts = (flow: FlowPage) => flow.inspector.getByRole('group', { name: 'Source' });
const state = (flow: FlowPage) => facts(flow).getByRole('status', { name: 'State of the registration' });

async function opened(id: string): Promise<FlowPage> {
  const flow = await openFlow(stage, id);
  await flow.select('called');
  return flow;
}

test('Are a registration, its last event, and one that failed to be read, in both themes?', async () => {
  const vendor = await vendorOf('github');
  const good = await opened(await calledBy(vendor, 'github.events', shop));
  await expect(state(good)).toHaveText('Registered');
  await expect(facts(good)).toContainText('Last eventnone yet');
  expect(await vendor.send('issues', { action: 'opened', issue: { number: 1 } })).toEqual([200]);
  await expect(facts(good)).toContainText('(issues)');
  const one = auditOf(good.page);
  await one.look('registered', INSPECTOR);
  expect(one.found).toEqual([]);

  const bad = await opened(await calledBy(vendor, 'github.events', { ...shop, repository: 'acme/other' }));
  await expect(state(bad)).toContainText('Not registered');
  await expect(state(bad)).toContainText('There is no such repository');
  const other = auditOf(bad.page);
  await other.look('failed', INSPECTOR);
  expect(other.found).toEqual([]);
});

test('Does publishing tell of a registration that fails, and lead to its trigger?', async () => {
  const vendor = await vendorOf('github');
  const id = await calledBy(vendor, 'github.events', shop);
  await eventually(() => expect(vendor.hooks).toHaveLength(1));
  const { revision } = await stage.owner.data<{ revision: string }>('GET', `/flows/${id}`);
  const draft = flowOf(id, 'github.events', { ...shop, repository: 'acme/gone' });
  await stage.owner.data('PUT', `/flows/${id}`, { flow: draft, revision, mode: 'draft' });
  const flow = await openFlow(stage, id);
  await flow.publish();
  const told = flow.page.getByRole('region', { name: 'Notifications' });
  await expect(told).toContainText(
    '“On an event of a repository” is live, but not registered at its service.',
  );
  await expect(told).toContainText('There is no such repository');
  await told.getByText('Show it', { exact: true }).click();
  await expect(state(flow)).toContainText('Not registered');
  await expect(facts(flow)).toContainText('The earlier registration starts runs until the new one is there.');
});

test('Does publishing say nothing more of one that is made?', async () => {
  const vendor = await vendorOf('github');
  const flow = await opened(await calledBy(vendor, 'github.events', shop));
  await expect(state(flow)).toHaveText('Registered');
  await flow.inspector.getByRole('button', { name: 'A star', exact: true }).click();
  await flow.publish();
  await expect.poll(() => vendor.hooks.map(({ events }) => [...events].sort())).toEqual([['issues', 'star']]);
  await expect(flow.page.getByText('not registered at its service')).toHaveCount(0);
});

test('Is the place of another server taken only after a question that says what happens?', async () => {
  const vendor = await vendorOf('telegram');
  vendor.hooks.push({
    id: '',
    url: 'https://production.example/hooks/1',
    secret: 's',
    events: ['message'],
  });
  const flow = await opened(await calledBy(vendor, 'telegram.updates', { events: ['message'] }, 'address'));
  await expect(state(flow)).toContainText('hook_taken');
  const { look, found } = auditOf(flow.page);
  await look('taken', INSPECTOR);
  await flow.inspector.getByRole('button', { name: 'Take over…' }).click();
  const dialog = flow.page.getByRole('dialog', { name: 'Take the place of another server?' });
  await expect(dialog).toContainText('receives nothing from then on');
  await look('asking', '[role=dialog]');
  expect(vendor.hooks[0]?.url).toContain('production');
  await dialog.getByRole('button', { name: 'Take over' }).click();
  await expect(state(flow)).toHaveText('Registered');
  expect(found).toEqual([]);
});

test('Is the state of a registration to be read on a phone, without scrolling aside?', async () => {
  const vendor = await vendorOf('github');
  const id = await calledBy(vendor, 'github.events', { ...shop, repository: 'acme/other' });
  const page = await stage.visit(`/flows/${id}`, { viewport: { width: 390, height: 844 }, hasTouch: true });
  await page
    .getByRole('button', { name: /On an event of a repository/ })
    .first()
    .tap();
  const said = page.getByRole('status', { name: 'State of the registration' });
  await expect(said).toContainText('There is no such repository');
  await expect(said).toBeInViewport();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  const { look, found } = auditOf(page);
  await look('phone');
  expect(found).toEqual([]);
});

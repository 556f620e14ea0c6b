import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { onTestFinished, test } from 'vitest';
import {
  startVendor,
  type Vendor,
  type VendorName,
} from '../../../server/execution/sources/testing/vendors.ts';
import { auditOf } from '../../editor/support/audit.ts';
import { freshId } from '../../editor/support/fixtures.ts';
import { useOwnStage } from '../../editor/support/stage.ts';
import { eventually } from '../../support/eventually.ts';
import { expect } from '../../support/expect.ts';

/** The screen with what triggers have registered at services. */

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

async function vendorOf(name: VendorName): Promise<Vendor> {
  const vendor = await startVendor(name);
  onTestFinished(() => vendor.close());
  return vendor;
}

/** A live flow whose trigger a service calls; its connection has its id. */
async function calledBy(vendor: Vendor, operator: string, params: object, auth = 'bearer'): Promise<string> {
  const id = freshId();
  await stage.owner.data('PUT', `/connections/${id}`, {
    kind: 'http',
    settings: { address: vendor.url, secret: '123:abc', auth },
    grants: { flows: [id] },
  });
  const nodes = {
    called: { operator, params: { connection: id, ...params } },
    same: { operator: 'core.map' },
  };
  await stage.putFlow({ format: 1, id, nodes, edges: [{ from: 'called.out', to: 'same.in' }] });
  return id;
}

/** Pictures for people, if somebody asks for them. */
async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['TEST_SHOTS'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1440, 390]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await page.screenshot({ path: `${folder}/${name}-${colorScheme}-${width}.png` });
    }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1440, height: 900 });
}

const shop = { repository: 'acme/shop', events: ['issues'] };
const rowOf = (page: Page, id: string) => page.getByRole('row').filter({ hasText: id });
const details = (page: Page) => page.getByRole('complementary', { name: 'Details' });

test('Does an empty list say what a webhook is, and how one comes to be?', async () => {
  const page = await stage.visit('/webhooks');
  await expect(page.getByText('No webhooks yet')).toBeVisible();
  const { look, found } = auditOf(page);
  await look('empty');
  await shoot(page, 'webhooks-empty');
  expect(found).toEqual([]);
});

test('Are all registrations listed, narrowed by chips, and told with what came last and what is wrong?', async () => {
  const github = await vendorOf('github');
  const good = await calledBy(github, 'github.events', shop);
  const bad = await calledBy(github, 'github.events', { ...shop, repository: 'acme/other' });
  const stripe = await calledBy(await vendorOf('stripe'), 'stripe.events', { events: ['invoice.paid'] });
  const page = await stage.visit('/webhooks');
  await expect(rowOf(page, good)).toContainText('Registered');
  await expect(rowOf(page, bad)).toContainText('Not registered');
  await expect(rowOf(page, stripe)).toContainText('Registered');

  await rowOf(page, bad).getByRole('button').first().click();
  await expect(details(page)).toContainText('There is no such repository');
  const { look, found } = auditOf(page);
  await look('list and details');
  await shoot(page, 'webhooks');

  await eventually(async () =>
    expect(await github.send('issues', { action: 'opened', issue: { number: 1 } })).toEqual([200]),
  );
  await rowOf(page, good).getByRole('button').first().click();
  await expect(details(page)).toContainText('(issues)');
  await expect(details(page)).toContainText(`http://127.0.0.1:${port}`);

  await page.getByRole('button', { name: /^Service/ }).click();
  await page.getByRole('menuitem', { name: /Stripe/ }).click();
  await expect(rowOf(page, good)).toHaveCount(0);
  await expect(rowOf(page, stripe)).toBeVisible();
  expect(found).toEqual([]);
});

test('Is a trigger registered again from the list, and another server’s place taken only after a question?', async () => {
  const github = await vendorOf('github');
  const again = await calledBy(github, 'github.events', shop);
  const page = await stage.visit('/webhooks');
  await expect(rowOf(page, again)).toContainText('Registered');
  const asked = github.asked.length;
  await rowOf(page, again)
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await page.getByRole('menuitem', { name: 'Register again' }).click();
  await eventually(() => expect(github.asked.length).toBeGreaterThan(asked));

  const telegram = await vendorOf('telegram');
  telegram.hooks.push({
    id: '',
    url: 'https://production.example/hooks/1',
    secret: 's',
    events: ['message'],
  });
  const taken = await calledBy(telegram, 'telegram.updates', { events: ['message'] }, 'address');
  await expect(rowOf(page, taken)).toContainText('Not registered');
  await rowOf(page, taken)
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await page.getByRole('menuitem', { name: 'Take over…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Take the place of another server?' });
  await expect(dialog).toContainText('receives nothing from then on');
  expect(telegram.hooks[0]?.url).toContain('production');
  await dialog.getByRole('button', { name: 'Take over' }).click();
  await expect(rowOf(page, taken)).toContainText('Registered');
});

test('Do the card of a service and the menu of a connection lead to theirs?', async () => {
  const github = await calledBy(await vendorOf('github'), 'github.events', shop);
  const stripe = await calledBy(await vendorOf('stripe'), 'stripe.events', { events: ['invoice.paid'] });
  const page = await stage.visit('/services');
  await page.getByRole('link', { name: 'Webhooks of Stripe' }).click();
  await expect(page).toHaveURL(/\/webhooks\?service=stripe$/);
  await expect(rowOf(page, stripe)).toBeVisible();
  await expect(rowOf(page, github)).toHaveCount(0);

  await page.goto('/connections');
  await page.getByRole('button', { name: `Actions for ${github}` }).click();
  await page.getByRole('menuitem', { name: 'Webhooks' }).click();
  await expect(rowOf(page, github)).toBeVisible();
  await expect(rowOf(page, stripe)).toHaveCount(0);
  await rowOf(page, github).getByRole('button').first().click();
  await expect(rowOf(page, github).getByRole('link', { name: github })).toBeVisible();
  await details(page).getByRole('link', { name: github }).last().click();
  await expect(page).toHaveURL(/\/connections/);
});

test('Is the list to be read on a phone, with its details, without scrolling aside?', async () => {
  const id = await calledBy(await vendorOf('github'), 'github.events', { ...shop, repository: 'acme/other' });
  const page = await stage.visit('/webhooks', { viewport: { width: 390, height: 844 }, hasTouch: true });
  await page.getByRole('searchbox', { name: 'Search webhooks' }).fill(id);
  await expect(rowOf(page, id)).toContainText('Not registered');
  // What tells two of one service apart.
  await expect(rowOf(page, id).getByRole('button').first().getByText(id)).toBeVisible();
  await rowOf(page, id).getByRole('button').first().tap();
  await expect(details(page)).toContainText('There is no such repository');
  await expect(details(page)).toBeInViewport();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  const { look, found } = auditOf(page);
  await look('phone');
  expect(found).toEqual([]);
});

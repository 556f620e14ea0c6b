import type { Page } from '@playwright/test';
import { expect } from '../../support/expect.ts';
import { test } from 'vitest';
import { call } from '../../support/client.ts';
import { freshId } from '../../editor/support/fixtures.ts';
import { reach } from '../../editor/support/reach.ts';
import { useOwnStage } from '../../editor/support/stage.ts';

/** Rows of tables have small text; a finger needs 24 px of each link, button and box in them. */
const stage = useOwnStage();

const TABLET = { viewport: { width: 1280, height: 800 }, hasTouch: true, isMobile: true };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** A flow with a version, a run that ended and one that waits, a connection that it uses, a key and a secret. */
async function fill(): Promise<string> {
  const id = freshId();
  await stage.owner.data('PUT', '/connections/shop', {
    kind: 'http',
    settings: { address: 'https://shop.example.com' },
    grants: { flows: [id] },
  });
  await stage.owner.data('PUT', '/secrets/token', { value: 'x', grants: { operators: ['http.request'] } });
  await stage.owner.data('POST', '/keys', { name: 'mobile', scopes: ['runs:read'] });
  await stage.putFlow({
    format: 1,
    id,
    name: 'Order of pens',
    nodes: {
      start: {
        operator: 'trigger.http',
        params: { path: `/${id}`, auth: 'none', answer: 'immediately' },
      },
      ask: { operator: 'human.approval', name: 'Ask the boss', params: { title: 'Send it?' } },
      send: { operator: 'http.request', params: { connection: 'shop', url: '/orders' } },
    },
    edges: [
      { from: 'start.out', to: 'ask.in' },
      { from: 'ask.approved', to: 'send.in' },
    ],
  });
  expect((await call(stage.server, `/${id}`)).status).toBe(202);
  return id;
}

/** What of the tables is lower than that, by its name. */
async function lowIn(page: Page): Promise<string[]> {
  const controls = page
    .locator('table')
    .locator('a, button, input:not([aria-hidden]), [role=checkbox]')
    .locator('visible=true');
  await expect(controls.first()).toBeVisible();
  const low: string[] = [];
  for (const control of await controls.all()) {
    await control.scrollIntoViewIfNeeded();
    const height = await reach(control);
    const name = await control.evaluate((one) => one.getAttribute('aria-label') ?? one.textContent);
    if (height < 24) low.push(`${name}: ${height}`);
  }
  return low;
}

test('Is every control in a table high enough for a finger?', async () => {
  const id = await fill();
  const found: Record<string, string[]> = {};
  for (const look of [PHONE, TABLET]) {
    for (const path of ['/runs', '/waiting', '/connections', '/secrets', '/keys', '/']) {
      const page = await stage.visit(path, look);
      found[`${path} ${look.viewport.width}`] = await lowIn(page);
      await page.context().close();
    }
    const page = await stage.visit(`/flows/${id}`, look);
    for (const tab of ['Runs', 'Versions']) {
      await page.getByRole('tab', { name: tab }).tap();
      found[`${tab} ${look.viewport.width}`] = await lowIn(page);
    }
  }
  expect(Object.entries(found).filter(([, low]) => low.length > 0)).toEqual([]);
});

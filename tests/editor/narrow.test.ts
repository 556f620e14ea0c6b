import type { Locator } from '@playwright/test';
import { expect } from '../support/expect.ts';
import { test } from 'vitest';
import { freshId, rowFlow } from './support/fixtures.ts';
import { flowPage } from './support/flow-page.ts';
import { useStage } from './support/stage.ts';

/** Windows of half a screen and less. */
const stage = useStage();
const half = { viewport: { width: 640, height: 800 } };

async function boxOf(of: Locator) {
  const box = await of.boundingBox();
  if (!box) throw new Error(`${of.toString()} is not to be seen.`);
  return { ...box, right: box.x + box.width };
}

test('Does the head of the list of flows fit in one line, and is the screen one is on to be seen?', async () => {
  const page = await stage.visit('/', half);
  const title = await boxOf(page.getByRole('heading', { name: /^Flows/ }));
  const button = await boxOf(page.getByRole('button', { name: 'New flow' }));
  expect(button.y).toBeLessThan(title.y + title.height);
  await page.goto('/keys');
  const screens = page.getByRole('navigation', { name: 'Screens' });
  const here = screens.getByRole('link', { name: 'API keys' });
  await expect(here).toHaveAttribute('aria-current', 'page');
  await expect.poll(async () => (await boxOf(here)).right).toBeLessThanOrEqual((await boxOf(screens)).right);
});

test('Is the name of a flow to be read beside its state?', async () => {
  const id = freshId();
  const { flow, layout } = rowFlow(id);
  await stage.putFlow({ ...flow, name: 'A flow with a long name' }, layout);
  const page = await stage.visit(`/flows/${id}`, half);
  await flowPage(page).ready();
  const name = await boxOf(page.getByRole('button', { name: 'A flow with a long name' }));
  const state = await boxOf(page.getByRole('banner').getByText('live', { exact: true }));
  expect(name.width).toBeGreaterThan(60);
  expect(name.right).toBeLessThanOrEqual(state.x);
});

test('Does the palette give way to the chat, and come back after it?', async () => {
  const id = freshId();
  const nodes = { chat: { operator: 'trigger.chat' }, same: { operator: 'core.map' } };
  await stage.putFlow({ format: 1, id, nodes, edges: [{ from: 'chat.out', to: 'same.in' }] });
  const page = await stage.visit(`/flows/${id}`, { viewport: { width: 1024, height: 800 } });
  const flow = flowPage(page);
  await flow.ready();
  await expect(flow.palette).toBeVisible();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(page.getByRole('complementary', { name: 'Chat' })).toBeVisible();
  await expect(flow.palette).toHaveCount(0);
  expect((await boxOf(flow.canvas)).width).toBeGreaterThan(250);
  await page.reload();
  await flow.ready();
  await expect(flow.palette).toBeVisible();
});

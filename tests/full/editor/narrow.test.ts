import type { Locator } from '@playwright/test';
import { expect } from '../../support/expect.ts';
import { test } from 'vitest';
import { freshId, rowFlow } from '../../editor/support/fixtures.ts';
import { eventually, PATIENCE_MS } from '../../support/eventually.ts';
import { flowPage } from '../../editor/support/flow-page.ts';
import { useStage } from '../../editor/support/stage.ts';

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
  // The number of flows stands beside the title; a long one takes the most room.
  const count = page
    .getByRole('heading', { name: /^Flows/ })
    .locator('..')
    .getByText(/^[\d,]+ flows?$/);
  await count.evaluate((element) => {
    element.textContent = '10,000 flows';
  });
  // Both move once when the flows are there.
  await expect(async () => {
    const title = await boxOf(page.getByRole('heading', { name: /^Flows/ }));
    const button = await boxOf(page.getByRole('button', { name: 'New flow' }));
    expect(button.y).toBeLessThan(title.y + title.height);
  }).toPass({ timeout: PATIENCE_MS });
  await page.goto('/keys');
  const screens = page.getByRole('navigation', { name: 'Screens' });
  const here = screens.getByRole('link', { name: 'API keys' });
  await expect(here).toBeInViewport({ ratio: 1 });
  await expect(here).toHaveAttribute('aria-current', 'page');
});

test('Are runs to be read on a phone, with their error and their menu, without scrolling aside?', async () => {
  const id = freshId();
  await stage.putFlow({
    format: 1,
    id,
    nodes: {
      start: { operator: 'trigger.http', params: { path: `/${id}`, auth: 'none' } },
      stop: { operator: 'logic.stop', params: { message: 'The shelf is empty' } },
    },
    edges: [{ from: 'start.out', to: 'stop.in' }],
  });
  await fetch(`${stage.server.url}/api/v1/awel/trigger/${id}`);
  const page = await stage.visit('/runs', { viewport: { width: 390, height: 844 }, hasTouch: true });
  const row = page.getByRole('row').filter({ hasText: id });
  await expect(row).toContainText('The shelf is empty');
  await expect(row.getByRole('button', { name: /^Actions/ })).toBeInViewport({ ratio: 1 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
});

test('Are earlier conversations in reach on a phone?', async () => {
  const page = await stage.visit('/chat', { viewport: { width: 390, height: 844 }, hasTouch: true });
  const said = `Kept ${freshId()}`;
  await page.getByRole('combobox', { name: 'Chat with' }).click();
  await page.getByRole('option', { name: 'demo/echo' }).click();
  await page.getByLabel('Message').fill(said);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const log = page.getByRole('log', { name: 'Conversation' });
  await expect(log.getByRole('article', { name: 'Answer' })).toContainText(said);
  await page.getByRole('button', { name: 'New chat' }).click();
  await expect(log).toHaveCount(0);
  await page.getByRole('button', { name: 'Conversations…' }).click();
  const drawer = page.getByRole('dialog', { name: 'Conversations' });
  await drawer.getByRole('link', { name: said }).click();
  await expect(drawer).toHaveCount(0);
  await expect(log.getByRole('article', { name: 'Answer' })).toContainText(said);
});

test('Do the models of a provider fit into its dialog on a phone?', async () => {
  const page = await stage.visit('/providers', { viewport: { width: 390, height: 844 }, hasTouch: true });
  await page.getByRole('button', { name: 'New provider' }).click();
  const dialog = page.getByRole('dialog', { name: 'New provider' });
  for (const name of ['Name of model 1', 'Price of tokens received of model 1']) {
    const field = await boxOf(dialog.getByLabel(name));
    expect(field.right).toBeLessThanOrEqual((await boxOf(dialog)).right);
    expect(field.width).toBeGreaterThan(50);
  }
});

test('Does a phone reach every screen from its bar, which shows the screen one is on?', async () => {
  const page = await stage.visit('/', { viewport: { width: 390, height: 844 }, hasTouch: true });
  const bar = page.getByRole('navigation', { name: 'Main screens' });
  await bar.getByRole('link', { name: 'Waiting' }).tap();
  await expect(page.getByRole('heading', { name: /^Waiting/ })).toBeVisible();
  await expect(bar.getByRole('link', { name: 'Waiting' })).toHaveAttribute('aria-current', 'page');
  await page.getByRole('button', { name: 'More', exact: true }).tap();
  const all = page.getByRole('dialog', { name: 'All screens' });
  const links = all.getByRole('navigation', { name: 'Screens' }).getByRole('link');
  await expect.poll(() => links.count()).toBeGreaterThan(10);
  await all.getByRole('link', { name: 'API keys' }).tap();
  await expect(page.getByRole('heading', { name: /^API keys/ })).toBeVisible();
  await expect(all).toHaveCount(0);
});

test('Is the name of a flow to be read beside its state?', async () => {
  const id = freshId();
  const { flow, layout } = rowFlow(id);
  await stage.putFlow({ ...flow, name: 'A flow with a long name' }, layout);
  const page = await stage.visit(`/flows/${id}`, half);
  await flowPage(page).ready();
  // The bar moves once while its parts come, so both places have to be of one moment.
  await eventually(async () => {
    const name = await boxOf(page.getByRole('button', { name: 'A flow with a long name' }));
    const state = await boxOf(page.getByRole('banner').getByText(/^Live/));
    expect(name.width).toBeGreaterThan(60);
    expect(name.right).toBeLessThanOrEqual(state.x);
  });
});

test('Does the chat take the place of the inspector, and does the view fit what is left?', async () => {
  const id = freshId();
  const nodes = { chat: { operator: 'trigger.chat' }, same: { operator: 'core.map' } };
  await stage.putFlow({ format: 1, id, nodes, edges: [{ from: 'chat.out', to: 'same.in' }] });
  const page = await stage.visit(`/flows/${id}`, { viewport: { width: 1024, height: 800 } });
  const flow = flowPage(page);
  await flow.ready();
  const chat = page.getByRole('complementary', { name: 'Chat' });
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(chat).toBeVisible();
  await expect(flow.inspector).toHaveCount(0);
  expect((await boxOf(flow.canvas)).width).toBeGreaterThan(600);
  await chat.getByRole('tab', { name: 'Inspector' }).click();
  await expect(flow.inspector).toBeVisible();
  await flow.inspector.getByRole('button', { name: 'Close the panel' }).click();
  await expect(flow.inspector).toHaveCount(0);
  await flow.fit();
  const wide = (await flow.viewport()).x;
  await flow.key('Mod+i');
  await expect(flow.inspector).toBeVisible();
  await expect.poll(async () => (await flow.viewport()).x).toBeLessThan(wide);
  const last = await boxOf(flow.node('same'));
  expect(last.right).toBeLessThanOrEqual((await boxOf(flow.canvas)).right);
});

test('Is nothing beside or below the canvas of a low window?', async () => {
  const id = freshId();
  const { flow: row, layout } = rowFlow(id);
  await stage.putFlow(row, layout);
  const page = await stage.visit(`/flows/${id}`, { viewport: { width: 1280, height: 560 } });
  const flow = flowPage(page);
  await flow.ready();
  await expect(flow.inspector).toHaveCount(0);
  await expect(flow.dock).toHaveCount(0);
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect(flow.inspector).toBeVisible();
  await expect(flow.dock).toBeVisible();
});

test('Does a phone show the whole top bar: nothing covers another thing, and Publish, Run and More are in reach?', async () => {
  const id = freshId();
  const { flow, layout } = rowFlow(id);
  await stage.putFlow({ ...flow, name: 'A flow with a long name that no phone can show' }, layout);
  const page = await stage.visit(`/flows/${id}`, { viewport: { width: 390, height: 844 }, hasTouch: true });
  await expect(page.getByRole('list', { name: 'Steps' })).toBeVisible();
  const bar = page.getByRole('banner');
  const check = async (): Promise<void> => {
    // Both come a moment later.
    await expect(bar.getByText(/^Live\b/)).toBeAttached();
    await expect(bar.getByRole('button', { name: 'More ways to run' })).toBeVisible();
    const controls = await bar.locator('a:visible, button:visible, [title]:visible').all();
    const boxes = await Promise.all(controls.map(boxOf));
    for (const [i, box] of boxes.entries()) {
      expect(box.x, 'starts within the window').toBeGreaterThanOrEqual(0);
      expect(box.right, 'ends within the window').toBeLessThanOrEqual(390);
      for (const other of boxes.slice(i + 1)) {
        const apart =
          box.right <= other.x + 0.5 ||
          other.right <= box.x + 0.5 ||
          box.y + box.height <= other.y + 0.5 ||
          other.y + other.height <= box.y + 0.5;
        expect(apart, `${JSON.stringify(box)} and ${JSON.stringify(other)} are apart`).toBe(true);
      }
    }
    expect((await boxOf(bar.getByRole('button', { name: /^A flow with a long/ }))).width).toBeGreaterThan(60);
    for (const name of ['Publish', 'Run', 'More', 'Undo', 'Inspector'])
      await expect(bar.getByRole('button', { name, exact: true })).toBeInViewport({ ratio: 1 });
  };
  await check();
  await bar.getByRole('button', { name: 'More', exact: true }).click();
  await expect(page.getByRole('menuitem', { name: /^Export/ })).toBeInViewport();
  // A faulty flow is stored as a draft only.
  const { revision } = await stage.owner.data<{ revision: string }>('GET', `/flows/${id}`);
  const faulty = { ...flow, name: 'A flow with a long name', edges: [{ from: 'first.out', to: 'none.in' }] };
  await stage.owner.data('PUT', `/flows/${id}`, { flow: faulty, revision });
  await page.reload();
  await expect(page.getByRole('list', { name: 'Steps' })).toBeVisible();
  await expect(bar.getByRole('button', { name: 'Publish' })).toBeVisible();
  await check();
});

test('Are the names in the lists to be read on a phone, with nothing over them?', async () => {
  const id = freshId();
  const { flow, layout } = rowFlow(id);
  await stage.putFlow(flow, layout);
  const page = await stage.visit('/', { viewport: { width: 390, height: 844 }, hasTouch: true });
  await page.getByRole('searchbox', { name: 'Search flows' }).fill(id);
  const row = page.getByRole('row').filter({ hasText: id });
  expect((await boxOf(row.getByRole('link').first())).width).toBeGreaterThan(120);
  for (const path of [
    '/',
    '/keys',
    '/secrets',
    '/variables',
    '/schedules',
    '/sources',
    '/webhooks',
    '/audit',
    '/settings',
    '/providers',
    '/apps',
    '/connections',
    '/knowledge',
    '/runs',
  ]) {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    const heads = await page.getByRole('columnheader').all();
    const boxes = await Promise.all(heads.map((head) => head.boundingBox()));
    const shown = boxes.filter((box) => box !== null);
    expect(shown.filter(({ width }) => width < 40).map(({ x }) => `${path} ${x}`)).toEqual([]);
  }
});

import type { Page } from '@playwright/test';
import { expect } from '../../support/expect.ts';
import { test } from 'vitest';
import { auditOf } from '../../editor/support/audit.ts';
import { freshId } from '../../editor/support/fixtures.ts';
import { reach } from '../../editor/support/reach.ts';
import { useStage } from '../../editor/support/stage.ts';

/** What somebody does with a phone: look, run, read an output, approve, publish. Fingers only. */
const stage = useStage();
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true };

function orderFlow(id: string, greeting = 'Hello') {
  return {
    format: 2,
    id,
    name: 'Orders on a phone',
    settings: { record: 'full' },
    nodes: {
      start: { operator: 'trigger.manual' },
      lines: { operator: 'core.map', name: 'Lines of the order', params: { value: [{ n: 1 }, { n: 2 }] } },
      each: {
        operator: 'data.for-each',
        name: 'Each line',
        body: {
          start: 'line',
          nodes: {
            greet: {
              operator: 'core.map',
              name: 'Greet the line',
              params: { value: `${greeting} {{ input.n }}` },
            },
          },
          edges: [{ from: 'line.out', to: 'greet.in' }],
        },
      },
    },
    edges: [
      { from: 'start.out', to: 'lines.in' },
      { from: 'lines.out', to: 'each.in' },
    ],
  };
}

const step = (page: Page, id: string) => page.locator(`[data-step="${id}"]`);

async function expectNoSidewaysScroll(page: Page, width: number): Promise<void> {
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
}

test('84. Does a phone list the steps, run them, and show the output of the one that is tapped?', async () => {
  const id = freshId();
  await stage.putFlow(orderFlow(id));
  const page = await stage.visit(`/flows/${id}`, PHONE);
  await expect(step(page, 'greet')).toContainText('Greet the line');
  expect(
    await page.locator('[data-step]').evaluateAll((all) => all.map((one) => one.dataset['step'])),
  ).toEqual(['start', 'lines', 'each', 'greet']);
  const left = async (of: string) => (await step(page, of).boundingBox())?.x ?? 0;
  expect(await left('greet')).toBeGreaterThan(await left('each'));
  await page.getByRole('button', { name: 'Run', exact: true }).tap();
  await expect(step(page, 'each').locator('[data-status]')).toHaveAttribute('data-status', 'ok');
  const { look, found } = auditOf(page);
  await look('steps of a run');
  await step(page, 'lines').getByRole('button').first().tap();
  const sheet = page.getByRole('dialog', { name: 'Inspector' });
  await expect(sheet.getByRole('tab', { name: 'Output' })).toHaveAttribute('aria-selected', 'true');
  await expect(sheet).toContainText('lines');
  await look('output of a step');
  expect((await sheet.boundingBox())?.width).toBe(390);
  await page.touchscreen.tap(200, 40);
  await expect(sheet).toBeHidden();
  await expectNoSidewaysScroll(page, 390);
  await page.getByRole('button', { name: 'Canvas', exact: true }).tap();
  await expect(page.locator('.react-flow__pane')).toBeVisible();
  await page.getByRole('button', { name: 'Steps', exact: true }).tap();
  await expect(step(page, 'greet')).toBeVisible();
  expect(found).toEqual([]);
});

test('84. Can somebody with a phone see why a step failed, run it again, and decide what waits?', async () => {
  const id = freshId();
  await stage.putFlow({
    format: 1,
    id,
    settings: { record: 'full' },
    nodes: {
      start: { operator: 'trigger.manual' },
      ask: { operator: 'human.approval', name: 'Ask the boss', params: { title: 'Send it?' } },
      stop: { operator: 'logic.stop', name: 'Refuse', params: { message: 'The shelf is empty' } },
    },
    edges: [
      { from: 'start.out', to: 'ask.in' },
      { from: 'ask.approved', to: 'stop.in' },
    ],
  });
  const page = await stage.visit(`/flows/${id}`, PHONE);
  await expect(step(page, 'stop')).toContainText('After Ask the boss · approved');
  await page.getByRole('button', { name: 'Run', exact: true }).tap();
  await page.getByRole('button', { name: 'Decide: Ask the boss' }).tap();
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).tap();
  await expect(step(page, 'stop').locator('[data-error]')).toHaveText('The shelf is empty');
  await expect(step(page, 'stop').locator('[data-status]')).toHaveAttribute('data-status', 'failed');
  await expect(page.getByRole('button', { name: 'Decide: Ask the boss' })).toHaveCount(0);
  await page.getByRole('button', { name: 'Run', exact: true }).tap();
  await expect(page.getByRole('button', { name: 'Decide: Ask the boss' })).toBeVisible();
  await expect(step(page, 'stop').locator('[data-error]')).toHaveCount(0);
});

test('84. Does the bar of a run that was opened cover none of the steps?', async () => {
  const id = freshId();
  await stage.putFlow(orderFlow(id));
  const { run } = await stage.owner.data<{ run: string }>('POST', `/flows/${id}/run`, {});
  const page = await stage.visit(`/flows/${id}?run=${run}`, PHONE);
  const bar = page.getByRole('button', { name: 'Back to live' });
  await expect(bar).toBeVisible();
  const [above, first] = [await bar.boundingBox(), await step(page, 'start').boundingBox()];
  expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThan(first?.y ?? 0);
});

test('84. Can somebody with a phone publish and roll back?', async () => {
  const id = freshId();
  await stage.putFlow(orderFlow(id));
  const { revision } = await stage.owner.data<{ revision: string }>('GET', `/flows/${id}`);
  await stage.owner.data('PUT', `/flows/${id}`, { flow: orderFlow(id, 'Goodbye'), revision, mode: 'draft' });
  const page = await stage.visit(`/flows/${id}`, PHONE);
  await expect(step(page, 'greet')).toContainText('Goodbye');
  await page.getByRole('button', { name: 'Publish', exact: true }).tap();
  await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).tap();
  await expect.poll(() => stage.liveText(id)).toContain('Goodbye');
  await page.getByRole('button', { name: 'Roll back' }).tap();
  await expect.poll(() => stage.liveText(id)).toContain('Hello');
});

test('85. Does the list of steps fit 320 px, with names of 200 characters?', async () => {
  const id = freshId();
  const flow = orderFlow(id);
  flow.nodes.lines.name = 'Lines'.repeat(40);
  await stage.putFlow(flow);
  const page = await stage.visit(`/flows/${id}`, { ...PHONE, viewport: { width: 320, height: 640 } });
  await expect(step(page, 'greet')).toBeVisible();
  await expectNoSidewaysScroll(page, 320);
  const right = await page
    .locator('[data-step]')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right));
  expect(Math.max(...right)).toBeLessThanOrEqual(320);
});

test('84. Are names, main buttons and menu items high enough for a finger, and is nothing shown on hover alone?', async () => {
  const id = freshId();
  await stage.putFlow({ ...orderFlow(id), name: id });
  const page = await stage.visit('/', { ...PHONE, isMobile: true });
  await page.getByRole('searchbox', { name: 'Search flows' }).fill(id);
  expect(await reach(page.getByRole('link', { name: id }))).toBeGreaterThanOrEqual(24);
  await page.getByRole('button', { name: `Actions for ${id}` }).tap();
  await expect
    .poll(() => reach(page.getByRole('menuitem', { name: 'Duplicate…' })))
    .toBeGreaterThanOrEqual(42);
  await page.goto(`/flows/${id}`);
  const run = page.getByRole('button', { name: 'Run', exact: true });
  await expect(run).toBeVisible();
  expect(await reach(run)).toBeGreaterThanOrEqual(42);
  await run.tap();
  await expect(step(page, 'each').locator('[data-status]')).toHaveAttribute('data-status', 'ok');
  const sheet = page.getByRole('dialog', { name: 'Inspector' });
  for (const of of ['lines', 'start', 'lines']) {
    await step(page, of).getByRole('button').first().tap();
    await expect(sheet.getByRole('tab', { name: 'Output' })).toBeVisible();
    await expect(sheet.locator('input:focus, textarea:focus')).toHaveCount(0);
    if (of === 'lines')
      expect(await reach(sheet.getByRole('button', { name: '[2 items]' }).first())).toBeGreaterThanOrEqual(
        24,
      );
    await page.touchscreen.tap(200, 40);
    await expect(sheet).toBeHidden();
  }
});

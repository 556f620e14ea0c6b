import type { Page } from '@playwright/test';
import { test } from 'vitest';
import { freshId } from '../../editor/support/fixtures.ts';
import { flowPage } from '../../editor/support/flow-page.ts';
import { useStage } from '../../editor/support/stage.ts';
import { expect } from '../../support/expect.ts';

/** A run over 100,000 items, of which one fails: what its page and the canvas hold of it. Counts of elements, not times. */
const stage = useStage();
const ITEMS = 100_000;
const WRONG = 70_000;
/** More elements than any screen of the editor has by itself, and far fewer than one for each item. */
const MOST_ELEMENTS = 4_000;
/** Rounds that can be chosen: the first, the failed and the slowest. */
const MOST_ROUNDS = 60;

async function ranLoop(): Promise<{ id: string; run: string }> {
  const id = freshId();
  await stage.putFlow(
    {
      format: 2,
      id,
      nodes: {
        start: { operator: 'trigger.manual' },
        loop: {
          operator: 'data.for-each',
          name: 'Each number',
          params: { items: `{{ range(${ITEMS}) }}`, maxItems: ITEMS, onItemError: 'skip' },
          body: {
            start: 'item',
            nodes: {
              check: { operator: 'logic.assert', params: { condition: `{{ input != ${WRONG} }}` } },
              tell: { operator: 'text.template', params: { template: 'Number {{ input }}' } },
            },
            edges: [
              { from: 'item.out', to: 'check.in' },
              { from: 'check.out', to: 'tell.in' },
            ],
          },
        },
      },
      edges: [{ from: 'start.out', to: 'loop.in' }],
      settings: { record: 'full' },
    },
    {
      format: 1,
      nodes: {
        start: { x: 0, y: 100 },
        loop: { x: 340, y: 0 },
        item: { x: 370, y: 100 },
        check: { x: 580, y: 100 },
        tell: { x: 880, y: 100 },
      },
    },
  );
  const { run } = await stage.owner.data<{ run: string }>('POST', `/flows/${id}/run`, { wait: true });
  return { id, run };
}

const elements = (page: Page): Promise<number> =>
  page.evaluate(() => document.getElementsByTagName('*').length);

test('Does a run over 100,000 items open on its page and on the canvas, count its rounds and lead to the failed one?', async () => {
  const { id, run } = await ranLoop();
  const page = await stage.visit(`/runs/${run}`);
  const loop = page.getByRole('region', { name: 'Steps' }).locator('[data-step="loop"]');
  await expect(loop).toContainText('100,000 rounds, 1 failed');
  expect(await elements(page)).toBeLessThan(MOST_ELEMENTS);
  await loop.getByRole('button').first().click();
  const rounds = loop.getByRole('region', { name: 'Rounds of Each number' });
  await expect(rounds, 'the failed one is shown first').toContainText('70001 (failed)');
  await rounds.getByRole('combobox', { name: 'Round' }).click();
  expect(await page.getByRole('option').count()).toBeLessThan(MOST_ROUNDS);
  await page.keyboard.press('Escape');
  expect(await elements(page)).toBeLessThan(MOST_ELEMENTS);

  await page.getByRole('button', { name: 'Show on the canvas' }).click();
  const flow = flowPage(page);
  await flow.ready();
  const frame = flow.node('loop');
  await expect(frame).toContainText('100,000 rounds, 1 failed');
  await expect(flow.status('check'), 'the failed round is shown first').toHaveText(/Failed/);
  await expect(frame.getByRole('combobox', { name: 'Round' })).toContainText('Round 70001');
  await frame.getByRole('combobox', { name: 'Round' }).click();
  expect(await page.getByRole('option').count()).toBeLessThan(MOST_ROUNDS);
  await page.getByRole('option', { name: /^Round 2\b/ }).click();
  await flow.select('tell');
  await flow.tab('Output').click();
  await expect(flow.inspector).toContainText('Number 1');
  await frame.getByRole('button', { name: 'Failed round' }).click();
  await expect(flow.status('check')).toHaveText(/Failed/);
  expect(await elements(page)).toBeLessThan(MOST_ELEMENTS);

  // Still an editor: what is typed arrives, is saved, and the collapsed card tells the same.
  await flow.select('tell');
  await flow.tab('Settings').click();
  await flow.write('params.template', 'No. {{ input }}');
  await flow.save();
  expect(stage.fileText(id)).toContain('No. {{ input }}');
  await frame.getByRole('button', { name: 'Collapse' }).click();
  await expect(frame).toContainText('100,000 rounds');
  await frame.getByRole('button', { name: '1 failed: show the first failed round' }).click();
  await expect.poll(flow.selectedIds).toEqual(['check']);
});

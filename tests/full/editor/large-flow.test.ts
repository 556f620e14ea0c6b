import type { Page } from '@playwright/test';
import { describe, test } from 'vitest';
import { freshId } from '../../editor/support/fixtures.ts';
import { useStage } from '../../editor/support/stage.ts';
import { expect } from '../../support/expect.ts';

/** What opening a flow of 3,000 nodes costs: counts of elements and of workers, not times. */
const stage = useStage();
const COUNT = 3_000;

/** In the page: the most nodes that were mounted at a time, from its start. */
function countNodes(): void {
  const seen = { most: 0 };
  Object.assign(globalThis, { mountedNodes: seen });
  new MutationObserver(() => {
    seen.most = Math.max(seen.most, document.getElementsByClassName('react-flow__node').length);
  }).observe(document, { childList: true, subtree: true });
}

const mostNodes = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { mountedNodes: { most: number } }).mountedNodes.most);

/** Chains of ten, all from one trigger; the last node reads what is not there. */
async function openLarge(layout?: object): Promise<Page> {
  const id = freshId();
  const names = Array.from({ length: COUNT - 1 }, (_, i) => `n${i}`);
  const nodes = Object.fromEntries(
    names.map((name, i) => [
      name,
      {
        operator: 'text.template',
        params: { template: i === COUNT - 2 ? '{{ nobody }}' : '{{ input.name }}' },
      },
    ]),
  );
  const edges = names.map((name, i) => ({
    from: i % 10 === 0 ? 'start.out' : `n${i - 1}.out`,
    to: `${name}.in`,
  }));
  await stage.putFlow(
    { format: 1, id, nodes: { start: { operator: 'trigger.manual' }, ...nodes }, edges },
    layout,
  );
  const page = await stage.visit('/');
  await page.addInitScript(countNodes);
  await page.goto(`/flows/${id}`);
  return page;
}

describe('A flow of 3,000 nodes', () => {
  test('Is none of its nodes mounted only to go again, where the whole is seen at first?', async () => {
    const page = await openLarge();
    await expect(page.getByRole('button', { name: 'Overview of the flow' })).toBeVisible();
    expect(await mostNodes(page)).toBe(0);
  });

  test('Are only those in view mounted, and is it checked beside the page?', async () => {
    const places = Array.from({ length: COUNT - 1 }, (_, i): [string, object] => [
      `n${i}`,
      { x: (i % 50) * 300, y: Math.floor(i / 50) * 140 },
    ]);
    const nodes = { start: { x: -300, y: 0 }, ...Object.fromEntries(places) };
    const page = await openLarge({ format: 1, nodes, viewport: { x: 0, y: 0, zoom: 1 } });
    await expect(page.locator('.react-flow__node').first()).toBeVisible();
    const problems = page
      .getByRole('button', { name: /^Problems/ })
      .or(page.getByRole('tab', { name: /^Problems/ }));
    await expect(problems).toContainText('1');
    expect(page.workers().map((worker) => worker.url())).toContainEqual(
      expect.stringContaining('check-worker'),
    );
    expect(await mostNodes(page)).toBeLessThan(100);
  });
});

import type { Page } from '@playwright/test';
import { expect } from '../../support/expect.ts';
import type { Owner } from '../../support/client.ts';

/** Pictures of what ran, of versions and of tests. */
interface Scene {
  readonly page: Page;
  shoot(name: string): Promise<void>;
}

const ID = 'pricing';

const pricing = (discount: number, greet: boolean) => ({
  format: 1,
  id: ID,
  name: 'Price of an order',
  settings: { record: 'full' },
  nodes: {
    start: {
      operator: 'trigger.http',
      params: {
        path: `/${ID}`,
        auth: 'none',
        methods: ['POST'],
        request: { type: 'object', properties: { amount: { type: 'number', default: 1 } } },
      },
    },
    valid: { operator: 'logic.assert', params: { condition: '{{ input.amount > 0 }}' } },
    large: { operator: 'logic.if', params: { condition: '{{ input.amount >= 100 }}' } },
    cut: { operator: 'text.template', params: { template: `{{ input.amount * ${discount} }}` } },
    full: { operator: 'text.template', params: { template: '{{ input.amount }}' } },
    ...(greet && { thank: { operator: 'text.template', params: { template: 'Thank you' } } }),
  },
  edges: [
    { from: 'start.out', to: 'valid.in' },
    { from: 'valid.out', to: 'large.in' },
    { from: 'large.then', to: 'cut.in' },
    { from: 'large.else', to: 'full.in' },
    ...(greet ? [{ from: 'full.out', to: 'thank.in' }] : []),
  ],
});

/** A flow of two versions with successful runs and a failed one, and a test that fails. */
export async function prepareRuns(owner: Owner): Promise<void> {
  const made = await owner.data<{ revision: string }>('POST', '/flows', { flow: pricing(0.9, true) });
  await owner.data('PUT', `/flows/${ID}/layout`, {
    format: 1,
    nodes: {
      start: { x: 0, y: 80 },
      valid: { x: 300, y: 80 },
      large: { x: 600, y: 80 },
      cut: { x: 900, y: 0 },
      full: { x: 900, y: 160 },
      thank: { x: 1200, y: 160 },
    },
  });
  const runs: { run: string }[] = [];
  for (const amount of [250, 120, 0]) {
    runs.push(await owner.data('POST', `/flows/${ID}/run`, { input: { amount } }));
  }
  await owner.data('POST', `/runs/${runs[0]?.run}/test`, { name: 'a large order is cheaper' });
  await owner.data('PUT', `/flows/${ID}`, { revision: made.revision, flow: pricing(0.8, false) });
}

export async function runScenes(scene: Scene): Promise<void> {
  await history(scene);
  await versions(scene);
  await tests(scene);
}

async function history({ page, shoot }: Scene): Promise<void> {
  await page.goto(`/runs?flow=${ID}`);
  const boxes = page.getByRole('checkbox');
  await expect(boxes).toHaveCount(3);
  await boxes.nth(1).click();
  await boxes.nth(2).click();
  await shoot('history');
  await page.getByRole('button', { name: 'Delete all matching…' }).click();
  await expect(page.getByRole('dialog', { name: 'Delete 3 runs?' })).toBeVisible();
  await shoot('history-delete');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Compare' }).click();
  await expect(page.getByRole('region', { name: 'cut' })).toBeVisible();
  await shoot('runs-compared');
  await page.goto('/runs?text=nothing+like+this');
  await expect(page.getByText('No run matches')).toBeVisible();
  await shoot('history-no-hit');
}

async function versions({ page, shoot }: Scene): Promise<void> {
  const dock = await openTab(page, 'Versions');
  const rows = dock.locator('tbody tr');
  await expect(rows).toHaveCount(2);
  await rows.last().getByRole('button').first().click();
  await expect(page.getByRole('button', { name: 'Back to the current flow' })).toBeVisible();
  await shoot('version');
  await rows
    .first()
    .getByRole('button', { name: /^Actions/ })
    .click();
  await page.getByRole('menuitem', { name: 'Label…' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await shoot('version-label');
  await page.keyboard.press('Escape');
  await rows
    .first()
    .getByRole('button', { name: /^Actions/ })
    .click();
  await page.getByRole('menuitem', { name: 'What this version changed' }).click();
  await expect(page.locator('span[data-mark]').first()).toBeVisible();
  await shoot('versions-compared');
}

async function tests({ page, shoot }: Scene): Promise<void> {
  const dock = await openTab(page, 'Tests');
  await dock.getByRole('button', { name: 'Run all tests' }).click();
  await expect(dock.getByText('failed', { exact: false }).first()).toBeVisible();
  await dock.getByRole('button', { name: 'Show on the canvas' }).click();
  await expect(page.locator('span[data-mark]').first()).toBeVisible();
  await shoot('tests');
}

async function openTab(page: Page, name: string) {
  await page.goto(`/flows/${ID}`);
  const dock = page.getByRole('region', { name: 'Bottom panel' });
  await dock.getByRole('tab', { name }).click();
  await page.getByRole('button', { name: 'Show the whole flow' }).click();
  return dock;
}

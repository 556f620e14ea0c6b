import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pseudo } from '../../editor/support/pseudo-locale.ts';
import { buildInPseudo, serveInPseudo } from '../../editor/support/pseudo-stage.ts';
import { prepareService } from '../../editor/support/service-scenes.ts';
import { useOwnStage } from '../../editor/support/stage.ts';
import { lookAtWords } from '../support/words-look.ts';

/** Every screen in a language that nobody speaks: what is in no catalogue, what is cut, what lies over each other. */
const stage = useOwnStage();
const folder = mkdtempSync(join(tmpdir(), 'weft-pseudo-'));

beforeAll(async () => {
  await buildInPseudo(folder);
  await prepareService(stage.owner);
});
afterAll(() => rmSync(folder, { recursive: true }));

const WIDTHS = [1440, 390, 320];
const SCREENS = [
  '/',
  '/templates',
  '/runs',
  '/waiting',
  '/chat',
  '/apps',
  '/providers',
  '/connections',
  '/services',
  '/packages',
  '/knowledge',
  '/evaluations',
  '/secrets',
  '/variables',
  '/schedules',
  '/dead-letters',
  '/usage',
  '/audit',
  '/trash',
  '/settings',
  '/keys',
  '/no-such-page',
];

/** Looks at the page at each width, and says what is wrong with its words. */
function lookerOf(page: Page) {
  const found: string[] = [];
  const seen = new Set<string>();
  const add = (at: string, faults: readonly string[]): void => {
    for (const fault of faults) if (!seen.has(fault)) found.push(`${at}, ${fault}`);
    for (const fault of faults) seen.add(fault);
  };
  const look = async (what: string, widths: readonly number[] = WIDTHS): Promise<void> => {
    for (const width of widths) {
      await page.setViewportSize({ width, height: 844 });
      await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
      );
      const { bare, cut, over, wide } = await page.evaluate(lookAtWords);
      const at = `${what} at ${width}`;
      if (width === widths[0])
        add(
          at,
          bare.map((text) => `in no catalogue: ${text}`),
        );
      add(at, [...cut.map((text) => `cut: ${text}`), ...over.map((text) => `over each other: ${text}`)]);
      if (wide > 0) found.push(`${at}, ${wide} px to scroll sideways`);
    }
    await page.setViewportSize({ width: WIDTHS[0] ?? 0, height: 844 });
  };
  return { found, look };
}

async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.waitForFunction(() => !document.querySelector('[role=progressbar], [aria-busy=true]'));
}

test('Is every text of the screens in the catalogue, and does each have room for 40 % more?', async () => {
  const page = await stage.visit('/keys');
  await serveInPseudo(page, folder);
  const { found, look } = lookerOf(page);
  for (const path of SCREENS) {
    await page.goto(path);
    await settled(page);
    await look(path);
    const row = page.locator(`main a[href^="${path}/"]`).first();
    const inside = path === '/' || (await row.count()) === 0 ? null : await row.getAttribute('href');
    if (inside === null) continue;
    await page.goto(inside);
    await settled(page);
    await look(`${path}/…`);
  }
  expect(found).toEqual([]);
});

test('And of the editor, with its panels and dialogs?', async () => {
  const page = await stage.visit('/keys');
  await serveInPseudo(page, folder);
  const { found, look } = lookerOf(page);
  await page.goto('/flows/pricing');
  await page.locator('.react-flow__node').first().waitFor();
  await settled(page);
  await page
    .locator('.react-flow__node')
    .nth(1)
    .click({ position: { x: 60, y: 12 } });
  // Labels of settings are made from the names of params, so its tab is no case of this test.
  await page
    .getByRole('tab', { name: pseudo('Input') })
    .first()
    .click();
  await look('editor');
  for (const tab of ['Input', 'Output']) {
    await page
      .getByRole('tab', { name: pseudo(tab) })
      .first()
      .click();
    await look(`inspector, ${tab}`, [1440]);
  }
  for (const tab of ['Result', 'Log', 'Problems', 'Tests', 'Runs', 'Trigger']) {
    await page
      .getByRole('tab', { name: pseudo(tab) })
      .last()
      .click();
    await look(`dock, ${tab}`, [1440]);
  }
  for (const keys of ['Control+k', '?', 'n', 'Control+f', 'F2', 'c']) {
    await page
      .locator('.react-flow__node')
      .nth(1)
      .click({ position: { x: 60, y: 12 } });
    await page.keyboard.press(keys);
    await page.getByRole('dialog').waitFor();
    await look(keys, [1440, 390]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  expect(found).toEqual([]);
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pseudo } from '../../editor/support/pseudo-locale.ts';
import { buildInPseudo, serveInPseudo } from '../../editor/support/pseudo-stage.ts';
import { prepareService } from '../../editor/support/service-scenes.ts';
import { useOwnStage } from '../../editor/support/stage.ts';
import { lookerOf } from '../support/words-look.ts';

/** Every screen in a language that nobody speaks: what is in no catalogue, what is cut, what lies over each other. */
const stage = useOwnStage();
const folder = mkdtempSync(join(tmpdir(), 'weft-pseudo-'));

beforeAll(async () => {
  await buildInPseudo(folder);
  await prepareService(stage.owner);
});
afterAll(() => rmSync(folder, { recursive: true }));

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
  '/webhooks',
  '/dead-letters',
  '/usage',
  '/audit',
  '/trash',
  '/settings',
  '/keys',
  '/no-such-page',
];

async function settled(page: Page, answered: () => Promise<void>): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await answered();
  await page.waitForFunction(() => !document.querySelector('[role=progressbar], [aria-busy=true]'));
}

test('Is every text of the screens in the catalogue, and does each have room for 40 % more?', async () => {
  const page = await stage.visit('/keys');
  const answered = await serveInPseudo(page, folder);
  const { found, look } = lookerOf(page);
  for (const path of SCREENS) {
    await page.goto(path);
    await settled(page, answered);
    await look(path);
    const row = page.locator(`main a[href^="${path}/"]`).first();
    const inside = path === '/' || (await row.count()) === 0 ? null : await row.getAttribute('href');
    if (inside === null) continue;
    await page.goto(inside);
    await settled(page, answered);
    await look(`${path}/…`);
  }
  expect(found).toEqual([]);
});

test('And of the editor, with its panels and dialogs?', async () => {
  const page = await stage.visit('/keys');
  const answered = await serveInPseudo(page, folder);
  const { found, look } = lookerOf(page);
  await page.goto('/flows/pricing');
  await page.locator('.react-flow__node').first().waitFor();
  await settled(page, answered);
  await page
    .locator('.react-flow__node')
    .nth(1)
    .click({ position: { x: 60, y: 12 } });
  await look('editor');
  for (const tab of ['Settings', 'Input', 'Output']) {
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

/** Nodes with the longest settings, of each purpose. */
const OPERATORS = [
  'trigger.http',
  'trigger.form',
  'trigger.schedule',
  'http.request',
  'sql.query',
  'model.chat',
  'agent.run',
  'mail.send',
  'logic.switch',
  'data.for-each',
  'code.run',
  'human.approval',
  'file.read',
  'core.respond',
];

test('And of the settings of nodes, whose labels are made from their names?', async () => {
  const nodes = Object.fromEntries(OPERATORS.map((operator, n) => [`n_${n}`, { operator }]));
  const places = OPERATORS.map((_, n) => [`n_${n}`, { x: (n % 5) * 320, y: Math.floor(n / 5) * 160 }]);
  await stage.putFlow(
    { format: 1, id: 'settings', nodes, edges: [] },
    { format: 1, nodes: Object.fromEntries(places) },
  );
  const page = await stage.visit('/keys');
  const answered = await serveInPseudo(page, folder);
  const { found, look } = lookerOf(page);
  await page.goto('/flows/settings');
  await page.locator('.react-flow__node').first().waitFor();
  await settled(page, answered);
  await page.keyboard.press('1');
  for (const [n, operator] of OPERATORS.entries()) {
    await page.locator(`.react-flow__node[data-id="n_${n}"]`).click({ position: { x: 60, y: 12 } });
    await page
      .getByRole('tab', { name: pseudo('Settings') })
      .first()
      .click();
    // Rare fields load when a node needs them.
    await settled(page, answered);
    await look(`settings of ${operator}`, [1440]);
  }
  await page.locator('.react-flow__pane').click({ position: { x: 5, y: 5 } });
  await look('settings of the flow', [1440]);
  expect(found).toEqual([]);
});

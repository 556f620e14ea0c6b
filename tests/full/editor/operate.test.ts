import { text } from 'node:stream/consumers';
import type { Page } from '@playwright/test';
import { describe, test } from 'vitest';
import { useOwnStage } from '../../editor/support/stage.ts';
import { call } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { expect } from '../../support/expect.ts';
import { httpTrigger } from '../../support/flows.ts';

/** The screens by which people operate a server, without curl. */
const stage = useOwnStage({
  env: {
    WEFT_API_KEYS: 'hush-hush-4711-of-the-environment',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://ada:hush-hush-password@127.0.0.1:9/traces',
  },
});

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

async function choose(page: Page, name: string, entry: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: entry }).click();
}

const scheduled = (id: string, cron: string) => ({
  format: 1,
  id,
  name: `Report ${id}`,
  nodes: {
    tick: { operator: 'trigger.schedule', params: { cron, timezone: 'Europe/Oslo' } },
    say: { operator: 'core.map' },
  },
  edges: [{ from: 'tick.out', to: 'say.in' }],
});

async function csvOf(page: Page): Promise<string> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV' }).click(),
  ]);
  return text(await file.createReadStream());
}

test('Are schedules listed with their next times, paused, resumed and run at once, several of them together?', async () => {
  await stage.putFlow(scheduled('weekly', '0 9 * * 1'));
  await stage.putFlow(scheduled('nightly', '30 2 * * *'));
  const page = await stage.visit('/schedules');
  await expect(rowOf(page, 'Report weekly')).toContainText('Active');
  await page.getByRole('button', { name: /Mon/ }).first().click();
  await expect(page.getByRole('complementary', { name: 'Details' })).toContainText(
    'Next times (Europe/Oslo)',
  );
  await choose(page, 'Report weekly', 'Pause');
  await expect(rowOf(page, 'Report weekly')).toContainText('Paused');
  await page.getByRole('button', { name: 'State', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Paused (1)' }).or(page.getByText('Paused (1)')).first().click();
  await expect(rowOf(page, 'Report nightly')).toHaveCount(0);
  await expect(rowOf(page, 'Report weekly')).toBeVisible();
  await page.reload();
  await page.getByRole('checkbox', { name: 'Select all' }).check();
  const selection = page.getByRole('group', { name: 'Selection' });
  await expect(selection).toContainText('2 schedules selected');
  await selection.getByRole('button', { name: 'Resume' }).click();
  await expect(rowOf(page, 'Report weekly')).toContainText('Active');
  await page.getByRole('checkbox', { name: /^Select Report nightly/ }).check();
  await selection.getByRole('button', { name: 'Run now' }).click();
  await eventually(async () => {
    const { runs } = await stage.owner.data<{ runs: unknown[] }>('GET', '/runs?flow=nightly');
    expect(runs).toHaveLength(1);
  });
  await page.getByRole('searchbox').fill('night');
  expect((await csvOf(page)).split('\r\n').slice(0, 2)).toEqual([
    'When,Flow,Time zone,Next run,State',
    expect.stringMatching(/Report nightly,Europe\/Oslo,\d{4}-.*Z,Active$/),
  ]);
});

test('Can variables be made, changed and deleted, and is each value what it looks like?', async () => {
  const page = await stage.visit('/variables');
  await page.getByRole('button', { name: 'Create the first variable' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Shop Url');
  await expect(dialog).toContainText('Use lower-case letters');
  await dialog.getByLabel('Name').fill('limit');
  await dialog.getByLabel('Value').fill('12');
  await expect(dialog).toContainText('Saved as number');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(rowOf(page, 'limit')).toContainText('number');
  expect(await stage.owner.data('GET', '/variables')).toEqual([{ name: 'limit', value: 12 }]);
  await choose(page, 'limit', 'Change…');
  await dialog.getByLabel('Value').fill('"12"');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(rowOf(page, 'limit')).toContainText('string');
  expect(await stage.owner.data('GET', '/variables')).toEqual([{ name: 'limit', value: '12' }]);
  await choose(page, 'limit', 'Change…');
  await expect(dialog.getByLabel('Value')).toHaveValue('"12"');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await choose(page, 'limit', 'Delete…');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('No variables yet')).toBeVisible();
});

describe('Dead letters', () => {
  test('Are they retried with the live version and dropped, several at once?', async () => {
    const flow = (value: string) => ({
      format: 1,
      id: 'breaks',
      name: 'Breaks',
      settings: { durable: true },
      nodes: {
        start: httpTrigger('/breaks', { answer: 'immediately' }),
        check: { operator: 'core.map', params: { value } },
      },
      edges: [{ from: 'start.out', to: 'check.in' }],
    });
    await stage.putFlow(flow('{{ input.missing }}'));
    for (let n = 0; n < 3; n++) {
      const { status } = await call(stage.server, '/breaks', { method: 'GET' });
      expect(status).toBe(202);
    }
    const page = await stage.visit('/dead-letters');
    await expect(async () => {
      await page.reload();
      await expect(rowOf(page, 'Breaks')).toHaveCount(3, { timeout: 2000 });
    }).toPass();
    await page
      .getByRole('checkbox', { name: /^Select Breaks/ })
      .first()
      .check();
    await page.getByRole('button', { name: 'Drop…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Drop' }).click();
    await expect(rowOf(page, 'Breaks')).toHaveCount(2);
    const { revision } = await stage.owner.data<{ revision: string }>('GET', '/flows/breaks');
    await stage.owner.data('PUT', '/flows/breaks', { flow: flow('done'), revision });
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page.getByRole('button', { name: 'Retry with the live version' }).click();
    await expect(page.getByText('No dead letters')).toBeVisible();
  });
});

test('Is usage a chart and sums, and are budgets changed there?', async () => {
  await stage.putFlow({
    format: 1,
    id: 'asks',
    name: 'Asks a model',
    nodes: {
      start: httpTrigger('/asks'),
      ask: { operator: 'model.chat', params: { model: 'demo/chat', prompt: 'Hello' } },
    },
    edges: [{ from: 'start.out', to: 'ask.in' }],
  });
  const page = await stage.visit('/usage');
  await expect(page.getByText('No model was called in this time')).toBeVisible();
  expect((await call(stage.server, '/asks')).status).toBe(200);
  await expect(async () => {
    await page.reload();
    await expect(page.getByRole('img', { name: /^Tokens of 30 days/ })).toBeVisible({ timeout: 2000 });
  }).toPass();
  await expect(rowOf(page, 'Asks a model')).toBeVisible();
  await page.getByRole('button', { name: 'Model', exact: true }).click();
  await expect(rowOf(page, 'demo/chat')).toBeVisible();
  const budgets = page.getByRole('region', { name: 'Budgets' });
  await budgets.getByRole('textbox', { name: 'Tokens: Each answer' }).fill('many');
  await expect(budgets.getByRole('alert')).toHaveText(
    'Write limits of tokens and steps as whole numbers above 0.',
  );
  await budgets.getByRole('textbox', { name: 'Tokens: Each answer' }).fill('5000');
  await budgets.getByRole('button', { name: 'API key' }).click();
  await budgets.getByRole('textbox', { name: 'Dollars: API key *' }).fill('2.5');
  await budgets.getByRole('button', { name: 'Save budgets' }).click();
  await expect(budgets.getByRole('button', { name: 'Save budgets' })).toHaveCount(0);
  expect(await stage.owner.data('GET', '/budgets')).toEqual({
    answer: { tokens: 5000 },
    apps: {},
    keys: { '*': { cost: 2.5 } },
  });
});

test('Is a deleted flow restored from the trash, and is every change in the audit?', async () => {
  await stage.putFlow(scheduled('gone', '0 0 * * *'));
  const { revision } = await stage.owner.data<{ revision: string }>('GET', '/flows/gone');
  await stage.owner.data('DELETE', `/flows/gone?revision=${revision}`);
  const page = await stage.visit('/trash');
  await choose(page, 'Report gone', 'Restore as a draft');
  await expect(page.getByText('The trash is empty')).toBeVisible();
  expect(await stage.owner.data('GET', '/flows/gone')).toMatchObject({ state: 'draft' });
  await page.goto('/audit');
  await page.getByRole('searchbox').fill('restored report gone');
  await page.getByRole('button', { name: 'flow restored' }).click();
  await expect(page.getByRole('complementary', { name: 'Details' })).toContainText('gone');
});

test('Are settings shown with their sources, and secrets not at all?', async () => {
  const page = await stage.visit('/settings');
  await page.getByRole('searchbox').fill('WEFT_API_KEYS');
  await expect(rowOf(page, 'WEFT_API_KEYS')).toContainText('set, hidden');
  await expect(rowOf(page, 'WEFT_API_KEYS')).toContainText('Environment');
  await page.getByRole('searchbox').fill('WEFT_MAX_RUNS');
  await expect(rowOf(page, 'WEFT_MAX_RUNS')).toContainText('Default');
  const answer = JSON.stringify(await stage.owner.data('GET', '/settings'));
  expect(answer).not.toContain('hush-hush');
  expect(answer).toContain('http://…@127.0.0.1:9/traces');
});

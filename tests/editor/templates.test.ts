import { beforeEach, expect as expectValue, test } from 'vitest';
import type { FlowSummary } from '#shared/api.ts';
import { expect } from '../support/expect.ts';
import { flowPage } from './support/flow-page.ts';
import { useOwnStage } from './support/stage.ts';

/** From an empty server to a flow that runs: by a template, or by a trigger. */
const stage = useOwnStage();

beforeEach(async () => {
  for (const { id, revision } of await stage.owner.data<FlowSummary[]>('GET', '/flows'))
    await stage.owner.data('DELETE', `/flows/${id}?revision=${revision}`);
});

test('Is an empty server asked what to build, and does a template lead to a run in six keys or clicks?', async () => {
  const page = await stage.visit('/');
  await expect(page.getByText('What do you want to build?')).toBeVisible();
  await page.getByRole('button', { name: 'Sort messages with a model' }).click();
  const dialog = page.getByRole('dialog', { name: 'Sort messages with a model' });
  await dialog.getByRole('button', { name: 'Next' }).click();
  await expect(dialog.getByRole('radio', { name: /^demo\/chat/ })).toBeChecked();
  await dialog.getByRole('button', { name: 'Open as a draft' }).click();
  const flow = flowPage(page);
  await flow.ready();
  await expect(flow.node('about')).toBeVisible();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const form = page.getByRole('dialog', { name: 'Run with input' });
  await form.getByRole('button', { name: 'Run', exact: true }).click();
  const result = flow.dock.getByRole('region', { name: 'Result' });
  await expect(result).toContainText('We are sorry, ada@example.com');
  expectValue(flow.id()).toBe('sort_messages_with_a_model');
});

test('Does the screen of templates find one by its words, and by its purpose?', async () => {
  const page = await stage.visit('/templates');
  const cards = page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading') });
  await expect(cards.first()).toBeVisible();
  await page.getByRole('searchbox', { name: 'Search templates' }).fill('triage');
  await expect(cards).toHaveCount(1);
  await expect(cards).toContainText('Sort messages');
  await page.getByRole('searchbox', { name: 'Search templates' }).fill('no such thing');
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.getByRole('button', { name: 'Models and chat' }).click();
  await expect(page.getByRole('region', { name: 'Models and chat' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Forms and people' })).toHaveCount(0);
});

test('Does a trigger begin a flow that is valid at once?', async () => {
  for (const name of ['A request', 'A form', 'A set time', 'A chat message']) {
    const page = await stage.visit('/');
    await page.getByRole('button', { name, exact: true }).click();
    const flow = flowPage(page);
    await flow.ready();
    await expect(flow.dock.getByText('No problems')).toBeVisible();
    const [made] = await stage.owner.data<FlowSummary[]>('GET', '/flows');
    await stage.owner.data('DELETE', `/flows/${made?.id}?revision=${made?.revision}`);
    await page.context().close();
  }
});

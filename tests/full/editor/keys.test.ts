import type { Page } from '@playwright/test';
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { ask } from '../../support/client.ts';
import { httpTrigger } from '../../support/flows.ts';
import { freshId, openFlow } from '../../editor/support/fixtures.ts';
import { useOwnStage } from '../../editor/support/stage.ts';

/** Keys are made, shown once, used and revoked. */
const stage = useOwnStage({ env: { WEFT_API_KEYS: 'from-the-environment' } });

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

const flowsWith = (key: string) =>
  ask(`${stage.server.url}/api/v1/flows`, { headers: { authorization: `Bearer ${key}` } });

describe('The screen of API keys', () => {
  test('Is a key good for what it may do, until it is revoked, and shown once?', async () => {
    const page = await stage.visit('/');
    await page.getByRole('link', { name: 'API keys', exact: true }).click();
    await page.getByRole('button', { name: 'New key' }).click();
    const form = page.getByRole('dialog', { name: 'New API key' });
    await expect(form.getByRole('button', { name: 'Create the key' })).toBeDisabled();
    await form.getByLabel('Name').fill('deploy');
    await form.getByRole('checkbox', { name: 'flows:read' }).click();
    await form.getByRole('combobox', { name: 'Expires' }).click();
    await page.getByRole('option', { name: 'In 7 days' }).click();
    await form.getByRole('button', { name: 'Create the key' }).click();

    const made = page.getByRole('dialog', { name: 'The key “deploy”' });
    const key = (await made.getByRole('region', { name: 'Key' }).locator('code').textContent()) ?? '';
    const curl = await made.getByRole('region', { name: 'A first call' }).locator('code').textContent();
    expect(curl).toBe(`curl '${stage.server.url}/api/v1/flows' -H 'Authorization: Bearer ${key}'`);
    await made.getByRole('button', { name: 'Copy the key' }).click();
    await expect(made.getByRole('button', { name: 'Copied' })).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
    await page.keyboard.press('Escape');
    await expect(made, 'a key is not lost by one key press').toBeVisible();
    await made.getByRole('button', { name: 'Done' }).click();

    const row = rowOf(page, 'deploy');
    await expect(row).toContainText('in 6 days');
    await expect(row).toContainText('never');
    expect(await page.content()).not.toContain(key);
    expect((await flowsWith(key)).status).toBe(200);
    await page.reload();
    await expect(row).toContainText('just now');

    await page.getByRole('button', { name: 'Actions for deploy' }).click();
    await page.getByRole('menuitem', { name: 'Revoke…' }).click();
    const question = page.getByRole('dialog', { name: 'Revoke the key “deploy”?' });
    await question.getByRole('button', { name: 'Revoke' }).click();
    // What stands behind an open dialog is not found by its role.
    await expect(question).toBeHidden();
    await expect(row).toHaveCount(0);
    expect((await flowsWith(key)).status).toBe(401);
  });

  test('Is a name that is taken told before anything is sent, and a key of the environment not revoked?', async () => {
    await stage.owner.data('POST', '/keys', { name: 'taken', scopes: ['chat'] });
    const page = await stage.visit('/keys');
    await page.getByRole('button', { name: 'Actions for WEFT_API_KEYS' }).click();
    await expect(page.getByRole('menuitem', { name: 'Revoke…' })).toBeDisabled();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'New key' }).click();
    const form = page.getByRole('dialog', { name: 'New API key' });
    await form.getByLabel('Name').fill('taken');
    await expect(form).toContainText('A key with this name already exists.');
    await expect(form.getByRole('button', { name: 'Create the key' })).toBeDisabled();
  });
});

test('Can a key be made where a trigger asks for one, and used at once?', async () => {
  const id = freshId();
  await stage.putFlow({
    format: 1,
    id,
    nodes: {
      start: httpTrigger(`/${id}`, { auth: 'api-key' }),
      say: { operator: 'text.template', params: { template: 'Let in' } },
    },
    edges: [{ from: 'start.out', to: 'say.in' }],
  });
  const flow = await openFlow(stage, id);
  await flow.dock.getByRole('tab', { name: 'Trigger' }).click();
  await flow.dock.getByRole('button', { name: 'New key…' }).click();
  const form = flow.page.getByRole('dialog', { name: 'New API key' });
  await form.getByLabel('Name').fill(`for ${id}`);
  await expect(form.getByRole('checkbox', { name: 'triggers' })).toBeChecked();
  await form.getByRole('button', { name: 'Create the key' }).click();
  await flow.page.getByRole('button', { name: 'Use it here' }).click();
  await flow.dock.getByRole('button', { name: 'Send' }).click();
  await expect(flow.dock.getByRole('region', { name: 'Answer', exact: true })).toContainText('Let in');
});

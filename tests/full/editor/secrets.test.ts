import type { Page } from '@playwright/test';
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { call } from '../../support/client.ts';
import { httpTrigger } from '../../support/flows.ts';
import { freshId, openFlow } from '../../editor/support/fixtures.ts';
import { pickName } from '../../editor/support/pick-name.ts';
import { useOwnStage } from '../../editor/support/stage.ts';

/** Secrets are made, granted and removed; what they hold is never seen again. */
const stage = useOwnStage({ env: { WEFT_SECRET_OUTSIDE: 'from the environment' } });

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

async function choose(page: Page, name: string, entry: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: entry }).click();
}

/** A flow that reads a secret in its code, as only a granted one can. */
async function reader(secret: string): Promise<string> {
  const id = freshId();
  await stage.putFlow({
    format: 1,
    id,
    nodes: {
      start: httpTrigger(`/${id}`),
      read: {
        operator: 'code.run',
        params: { source: `return (await ctx.secret('${secret}')).length;` },
      },
    },
    edges: [{ from: 'start.out', to: 'read.in' }],
  });
  return id;
}

describe('The screen of secrets', () => {
  test('Can a secret be made and granted, and is its value seen nowhere?', async () => {
    const page = await stage.visit('/');
    const answers: string[] = [];
    page.on('response', (response) => {
      if (!response.url().includes('/api/')) return;
      // One that is still on its way when the page is closed has no text.
      void response.text().then(
        (text) => answers.push(text),
        () => {},
      );
    });
    await page.getByRole('link', { name: 'Secrets', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'Secrets' })).toBeVisible();
    await page.getByRole('button', { name: 'New secret' }).click();
    const dialog = page.getByRole('dialog', { name: 'New secret' });
    await expect(dialog.getByRole('button', { name: 'Save' })).toBeDisabled();
    await dialog.getByLabel('Name').fill('Api Token');
    await expect(dialog).toContainText('A lower-case letter');
    await dialog.getByLabel('Name').fill('api_token');
    await dialog.getByLabel('Value').fill('hush-hush-4711');
    await expect(dialog).toContainText('Nobody yet');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(rowOf(page, 'api_token')).toContainText('nobody yet');

    await choose(page, 'api_token', 'Change…');
    const change = page.getByRole('dialog', { name: 'Change the secret “api_token”' });
    await expect(change.getByLabel('New value')).toHaveValue('');
    await pickName(change, 'Operators', 'code.run');
    await change.getByRole('button', { name: 'Save' }).click();
    await expect(rowOf(page, 'api_token')).toContainText('nodes Code');
    const id = await reader('api_token');
    expect((await call(stage.server, `/${id}`)).text, 'the value is what it was').toBe('14');
    expect(`${await page.content()} ${answers.join()}`).not.toContain('hush-hush');
  });

  test('Is deleting asked about, and does a failure say why?', async () => {
    await stage.owner.data('PUT', '/secrets/old_one', { value: 'x', grants: {} });
    const page = await stage.visit('/secrets');
    await choose(page, 'old_one', 'Delete…');
    const dialog = page.getByRole('dialog', { name: 'Delete the secret “old_one”?' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await expect(rowOf(page, 'old_one')).toBeVisible();
    await choose(page, 'old_one', 'Delete…');
    await stage.owner.data('DELETE', '/secrets/old_one');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect(dialog.getByRole('alert')).toContainText('There is no secret old_one');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.reload();
    await expect(page.getByRole('button', { name: 'New secret' })).toBeVisible();
    await expect(rowOf(page, 'old_one')).toHaveCount(0);
  });

  test('Can one of the environment be granted, and not be deleted?', async () => {
    const page = await stage.visit('/secrets');
    await choose(page, 'outside', 'Change…');
    const dialog = page.getByRole('dialog', { name: 'Change the secret “outside”' });
    await expect(dialog.getByText('WEFT_SECRET_OUTSIDE')).toBeVisible();
    await dialog.getByLabel('Hosts').fill('api.example.com');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(rowOf(page, 'outside')).toContainText('hosts api.example.com');
    await page.getByRole('button', { name: 'Actions for outside' }).click();
    await expect(page.getByRole('menuitem', { name: 'Delete…' })).toBeDisabled();
  });

  test('Is it found from the editor?', async () => {
    const id = await reader('whatever');
    const flow = await openFlow(stage, id);
    await flow.page.getByRole('button', { name: 'More', exact: true }).click();
    await flow.page.getByRole('menuitem', { name: 'All secrets' }).click();
    await expect(flow.page.getByRole('heading', { name: 'Secrets' })).toBeVisible();
  });
});

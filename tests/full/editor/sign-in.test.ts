import type { Page } from '@playwright/test';
import { expect } from '../../support/expect.ts';
import { onTestFinished, test } from 'vitest';
import { freshId, lineFlow, openFlow } from '../../editor/support/fixtures.ts';
import { useOwnStage } from '../../editor/support/stage.ts';

/** Browsers that come and go: a second one is let in by the first, and one that leaves is asked before. */
const stage = useOwnStage();

/** The page of a browser that nobody knows. */
async function stranger(beside: Page, address: string): Promise<Page> {
  const context = await beside.context().browser()?.newContext();
  if (!context) throw new Error('There is no browser.');
  onTestFinished(() => context.close());
  const page = await context.newPage();
  await page.goto(address);
  return page;
}

const invitation = (page: Page) => page.getByRole('dialog', { name: 'Sign in another browser' });
const addressIn = (page: Page) => invitation(page).getByRole('region', { name: 'Address' }).locator('code');
/** Opens the menu of the account and chooses from it. */
async function account(page: Page, entry: string): Promise<void> {
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('menuitem', { name: entry }).click();
}
const flows = (page: Page) => page.getByRole('heading', { name: /^Flows/ });

test('Can who is signed in let in a second browser, from the editor, with an address that works once?', async () => {
  const id = freshId();
  const { flow, layout } = lineFlow(id);
  await stage.putFlow(flow, layout);
  const { page } = await openFlow(stage, id);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Sign in another browser…' }).click();
  await expect(addressIn(page)).toContainText(`${stage.server.url}/?token=`);
  await expect(invitation(page)).toContainText('once, within 15 minutes');
  await expect(invitation(page)).toContainText('This one leads to this computer');
  const shown = (await addressIn(page).textContent()) ?? '';
  await invitation(page).getByRole('button', { name: 'Copy the address' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(shown);

  const second = await stranger(page, shown);
  await expect(second.getByText(`${id}.json`)).toBeVisible();
  expect(second.url()).toBe(`${stage.server.url}/`);
  const third = await stranger(page, shown);
  await expect(third.getByText('already used, or has expired')).toBeVisible();

  await invitation(page).getByRole('button', { name: 'Create another address' }).click();
  await expect(addressIn(page)).not.toHaveText(shown);
  await third.goto((await addressIn(page).textContent()) ?? '');
  await expect(flows(third)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(invitation(page)).toBeHidden();
});

test('Is somebody asked before signing out, told what it means, and are the other browsers left alone?', async () => {
  const first = await stage.visit('/');
  await account(first, 'Sign in another browser…');
  await expect(addressIn(first)).toContainText('?token=');
  const second = await stranger(first, (await addressIn(first).textContent()) ?? '');
  await invitation(first).getByRole('button', { name: 'Done' }).click();

  const question = second.getByRole('dialog', { name: 'Sign out of this browser?' });
  const leave = () => account(second, 'Sign out…');
  await leave();
  await expect(question).toContainText('To come back, this browser needs');
  await question.getByRole('button', { name: 'Cancel' }).click();
  await second.reload();
  await expect(flows(second)).toBeVisible();

  await leave();
  await question.getByRole('button', { name: 'Sign out', exact: true }).click();
  await expect(second.getByText('Open an address that signs this browser in.')).toBeVisible();
  await second.reload();
  await expect(second.getByText('Open an address that signs this browser in.')).toBeVisible();
  await first.reload();
  await expect(flows(first)).toBeVisible();
});

test('Can somebody who left a browser signed in elsewhere sign out all of them at once?', async () => {
  const first = await stage.visit('/');
  await account(first, 'Sign in another browser…');
  await expect(addressIn(first)).toContainText('?token=');
  const second = await stranger(first, (await addressIn(first).textContent()) ?? '');
  await invitation(first).getByRole('button', { name: 'Done' }).click();
  await account(first, 'Sign out…');
  const question = first.getByRole('dialog', { name: 'Sign out of this browser?' });
  await question.getByText('Sign out all other browsers too').click();
  await question.getByRole('button', { name: 'Sign out', exact: true }).click();
  const out = 'Open an address that signs this browser in.';
  await expect(first.getByText(out)).toBeVisible();
  await second.reload();
  await expect(second.getByText(out)).toBeVisible();
});

import type { Page } from '@playwright/test';
import { test } from 'vitest';
import { useStage } from '../../editor/support/stage.ts';
import { expect } from '../../support/expect.ts';

const stage = useStage();

const list = (page: Page) => page.getByRole('complementary', { name: 'Conversations' });

async function ask(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: 'New chat' }).first().click();
  await page.getByLabel('Message').fill(text);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('article', { name: 'Answer' }).last()).toContainText(text);
  await expect(page.getByRole('button', { name: 'Send' })).toBeVisible();
}

test('Can a conversation be found by what was said, and get a name of its own?', async () => {
  const page = await stage.visit('/chat?partner=demo%2Fecho');
  await ask(page, 'Which mugs are blue?');
  await ask(page, 'How long is a day on Mars?');
  // Tests of other files have conversations on the same server.
  const links = list(page)
    .getByRole('link')
    .filter({ hasText: /blue|Mars/i });
  await expect(links).toHaveCount(2);

  await list(page).getByRole('searchbox', { name: 'Search conversations' }).fill('MUGS');
  await expect(links).toHaveText([/^Which mugs are blue\?/]);
  await links.first().hover();
  await list(page).getByRole('button', { name: 'Rename “Which mugs are blue?”' }).click();
  const dialog = page.getByRole('dialog', { name: 'Rename the conversation' });
  await expect(dialog.getByLabel('Name')).toBeFocused();
  await page.keyboard.insertText('Blue ones');
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  await expect(links).toHaveText([/^Blue ones/]);

  await list(page).getByRole('searchbox').fill('nothing of that');
  await expect(list(page)).toContainText('No conversation contains “nothing of that”.');
  await list(page).getByRole('button', { name: 'Clear the search' }).click();
  await expect(links).toHaveCount(2);
});

test('Is a name that the server refuses told, and kept in the dialog?', async () => {
  const page = await stage.visit('/chat?partner=demo%2Fecho');
  await ask(page, 'Which mugs are green?');
  await list(page)
    .getByRole('link', { name: /^Which mugs are green/ })
    .hover();
  await list(page).getByRole('button', { name: 'Rename “Which mugs are green?”' }).click();
  const other = await page.context().newPage();
  await other.goto(page.url());
  const deleted = list(other).getByRole('button', { name: 'Delete “Which mugs are green?”' });
  await deleted.focus();
  await other.keyboard.press('Enter');
  await other.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(deleted).toHaveCount(0);
  await page.bringToFront();
  await page.keyboard.insertText('Green ones');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Rename the conversation' });
  await expect(dialog.getByRole('alert')).toContainText('conversation');
  await expect(dialog.getByLabel('Name')).toHaveValue('Green ones');
});

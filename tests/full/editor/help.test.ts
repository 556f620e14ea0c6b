import type { Page } from '@playwright/test';
import { describe, test } from 'vitest';
import { expect } from '../../support/expect.ts';
import { auditOf } from '../../editor/support/audit.ts';
import { openRow } from '../../editor/support/fixtures.ts';
import { useStage } from '../../editor/support/stage.ts';
import { growTexts, lookerOf } from '../support/words-look.ts';

/** `/help`: the pages of the docs, and the ways from the editor into them. The stage fails where a page breaks the policy. */
const stage = useStage();

async function stranger(path: string, options = {}): Promise<Page> {
  const page = await stage.visit('about:blank', options);
  await page.context().clearCookies();
  await page.goto(stage.server.url + path);
  return page;
}

const search = (page: Page) => page.getByRole('dialog', { name: 'Search' });
const results = (page: Page) => search(page).getByRole('link');
const isDark = (page: Page) => page.evaluate(() => document.documentElement.dataset['theme']);

describe('A reader without an account', () => {
  test('Does “/” find how to upload a spreadsheet, by keys alone?', async () => {
    const page = await stranger('/help');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Documentation');
    await page.keyboard.press('/');
    await page.keyboard.type('upload a spreadsheet');
    await expect(results(page).first()).toContainText(/spreadsheet|excel|xlsx|upload/i);
    await expect(results(page).first().locator('mark').first()).toBeVisible();
    const address = await results(page).nth(1).getAttribute('href');
    await page.keyboard.press('ArrowDown');
    await expect(results(page).nth(1)).toBeFocused();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await expect(page.getByRole('searchbox')).toBeFocused();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(stage.server.url + address);
    await expect(search(page)).toHaveCount(0);
  });

  test('Does Ctrl+K lead to the row of a code, and Enter take the first result?', async () => {
    const page = await stranger('/help/keys');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('flow_not_found');
    await expect(results(page).first()).toContainText('flow_not_found');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`${stage.server.url}/help/reference/errors#flow_not_found`);
    await expect(page.getByRole('row', { name: /^flow_not_found/ })).toBeInViewport();
    await page.keyboard.press('/');
    await page.keyboard.type('xyzzyplugh');
    await expect(search(page).getByRole('status')).toContainText('Nothing was found for “xyzzyplugh”');
    await page.keyboard.press('Escape');
    await expect(search(page)).toBeHidden();
  });

  test('Is an address without a page a 404 with the search and the sections?', async () => {
    const page = await stranger('/help');
    const answer = await page.goto(`${stage.server.url}/help/of/nothing`);
    expect(answer?.status()).toBe(404);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('There is no such page');
    await page.getByRole('button', { name: 'Search the help' }).click();
    await expect(page.getByRole('searchbox')).toBeFocused();
    await page.keyboard.press('Escape');
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Reference' }).click();
    await expect(page).toHaveURL(`${stage.server.url}/help/reference`);
  });

  test('Do the pages follow each other, with the outline of each beside it?', async () => {
    const page = await stranger('/help/keys');
    await expect(page.getByRole('navigation', { name: 'Pages' }).locator('[aria-current]')).toContainText(
      'Keys',
    );
    const outline = page.getByRole('navigation', { name: 'On this page' });
    await outline.getByRole('link', { name: 'Triggers' }).click();
    await expect(page.getByRole('heading', { name: 'Triggers' })).toBeInViewport();
    await expect(outline.locator('[aria-current]')).toHaveText('Triggers');
    await page.getByRole('navigation', { name: 'Previous and next page' }).getByRole('link').last().click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Security');
    await page.goBack();
    await expect(page).toHaveURL(/\/help\/keys#triggers$/);
  });

  test('Is code copied whole?', async () => {
    const page = await stranger('/help/chat', { permissions: ['clipboard-read', 'clipboard-write'] });
    const code = page.locator('main pre').first();
    await code.hover();
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await code.textContent());
  });

  test('Is there room for words that are 40 % longer?', async () => {
    const page = await stranger('/help');
    await growTexts(page);
    const { look, found } = lookerOf(page);
    await look('help');
    expect(found.filter((fault) => /cut:|sideways/.test(fault))).toEqual([]);
  });

  test('Are all pages in reach on a phone?', async () => {
    const page = await stranger('/help/lists', { viewport: { width: 390, height: 844 } });
    const pages = page.getByRole('navigation', { name: 'Pages' });
    await expect(pages).toBeHidden();
    await page.getByRole('button', { name: 'All pages' }).click();
    const { look, found } = auditOf(page);
    await look('all pages at 390');
    expect(found).toEqual([]);
    await page.keyboard.press('Escape');
    await expect(pages).toBeHidden();
    await page.getByRole('button', { name: 'All pages' }).click();
    await pages.getByRole('link', { name: 'Schedules' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Schedules');
  });

  test('Does axe find nothing in the search?', async () => {
    const page = await stranger('/help');
    await page.keyboard.press('/');
    await page.keyboard.type('secret');
    await expect(results(page).first()).toBeVisible();
    const { look, found } = auditOf(page);
    await look('search');
    expect(found).toEqual([]);
  });

  test('Does it ask nobody but this server?', async () => {
    const page = await stranger('/help/about');
    const asked = new Set<string>();
    page.on('request', (one) => asked.add(new URL(one.url()).origin));
    await page.reload();
    await page.keyboard.press('/');
    await page.keyboard.type('key');
    await expect(results(page).first()).toBeVisible();
    expect([...asked]).toEqual([stage.server.url]);
  });
});

test('Is the theme that of the editor, and kept for it?', async () => {
  const page = await stage.visit('/', { colorScheme: 'light' });
  await page.getByRole('button', { name: 'Theme' }).click();
  await page.getByRole('menu', { name: 'Theme' }).getByText('Dark').click();
  await page.goto('/help');
  expect(await isDark(page)).toBe('dark');
  await page.getByRole('button', { name: 'Theme' }).click();
  await page.getByRole('button', { name: 'Theme' }).click();
  await expect.poll(() => isDark(page)).toBe('light');
  await page.goto('/');
  await expect.poll(() => isDark(page)).toBe('light');
});

describe('From the editor', () => {
  const opened = async (page: Page, act: () => Promise<unknown>): Promise<Page> => {
    const [help] = await Promise.all([page.context().waitForEvent('page'), act()]);
    await help.waitForLoadState();
    return help;
  };

  test('Do the rail and F1 lead to the page on the screen?', async () => {
    const page = await stage.visit('/secrets');
    const link = page.getByRole('link', { name: 'Help', exact: true });
    const help = await opened(page, () => link.click());
    await expect(help).toHaveURL(`${stage.server.url}/help/security#secrets`);
    await expect(help.getByRole('heading', { name: 'Secrets', exact: true })).toBeInViewport();
    await help.close();
    await page.goto('/schedules');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    const other = await opened(page, () => page.keyboard.press('F1'));
    await expect(other.getByRole('heading', { level: 1 })).toHaveText('Schedules');
  });

  test('Do F1, the docs of a node and the commands lead to the section on its operator?', async () => {
    const { page, node } = await openRow(stage);
    await node('first').click();
    const help = await opened(page, () => page.keyboard.press('F1'));
    await expect(help).toHaveURL(`${stage.server.url}/help/reference/operators/text#texttemplate`);
    await help.close();
    await page.getByRole('tab', { name: 'Docs' }).click();
    const about = page.getByRole('link', { name: 'All about it in the help' });
    const same = await opened(page, () => about.click());
    await expect(same).toHaveURL(`${stage.server.url}/help/reference/operators/text#texttemplate`);
    await same.close();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('documentation');
    const third = await opened(page, () => page.keyboard.press('Enter'));
    await expect(third).toHaveURL(/\/help\/reference\/operators\/text/);
  });
});

import type { Locator } from '@playwright/test';

/** Chooses what a search finds first in the picker that is labelled so. */
export async function pickName(inside: Locator, label: string, search: string): Promise<void> {
  const page = inside.page();
  await inside.getByRole('combobox', { name: label, exact: true }).click();
  await page.getByPlaceholder(/^Search /).fill(search);
  await page.getByRole('option').first().click();
}

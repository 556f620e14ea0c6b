import type { Page } from '@playwright/test';
import { expect } from '../../support/expect.ts';
import type { Stage } from './stage.ts';

/** The conversation on the screen of chats. */
export const log = (page: Page) => page.getByRole('log', { name: 'Conversation' });
export const answers = (page: Page) => log(page).getByRole('article', { name: 'Answer' });

export async function chooseWith(page: Page, name: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Chat with' }).click();
  await page.getByRole('option', { name }).click();
}

export async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill(text);
  // Enter does nothing while an answer is still coming.
  await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeEnabled();
  await page.keyboard.press('Enter');
}

/** A provider at an address, with one model `m`. */
export const addProvider = ({ owner }: Stage, id: string, baseUrl: string): Promise<unknown> =>
  owner.data('PUT', `/providers/${id}`, { type: 'openai-compatible', baseUrl, models: [{ name: 'm' }] });

/** What the demo model carries out line by line. */
export const script = (...lines: readonly string[]): string => ['```demo', ...lines, '```'].join('\n');

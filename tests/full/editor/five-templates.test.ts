import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Locator, Page } from '@playwright/test';
import { afterAll, beforeAll, expect as expectValue, test } from 'vitest';
import { flowPage } from '../../editor/support/flow-page.ts';
import { useOwnStage } from '../../editor/support/stage.ts';
import { expect } from '../../support/expect.ts';

/** Five templates on an empty server, each to a run that works: without an account, and once with a service of one's own. */
const stage = useOwnStage({ env: { WEFT_OUTBOUND_ALLOW: '127.0.0.1' } });

/** Plays a service on the web. */
const outside = createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  const items = [{ id: 'n1', title: 'New rugs', link: 'https://example.com/n1' }];
  response.end(request.url === '/news' ? JSON.stringify({ items }) : '{}');
});
beforeAll(() => new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve)));
afterAll(() => outside.close());

interface Visit {
  readonly page: Page;
  readonly counted: { clicks: number; texts: number };
  click(on: Locator): Promise<void>;
  fill(field: Locator, text: string): Promise<void>;
}

async function visit(): Promise<Visit> {
  const page = await stage.visit('/templates');
  const counted = { clicks: 0, texts: 0 };
  return {
    page,
    counted,
    async click(on) {
      counted.clicks++;
      await on.click();
    },
    async fill(field, text) {
      counted.texts++;
      await field.fill(text);
    },
  };
}

/** Runs the draft that is open; its input is filled in. */
async function run({ page, click }: Visit, { asks }: { asks: boolean }): Promise<Locator> {
  const flow = flowPage(page);
  await flow.ready();
  await expect(flow.dock.getByText('No problems')).toBeVisible();
  await click(page.getByRole('button', { name: 'Run', exact: true }));
  if (asks)
    await click(
      page.getByRole('dialog', { name: 'Run with input' }).getByRole('button', { name: 'Run', exact: true }),
    );
  return flow.dock.getByRole('region', { name: 'Result' });
}

test.each([
  { title: 'Ask an API for each row', asks: false, clicks: 3, answer: 'Wool rug' },
  { title: 'A report every night', asks: false, clicks: 3, answer: 'owner@example.com' },
  { title: 'Sort messages with a model', asks: true, clicks: 4, answer: 'We are sorry' },
  { title: 'A signed webhook, each event once', asks: true, clicks: 4, answer: 'evt_1' },
])('Does “$title” come to a run in $clicks clicks?', async ({ title, asks, clicks, answer }) => {
  const one = await visit();
  await one.click(one.page.getByRole('button', { name: title }));
  await one.click(one.page.getByRole('dialog', { name: title }).getByRole('button', { name: 'Try it now' }));
  const result = await run(one, { asks });
  await expect(result).toContainText(answer);
  expectValue(one.counted).toEqual({ clicks, texts: 0 });
});

test('Does a chat from a template answer its proposed message in four clicks?', async () => {
  const { page, click, counted } = await visit();
  const title = 'A chat that remembers';
  await click(page.getByRole('button', { name: title }));
  await click(page.getByRole('dialog', { name: title }).getByRole('button', { name: 'Try it now' }));
  await flowPage(page).ready();
  await click(page.getByRole('button', { name: 'Run', exact: true }).first());
  const chat = page.getByRole('complementary', { name: 'Chat' });
  await click(chat.getByRole('button', { name: 'Please count to 5' }));
  const answer = chat.getByRole('log', { name: 'Conversation' }).getByRole('article', { name: 'Answer' });
  await expect(answer).toContainText('5');
  expectValue(counted).toEqual({ clicks: 4, texts: 0 });
});

test('Does a template run with a service of one’s own, whose connection is made in the step that asks for it?', async () => {
  const one = await visit();
  const { page, click, fill } = one;
  const title = 'News of a service, as a mail';
  await click(page.getByRole('button', { name: title }));
  const dialog = page.getByRole('dialog', { name: title });
  await click(dialog.getByRole('button', { name: 'Next' }));
  await click(dialog.getByRole('button', { name: 'New connection…' }));
  const form = page.getByRole('dialog', { name: 'New connection' });
  await fill(form.getByRole('textbox', { name: 'Name' }), 'my_service');
  const { port } = outside.address() as AddressInfo;
  await fill(form.getByRole('textbox', { name: 'Address' }), `http://127.0.0.1:${port}`);
  await click(form.getByRole('button', { name: 'Save' }));
  await expect(dialog.getByRole('radio', { name: /^my_service/ })).toBeChecked();
  await dialog.getByRole('button', { name: 'Test my_service' }).click();
  await expect(dialog.getByRole('status')).toContainText('It works');
  await click(dialog.getByRole('button', { name: 'Next' }));
  await click(dialog.getByRole('button', { name: 'Open as a draft' }));
  const result = await run(one, { asks: false });
  await expect(result).toContainText(/New rugs|accepted|told/);
  await page.goto('/shop');
  await expect(page.getByRole('region', { name: 'Mailbox' })).toContainText('New rugs');
  expectValue(one.counted).toEqual({ clicks: 7, texts: 2 });
});

import type { Page } from '@playwright/test';
import { afterAll, beforeAll, test } from 'vitest';
import {
  listenOpenAi,
  type OpenAiServer,
  sendChunks,
  sendError,
} from '../../../server/integrations/models/testing/openai-server.ts';
import { auditOf } from '../../editor/support/audit.ts';
import { answers, log } from '../../editor/support/chat-page.ts';
import { useOwnStage } from '../../editor/support/stage.ts';
import { expect } from '../../support/expect.ts';

/** Chats that are left during an answer, open in two windows, without an answer, or with answers of unusual forms. */
const stage = useOwnStage({ env: { WEFT_OUTBOUND_ALLOW: '127.0.0.1' } });

const WORDS = 'Lorem ipsum dolor sit amet. '.repeat(30);
const TABLE = `| Region | Orders | Remark |\n|---|--:|---|\n| Northern | 1,204 | ${WORDS} |\n`;
const CODE = '```js\nconst answer = 42;\n```\n';

let provider: OpenAiServer & { close(): void };
beforeAll(async () => {
  let refused = 0;
  provider = await listenOpenAi((response, { body }) => {
    const [last] = (body as unknown as { messages: { content: string }[] }).messages.slice(-1);
    const asked = last?.content ?? '';
    if (asked === 'Wait') sendChunks(response, [{ content: 'Well' }]);
    else if (asked === 'Refuse' && refused++ === 0) sendError(response, 429);
    else if (asked === 'Nothing') sendChunks(response, [], 'stop');
    else if (asked === 'Table') sendChunks(response, [{ content: `${TABLE}\n${CODE}` }], 'stop');
    else if (asked === 'Long')
      sendChunks(response, [{ content: `${`${WORDS}\n\n`.repeat(300)}The end.` }], 'stop');
    else sendChunks(response, [{ content: `You said ${asked}.` }], 'stop');
  });
  const setup = { type: 'openai-compatible', baseUrl: provider.url, models: [{ name: 'm' }] };
  await stage.owner.data('PUT', '/providers/odd', setup);
});
afterAll(() => provider.close());

const open = () => stage.visit('/chat?partner=odd/m');
async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message', exact: true }).fill(text);
  await page.keyboard.press('Enter');
  await expect(
    log(page)
      .getByRole('listitem')
      .filter({ hasText: `You: ${text}` })
      .last(),
  ).toBeVisible();
}
const isAtEnd = (page: Page) =>
  log(page).evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight < 40);

test('Is a first question that was left during its answer, or refused, there again, and can it be asked again?', async () => {
  const page = await open();
  await say(page, 'Wait');
  await expect(answers(page)).toContainText('Well');
  await page.reload();
  await expect(log(page)).toContainText('You: Wait');
  await page.getByRole('button', { name: 'New chat' }).click();

  await say(page, 'Refuse');
  await expect(answers(page).getByRole('alert')).toContainText('model_rate_limited');
  await page.reload();
  await answers(page).getByRole('button', { name: 'Try again' }).click();
  await expect(answers(page)).toContainText('You said Refuse.');
  await say(page, 'More');
  await expect(answers(page).last()).toContainText('You said More.');
  await page.reload();
  await expect(answers(page)).toHaveCount(2);
  await expect(answers(page).getByRole('alert')).toHaveCount(0);
});

test('Does the address of a conversation that is not there lead to a new one?', async () => {
  const page = await stage.visit('/chat?conversation=nobody_knows_it');
  await expect(page.getByText('This conversation does not exist')).toBeVisible();
  const { look, found } = auditOf(page);
  await look('a conversation that does not exist');
  expect(found).toEqual([]);
  await page.getByRole('main').getByRole('button', { name: 'New chat' }).click();
  await say(page, 'Hello');
  await expect(answers(page)).toContainText('You said Hello.');
});

test('Does a window show what was said in another one when somebody comes back to it?', async () => {
  const page = await open();
  await say(page, 'Here');
  await expect(page).toHaveURL(/conversation=/);
  await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeVisible();
  const other = await page.context().newPage();
  await other.goto(page.url());
  await say(other, 'There');
  await expect(answers(other).last()).toContainText('You said There.');
  await expect(other.getByRole('button', { name: 'Send', exact: true })).toBeVisible();
  await expect(async () => {
    await page.evaluate(() => globalThis.dispatchEvent(new Event('focus')));
    await expect(answers(page).last()).toContainText('You said There.', { timeout: 1000 });
  }).toPass();
});

test('Is an empty answer told to be one?', async () => {
  const page = await open();
  await say(page, 'Nothing');
  await expect(answers(page)).toContainText('The answer is empty.');
});

test('Do columns of a table keep their words on a phone, and is code copied by its button?', async () => {
  const page = await stage.visit('/chat?partner=odd/m', { viewport: { width: 390, height: 844 } });
  await say(page, 'Table');
  const cell = answers(page).getByRole('cell', { name: 'Northern' });
  await expect(cell).toBeVisible();
  const lines = await cell.evaluate((one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    return new Set([...range.getClientRects()].map(({ top }) => top)).size;
  });
  expect(lines).toBe(1);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await answers(page).getByText('const answer').hover();
  await answers(page).getByRole('button', { name: 'Copy the code' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('const answer = 42;');
  const { look, found } = auditOf(page);
  await look('a table and code in an answer');
  expect(found).toEqual([]);
});

test('Does the chat stay at its end, whatever grows, until somebody scrolls up, and is a long answer drawn in pieces?', async () => {
  const page = await open();
  await say(page, 'Long');
  await expect(answers(page)).toContainText('The end.');
  await expect.poll(() => isAtEnd(page)).toBe(true);
  await expect.poll(() => answers(page).locator('.weft-markdown-piece').count()).toBeGreaterThan(10);
  const text = { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('hi') };
  await page.getByLabel('Files to attach').setInputFiles([text]);
  await expect(page.getByRole('list', { name: 'Files to send' })).toContainText('a.txt');
  await expect.poll(() => isAtEnd(page)).toBe(true);
  await page.getByRole('button', { name: 'Remove a.txt' }).click();
  await log(page).evaluate((box) => box.scrollTo({ top: 200 }));
  await page.getByLabel('Files to attach').setInputFiles([text]);
  await expect(page.getByRole('list', { name: 'Files to send' })).toContainText('a.txt');
  expect(await isAtEnd(page)).toBe(false);
  await page.getByRole('button', { name: 'Remove a.txt' }).click();
  await say(page, 'Hello');
  await expect(answers(page).last()).toContainText('You said Hello.');
  await expect.poll(() => isAtEnd(page)).toBe(true);
});

import type { Page } from '@playwright/test';
import { describe, test } from 'vitest';
import type { App } from '#shared/app.ts';
import { ask } from '../../support/client.ts';
import { expect } from '../../support/expect.ts';
import { auditOf } from '../../editor/support/audit.ts';
import { answers, log } from '../../editor/support/chat-page.ts';
import { flowPage } from '../../editor/support/flow-page.ts';
import { freshId } from '../../editor/support/fixtures.ts';
import { useStage } from '../../editor/support/stage.ts';

/** Files in the chats of the browser: attached, sent, seen by the flow, there again later, and gone with the conversation. */
const stage = useStage();
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const dot = { name: 'dot.png', mimeType: 'image/png', buffer: PIXEL };
const csv = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from('name\nAda\n') };

const chosen = (page: Page) => page.getByRole('list', { name: 'Files to send' });

/** Says the names of the files, and gives them back. */
async function putFlow(): Promise<string> {
  const id = freshId();
  const text =
    '{{ "Got " + input.files.map(f => f.name).join(", ") + ", remembers " + input.history.length }}';
  await stage.putFlow({
    format: 1,
    id,
    nodes: {
      chat: { operator: 'trigger.chat', params: { title: id } },
      back: { operator: 'core.map', params: { value: { text, files: '{{ input.files }}' } } },
    },
    edges: [{ from: 'chat.out', to: 'back.in' }],
  });
  return id;
}

describe('Files in a chat', () => {
  test('Are they attached, sent, seen, there again later, and gone with the conversation?', async () => {
    const id = await putFlow();
    const page = await stage.visit(`/chat?partner=flow:${id}`);
    await page.getByLabel('Files to attach').setInputFiles([dot, csv]);
    await expect(chosen(page).getByRole('listitem')).toHaveText([/dot\.png.*70/, /people\.csv.*9/]);
    await page.getByRole('button', { name: 'Remove dot.png' }).click();
    await expect(chosen(page).getByRole('listitem')).toHaveCount(1);
    await pasteImage(page);
    await expect(chosen(page).getByRole('listitem')).toHaveCount(2);
    await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeEnabled();
    await page.getByLabel('Message').fill('Look');
    await page.keyboard.press('Enter');

    await expect(answers(page)).toContainText('Got people.csv, pasted.png, remembers 0');
    const { look, found } = auditOf(page);
    await look('a chat with files');
    expect(found).toEqual([]);
    await expect(chosen(page)).toHaveCount(0);
    await expect(log(page).getByRole('link', { name: 'Download people.csv' })).toBeVisible();
    await expect(answers(page).getByRole('img', { name: 'pasted.png' })).toBeVisible();
    await page.reload();
    await expect(answers(page)).toContainText('Got people.csv, pasted.png');
    await expect(answers(page).getByRole('img', { name: 'pasted.png' })).toHaveJSProperty('naturalWidth', 1);
    const file = await log(page)
      .getByRole('link', { name: 'Download people.csv' })
      .first()
      .getAttribute('href');
    const url = stage.server.url + (file ?? '');
    expect((await ask(url, { headers: stage.owner.headers })).text).toBe('name\nAda\n');

    await page.getByLabel('Message').fill('And?');
    await page.keyboard.press('Enter');
    await expect(answers(page).last()).toContainText('remembers 2');
    const conversation = new URL(page.url()).searchParams.get('conversation')?.replaceAll('"', '') ?? '';
    await stage.owner.data('DELETE', `/chat/conversations/${conversation}`);
    expect((await stage.owner.api('GET', `/chat/conversations/${conversation}`)).status).toBe(404);
  });

  test('Is it said that a space reads no files, instead of sending one that nothing looks at?', async () => {
    const name = freshId();
    await stage.owner.data('POST', '/knowledge/spaces', { name });
    const page = await stage.visit(`/chat?partner=knowledge:${name}`);
    const why = 'A space answers from its own documents: add files to it under Knowledge.';
    await expect(page.getByRole('button', { name: why })).toBeDisabled();
    await pasteImage(page);
    await expect(page.getByText(why)).toBeVisible();
    await expect(chosen(page)).toHaveCount(0);
  });

  test('Are files dropped on the chat of the editor taken, and is a refusal told?', async () => {
    const id = await putFlow();
    const page = await stage.visit(`/flows/${id}`);
    await flowPage(page).ready();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByLabel('Files to attach').setInputFiles(Array.from({ length: 11 }, () => csv));
    await expect(page.getByText('At most 10 files can be attached.')).toBeVisible();
    await dropText(page, 'notes.txt', 'Hello');
    await expect(chosen(page).getByRole('listitem')).toHaveText([/notes\.txt/]);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await expect(answers(page)).toContainText('Got notes.txt');
  });

  test('Does the public page take them, on a phone and without scripts too?', async () => {
    const code = await putApp();
    const phone = await stage.visit('about:blank', { viewport: { width: 360, height: 740 } });
    await phone.context().clearCookies();
    await phone.goto(`${stage.server.url}/talk/${code}`);
    const { look, found } = auditOf(phone);
    await phone.locator('#choose').setInputFiles([dot, csv]);
    await expect(phone.locator('#files li')).toHaveCount(2);
    await look('files to send');
    await phone.getByRole('button', { name: 'Remove people.csv' }).click();
    await phone.getByRole('button', { name: 'Send', exact: true }).click();
    await expect(phone.getByRole('log')).toContainText('Got dot.png');
    const picture = phone.getByRole('log').getByRole('img', { name: 'dot.png' });
    await expect(picture).toHaveCount(2);
    await expect(picture.last()).toHaveJSProperty('naturalWidth', 1);
    expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    await look('a chat with files');
    expect(found).toEqual([]);

    const plain = await stage.visit('about:blank', { javaScriptEnabled: false });
    await plain.context().clearCookies();
    await plain.goto(`${stage.server.url}/talk/${code}`);
    await plain.locator('#choose').setInputFiles([csv]);
    await plain.getByLabel('Your message').fill('Look');
    await plain.getByRole('button', { name: 'Send', exact: true }).click();
    await expect(plain.getByRole('log')).toContainText('Got people.csv');
  });

  test('Does a picture far up in a long conversation come when one scrolls to it?', async () => {
    const long = 'A line.\n'.repeat(400);
    const id = await putFlow();
    const page = await stage.visit(`/chat?partner=flow:${id}`);
    const phone = await stage.visit('about:blank', { viewport: { width: 360, height: 740 } });
    await phone.goto(`${stage.server.url}/talk/${await putApp()}`);
    await page.getByLabel('Files to attach').setInputFiles([dot]);
    await phone.locator('#choose').setInputFiles([dot]);
    for (const [one, message] of [
      [page, page.getByLabel('Message')],
      [phone, phone.getByLabel('Your message')],
    ] as const) {
      await message.fill('Look');
      await one.getByRole('button', { name: 'Send', exact: true }).click();
      await expect(one.getByRole('log')).toContainText('remembers 0');
      await message.fill(long);
      await one.getByRole('button', { name: 'Send', exact: true }).click();
      await expect(one.getByRole('log')).toContainText('remembers 2');
      await one.reload();
      await expect(one.getByRole('log').locator('img')).toHaveCount(2);
      for (const picture of await one.getByRole('log').locator('img').all()) {
        await picture.scrollIntoViewIfNeeded();
        await expect(picture).toHaveJSProperty('naturalWidth', 1);
      }
    }
  });
});

async function putApp(): Promise<string> {
  const id = await putFlow();
  const app = { app_name: id, app_describe: '', team_mode: 'awel_layout', team_context: id, language: 'en' };
  const made = await ask(`${stage.server.url}/api/v2/serve/apps`, {
    method: 'POST',
    headers: { ...stage.owner.headers, 'content-type': 'application/json' },
    body: JSON.stringify(app),
  });
  const { app_code: code } = (made.body as { data: App }).data;
  await stage.owner.data('PUT', `/apps/${code}/page`, { open: true, files: true, perMinute: 100 });
  return code;
}

/** As a browser does when somebody pastes a picture. */
async function pasteImage(page: Page): Promise<void> {
  await page.getByLabel('Message').evaluate((field, base64) => {
    const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([bytes], 'pasted.png', { type: 'image/png' }));
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }, PIXEL.toString('base64'));
}

async function dropText(page: Page, name: string, text: string): Promise<void> {
  await page.getByText('Chat with this flow').evaluate(
    (area, [fileName, content]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([content as string], fileName as string, { type: 'text/plain' }));
      for (const type of ['dragover', 'drop'])
        area.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    },
    [name, text],
  );
}

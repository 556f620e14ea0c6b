import type { Page } from '@playwright/test';
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { auditOf } from '../../editor/support/audit.ts';
import { freshId } from '../../editor/support/fixtures.ts';
import { flowPage } from '../../editor/support/flow-page.ts';
import { useStage } from '../../editor/support/stage.ts';

/** The page of a form with files, in a browser with scripts. */
const stage = useStage();

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const picture = { name: 'cat.png', mimeType: 'image/png', buffer: PNG };

async function putForm(params: object = {}): Promise<string> {
  const id = freshId();
  await stage.putFlow({
    format: 1,
    id,
    settings: { record: 'full' },
    nodes: {
      form: {
        operator: 'trigger.form',
        params: {
          path: `/${id}`,
          title: 'A report',
          fields: [
            { name: 'title', required: true },
            { name: 'photo', type: 'file', required: true, accept: ['image/*'], maxBytes: 2000 },
          ],
          ...params,
        },
      },
      pass: { operator: 'core.map', params: { value: '{{ input.photo.name }}' } },
    },
    edges: [{ from: 'form.out', to: 'pass.in' }],
  });
  return id;
}

/** Drops a file on the field, as a person does from the desktop. */
async function drop(page: Page, file: typeof picture): Promise<void> {
  const data = await page.evaluateHandle(
    ([name, type, text]) => {
      const all = new DataTransfer();
      const bytes = Uint8Array.from(atob(text as string), (sign) => sign.charCodeAt(0));
      all.items.add(new File([bytes], name as string, { type: type as string }));
      return all;
    },
    [file.name, file.mimeType, file.buffer.toString('base64')],
  );
  await page.locator('.field.drop').dispatchEvent('drop', { dataTransfer: data });
}

describe('the page of a form with files', () => {
  test.each([[390], [1200]])('Is a dropped picture sent at a width of %d?', async (width) => {
    const id = await putForm();
    const page = await stage.visit(`/form/${id}`, { viewport: { width, height: 800 } });
    const { look, found } = auditOf(page);
    await look('form with files');
    await drop(page, picture);
    expect(await page.getByLabel('photo').evaluate((input: HTMLInputElement) => input.files?.[0]?.name)).toBe(
      'cat.png',
    );
    await page.getByLabel('title').fill('Cat');
    await page.getByRole('button', { name: 'Send' }).click();
    await expect(page.getByRole('status')).toContainText('Your entries have arrived');
    expect(found).toEqual([]);
  });

  test('Is a wrong file told before anything is sent, and everything kept when the server refuses?', async () => {
    const id = await putForm();
    const page = await stage.visit(`/form/${id}`);
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
    await page.getByLabel('title').fill('Cat');
    await drop(page, { ...picture, buffer: Buffer.alloc(3000) });
    await expect(page.locator('.fault')).toHaveText('The file cat.png has 3 kB; at most 2 kB are accepted.');
    await page.getByRole('button', { name: 'Send' }).click();
    await expect(page.getByLabel('photo')).toHaveAttribute('aria-invalid', 'true');
    expect(sent).toEqual([]);
    // Only the server looks into a file.
    await drop(page, { ...picture, buffer: Buffer.from('no picture') });
    await expect(page.locator('.fault')).toHaveCount(0);
    await page.getByRole('button', { name: 'Send' }).click();
    await expect(page.locator('.fault')).toContainText('cat.png is text/plain, which does not fit here.');
    await expect(page.getByRole('alert')).toHaveText('Check the marked fields.');
    await expect(page.getByLabel('title')).toHaveValue('Cat');
    expect(sent).toHaveLength(1);
    await drop(page, picture);
    await page.getByRole('button', { name: 'Send' }).click();
    await expect(page.getByRole('status')).toContainText('Your entries have arrived');
  });

  test('Does it work without scripts?', async () => {
    const id = await putForm({ after: 'result' });
    const page = await stage.visit(`/form/${id}`, { javaScriptEnabled: false });
    await page.getByLabel('title').fill('Cat');
    await page.getByLabel('photo').setInputFiles({ ...picture, buffer: Buffer.from('no picture') });
    await page.getByRole('button', { name: 'Send' }).click();
    await expect(page.locator('.fault')).toContainText('cat.png is text/plain');
    await page.getByLabel('photo').setInputFiles(picture);
    await page.getByRole('button', { name: 'Send' }).click();
    await expect(page.getByRole('status')).toHaveText('cat.png');
  });
});

describe('the editor', () => {
  test('Does the run dialog of a form take files, dropped and chosen?', async () => {
    const id = await putForm();
    const page = await stage.visit(`/flows/${id}`);
    const flow = flowPage(page);
    await flow.ready();
    await flow.key('Mod+Shift+Enter');
    const dialog = page.getByRole('dialog', { name: 'Run with input' });
    await dialog.getByLabel('Title').fill('Cat');
    const choose = dialog.locator('input[aria-label="Files of Photo"]');
    await choose.setInputFiles({ ...picture, buffer: Buffer.alloc(3000) });
    await expect(dialog.getByRole('alert')).toHaveText('cat.png has 3 kB; at most 2 kB are accepted.');
    await choose.setInputFiles({ ...picture, buffer: Buffer.from('words') });
    await expect(dialog.getByRole('alert')).toContainText('cat.png is text/plain');
    await choose.setInputFiles(picture);
    await expect(dialog.getByRole('button', { name: 'Remove cat.png' })).toBeVisible();
    const { look, found } = auditOf(page);
    await look('run dialog with a file', '[role=dialog]');
    await dialog.getByRole('button', { name: 'Run', exact: true }).click();
    await expect(flow.dock.getByRole('region', { name: 'Result' })).toContainText('cat.png');
    expect(found).toEqual([]);
  });

  test('Is a file that is on its way shown, and can it be cancelled, or the dialog left?', async () => {
    const id = await putForm();
    const page = await stage.visit(`/flows/${id}`);
    const flow = flowPage(page);
    await flow.ready();
    await flow.key('Mod+Shift+Enter');
    const dialog = page.getByRole('dialog', { name: 'Run with input' });
    await dialog.getByLabel('Title').fill('Cat');
    const choose = dialog.locator('input[aria-label="Files of Photo"]');
    // Never answered, as on a network that is slow.
    await page.route('**/api/v1/files', () => undefined);
    const stopped = () => page.waitForEvent('requestfailed', (request) => request.url().endsWith('/files'));
    await choose.setInputFiles(picture);
    const cancel = dialog.getByRole('button', { name: 'Cancel the upload of cat.png' });
    await Promise.all([stopped(), cancel.click()]);
    await expect(cancel).toHaveCount(0);
    await expect(dialog.getByRole('alert')).toHaveCount(0);
    await expect(dialog.getByRole('button', { name: /^Choose a file/ })).toBeEnabled();

    await choose.setInputFiles(picture);
    await expect(cancel).toBeVisible();
    await Promise.all([stopped(), dialog.getByRole('button', { name: 'Close' }).click()]);
    await expect(dialog).toHaveCount(0);

    await page.unroute('**/api/v1/files');
    await page.route('**/api/v1/files', (route) => route.abort());
    await flow.key('Mod+Shift+Enter');
    await choose.setInputFiles(picture);
    await expect(dialog.getByRole('alert')).toHaveText(
      'The server cannot be reached. Choose the file again once it is back.',
    );
  });

  test('Does an upload that is cancelled leave the others of the same choice?', async () => {
    const photos = { name: 'photos', type: 'files', accept: ['image/*'], maxBytes: 2000 };
    const id = await putForm({ fields: [photos, { name: 'photo' }] });
    const page = await stage.visit(`/flows/${id}`);
    const flow = flowPage(page);
    await flow.ready();
    await flow.key('Mod+Shift+Enter');
    const dialog = page.getByRole('dialog', { name: 'Run with input' });
    // The first is never answered; the second goes on.
    await page.route('**/api/v1/files', (route) =>
      /slow/.test(JSON.stringify(route.request().headers())) ? undefined : route.continue(),
    );
    await dialog
      .locator('input[aria-label="Files of Photos"]')
      .setInputFiles([{ ...picture, name: 'slow.png' }, picture]);
    await expect(dialog.getByRole('button', { name: 'Cancel the upload of cat.png' })).toHaveCount(0);
    await dialog.getByRole('button', { name: 'Cancel the upload of slow.png' }).click();
    await expect(dialog.getByRole('button', { name: 'Remove cat.png' })).toBeVisible();
    await expect(dialog.getByText('slow.png')).toHaveCount(0);
  });

  test('Does a question take files where it is decided?', async () => {
    const id = freshId();
    await stage.putFlow({
      format: 1,
      id,
      settings: { record: 'full' },
      nodes: {
        start: { operator: 'trigger.manual' },
        ask: {
          operator: 'human.form',
          params: {
            title: `The receipt of ${id}?`,
            fields: [{ name: 'receipt', type: 'file', required: true }],
          },
        },
        read: { operator: 'core.map', params: { value: '{{ input.data.receipt }}' } },
        text: { operator: 'file.to-text' },
      },
      edges: [
        { from: 'start.out', to: 'ask.in' },
        { from: 'ask.submitted', to: 'read.in' },
        { from: 'read.out', to: 'text.in' },
      ],
    });
    const { run } = await stage.owner.data<{ run: string }>('POST', `/flows/${id}/run`, {});
    const page = await stage.visit('/waiting');
    await page.getByRole('button', { name: `Fill in: The receipt of ${id}?` }).click();
    await page
      .locator('input[aria-label="Files of receipt"]')
      .setInputFiles({ name: 'r.txt', mimeType: 'text/plain', buffer: Buffer.from('12 euro') });
    await expect(page.getByRole('button', { name: 'Remove r.txt' })).toBeVisible();
    await page.getByRole('button', { name: 'Send' }).click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect
      .poll(async () => JSON.stringify(await stage.owner.data('GET', `/runs/${run}/events`)))
      .toContain('"12 euro"');
  });
});

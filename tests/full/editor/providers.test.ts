import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import {
  sendChunks,
  sendError,
  startOpenAi,
} from '../../../server/integrations/models/testing/openai-server.ts';
import { httpTrigger } from '../../support/flows.ts';
import { freshId, openFlow } from '../../editor/support/fixtures.ts';
import { useOwnStage } from '../../editor/support/stage.ts';

/** Providers of models are added, tried and named in nodes. */
const stage = useOwnStage();

describe('The screen of models', () => {
  test('Can a provider be added with its key, tried, and does it get the key that nobody sees?', async () => {
    const provider = await startOpenAi((response, { path, headers }) => {
      if (path === '/v1/models')
        response.end(JSON.stringify({ data: [{ id: 'small' }, { id: 'tiny-embed' }] }));
      else if (headers.authorization === 'Bearer sk-very-secret')
        sendChunks(response, [{ content: 'OK' }], 'stop');
      else sendError(response, 401);
    });
    const page = await stage.visit('/');
    const texts: string[] = [];
    page.on('response', (response) => {
      if (!response.url().includes('/api/')) return;
      // One that is still on its way when the page is closed has no text.
      void response.text().then(
        (text) => texts.push(text),
        () => {},
      );
    });
    await page.getByRole('link', { name: 'Models', exact: true }).click();
    await expect(page.getByRole('main')).toContainText('Default model: demo/chat');
    await page.getByRole('button', { name: 'New provider' }).click();
    const dialog = page.getByRole('dialog', { name: 'New provider' });
    await dialog.getByLabel('Name', { exact: false }).first().fill('local');
    await dialog.getByLabel('Address').fill('127.0.0.1');
    await expect(dialog).toContainText('An address like https://api.example.com/v1.');
    await dialog.getByLabel('Address').fill(provider.url);
    await dialog.getByRole('button', { name: 'Find models' }).click();
    await expect(dialog.getByRole('alert')).toContainText('WEFT_OUTBOUND_ALLOW');
    await dialog.getByRole('checkbox', { name: /^Allow requests to 127\.0\.0\.1:/ }).click();
    await dialog.getByRole('button', { name: 'Find models' }).click();
    await dialog.getByRole('button', { name: 'Add small' }).click();
    await expect(dialog.getByLabel('Name of model 1')).toHaveValue('small');
    await dialog.getByRole('button', { name: 'New secret…' }).click();
    const secret = page.getByRole('dialog', { name: 'New secret' });
    await secret.getByLabel('Name').fill('local_key');
    await secret.getByLabel('Value').fill('sk-very-secret');
    await secret.getByRole('button', { name: 'Save' }).click();
    await dialog.getByRole('combobox', { name: 'API key' }).click();
    await page.getByRole('option', { name: 'local_key' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();

    const row = page.getByRole('row').filter({ has: page.getByRole('button', { name: 'Try local' }) });
    await expect(row).toContainText('local_key');
    await expect(row).toContainText('small');
    await row.getByRole('button', { name: 'Try local' }).click();
    await expect(page.getByRole('alert')).toContainText('secret');
    await page.getByRole('button', { name: 'Actions for local' }).click();
    await page.getByRole('menuitem', { name: 'Change…' }).click();
    const change = page.getByRole('dialog', { name: 'Change the provider “local”' });
    await change.getByRole('button', { name: 'Grant it' }).click();
    await expect(change.getByRole('button', { name: 'Grant it' })).toHaveCount(0);
    await change.getByRole('button', { name: 'Add a model' }).click();
    await change.getByLabel('Name of model 2').fill('large');
    await change.getByRole('button', { name: 'Save' }).click();
    await expect(row).toContainText('large');
    await row.getByRole('button', { name: 'Try local' }).click();
    await expect(page.getByRole('status').filter({ hasText: 'local/small answered' })).toContainText('OK');
    await expect(page.getByRole('main')).toContainText('Default model: local/small');
    expect(`${await page.content()} ${texts.join()}`).not.toContain('sk-very-secret');

    await page.getByRole('combobox', { name: 'Default model' }).click();
    await page.getByRole('option', { name: 'local/large' }).click();
    await expect(page.getByRole('main')).toContainText('Default model: local/large');
    await page.getByRole('button', { name: 'Add another name' }).click();
    await page.getByLabel('Other name 1', { exact: true }).fill('chatgpt_proxyllm');
    await page.getByRole('combobox', { name: 'Model of other name 1' }).click();
    await page.getByRole('option', { name: 'local/small' }).click();
    await page.getByRole('button', { name: 'Save names' }).click();
    await expect(page.getByRole('button', { name: 'Save names' })).toHaveCount(0);
    await expect(page.getByLabel('Other name 1', { exact: true })).toHaveValue('chatgpt_proxyllm');

    await page.getByRole('button', { name: 'Actions for local' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByRole('dialog', { name: /^Delete/ })).toHaveCount(0);
    await expect(row).toHaveCount(0);
    await page.getByRole('button', { name: 'Actions for demo' }).click();
    await expect(page.getByRole('menuitem', { name: 'Delete…' })).toBeDisabled();
  });
});

test('Does a node offer the models there are, and take any other name?', async () => {
  const id = freshId();
  await stage.putFlow({
    format: 1,
    id,
    nodes: { start: httpTrigger(`/${id}`), ask: { operator: 'model.chat', params: { prompt: 'Hello' } } },
    edges: [{ from: 'start.out', to: 'ask.in' }],
  });
  const flow = await openFlow(stage, id);
  await flow.select('ask');
  const model = flow.field('params.model').getByRole('combobox');
  await model.click();
  await flow.page.getByRole('option', { name: 'demo/echo' }).click();
  await expect(model).toHaveText('demo/echo');
  // Escape leaves the field and keeps what stands in it.
  await model.focus();
  await flow.key('Escape', 'Escape');
  await flow.select('ask');
  await expect(model).toHaveText('demo/echo');
  await flow.save();
  await flow.saved();
  expect(JSON.parse(stage.fileText(id))).toMatchObject({
    nodes: { ask: { params: { model: 'demo/echo' } } },
  });
  await model.click();
  await flow.page.getByPlaceholder(/^Search /).fill('later/one');
  await flow.page.getByRole('option', { name: 'Use “later/one”' }).click();
  await flow.save();
  await flow.saved();
  expect(JSON.parse(stage.fileText(id))).toMatchObject({
    nodes: { ask: { params: { model: 'later/one' } } },
  });
});

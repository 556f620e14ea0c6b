import type { Locator, Page } from '@playwright/test';
import { describe, onTestFinished, test } from 'vitest';
import { paper } from '../../../server/integrations/documents/testing/made.ts';
import { listenOpenAi } from '../../../server/integrations/models/testing/openai-server.ts';
import type { KnowledgeSpace } from '../../../shared/knowledge.ts';
import { expect } from '../../support/expect.ts';
import { auditOf } from '../../editor/support/audit.ts';
import { useOwnStage } from '../../editor/support/stage.ts';

/** Spaces of documents are made, filled, searched, changed and deleted. */
const stage = useOwnStage();

const rowOf = (page: Page, name: string): Locator => page.locator('tbody').filter({ hasText: name });

async function choose(page: Page, name: string, entry: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: entry }).click();
}

const makeSpace = (body: object): Promise<KnowledgeSpace> =>
  stage.owner.data('POST', '/knowledge/spaces', body) as Promise<KnowledgeSpace>;

const loadText = (space: string, name: string, text: string, more: object = {}) =>
  stage.owner.data('POST', `/knowledge/spaces/${space}/documents`, { name, text, ...more });

async function drop(page: Page, target: Locator, files: { name: string; text: string }[]): Promise<void> {
  const transfer = await page.evaluateHandle((given) => {
    const data = new DataTransfer();
    for (const { name, text } of given) data.items.add(new File([text], name));
    return data;
  }, files);
  for (const type of ['dragenter', 'dragover', 'drop'])
    await target.dispatchEvent(type, { dataTransfer: transfer });
}

/** An embedding model that answers only as often as it is let. */
async function gatedModel() {
  let open: () => void = () => {};
  let allowed = 0;
  const waiting: (() => void)[] = [];
  const server = await listenOpenAi(async (response, { body }) => {
    const input = body['input'] as string[];
    if (input.length > 1 && allowed-- <= 0) await new Promise<void>((go) => void waiting.push(go));
    const data = input.map((text, index) => ({
      object: 'embedding',
      index,
      embedding: /kettle|boil/i.test(text) ? [1, 0] : [0, 1],
    }));
    response.end(
      JSON.stringify({ object: 'list', data, model: 'm', usage: { prompt_tokens: 1, total_tokens: 1 } }),
    );
  });
  onTestFinished(server.close);
  open = () => {
    allowed = 1000;
    for (const go of waiting.splice(0)) go();
  };
  return { server, open, one: () => (waiting.shift() ?? (() => void allowed++))() };
}

describe('The screen of knowledge', () => {
  test('Can a space be made with the keyboard, filled in every way, and searched?', async () => {
    const page = await stage.visit('/');
    const { look, found } = auditOf(page);
    await page.getByRole('link', { name: 'Knowledge', exact: true }).click();
    await expect(page.getByText('No knowledge yet')).toBeVisible();
    await look('no spaces');
    await page.getByRole('button', { name: 'New space' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'New space' });
    await expect(dialog.getByLabel('Name')).toBeFocused();
    await expect(dialog).toContainText('There is no embedding model');
    await dialog.getByLabel('Chunk size').fill('5');
    await expect(dialog).toContainText('A whole number from 20 to 20,000.');
    await expect(dialog.getByRole('button', { name: 'Create' })).toBeDisabled();
    await dialog.getByLabel('Chunk size').fill('400');
    await look('new space');
    await dialog.getByLabel('Name').fill('Tea');
    await page.keyboard.press('Enter');
    await expect(dialog).toHaveCount(0);
    await expect(page.getByText('No documents yet')).toBeVisible();
    await look('no documents');

    await page.getByLabel('Files to upload').setInputFiles({
      name: 'paper.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.from(paper(['Green tea steeps two minutes', 'Black tea steeps four minutes'])),
    });
    await expect(rowOf(page, 'paper.pdf').getByRole('status')).toContainText('Ready');
    await expect(rowOf(page, 'paper.pdf')).toContainText('2 pages');
    await drop(page, page.getByRole('region', { name: 'Documents' }), [
      { name: 'notes.md', text: '# Oolong\n\nOolong tea is rolled. It steeps three minutes.' },
      { name: 'broken.docx', text: 'no archive' },
    ]);
    await expect(rowOf(page, 'notes.md').getByRole('status')).toContainText('Ready');
    await expect(rowOf(page, 'broken.docx').getByRole('status')).toContainText('Failed');
    await expect(rowOf(page, 'broken.docx').getByRole('alert')).toContainText('document_unreadable: ');
    await page.getByRole('button', { name: 'Try again: broken.docx' }).click();
    await expect(rowOf(page, 'broken.docx').getByRole('status')).toContainText('Failed');

    await page.getByRole('button', { name: 'Write a text…' }).click();
    const text = page.getByRole('dialog', { name: 'Write a text' });
    await text.getByLabel('Name').fill('white');
    await text.getByLabel('Text').fill('White tea steeps five minutes.');
    await look('a text');
    await text.getByRole('button', { name: 'Load' }).click();
    await expect(rowOf(page, 'white').getByRole('status')).toContainText('Ready');
    await page.getByRole('button', { name: 'Add an address…' }).click();
    const address = page.getByRole('dialog', { name: 'Add an address' });
    await address.getByLabel('Address').fill('tea.example');
    await expect(address).toContainText('An address begins with https://');
    await address.getByLabel('Address').fill('http://127.0.0.1:1/tea.html');
    await address.getByLabel('Name').fill('page');
    await address.getByRole('button', { name: 'Load' }).click();
    await expect(rowOf(page, 'page').getByRole('alert')).toContainText('WEFT_OUTBOUND_ALLOW');
    await expect(page.getByText('5 documents, ', { exact: false })).toBeVisible();
    await look('documents');

    await choose(page, 'notes.md', 'Metadata…');
    const about = page.getByRole('dialog', { name: 'Metadata of “notes.md”' });
    await about.getByRole('button', { name: 'Add a field' }).click();
    await about.getByRole('textbox', { name: 'Field', exact: true }).fill('year');
    await about.getByRole('combobox', { name: 'Kind of year' }).click();
    await page.getByRole('option', { name: 'number' }).click();
    await about.getByLabel('Value of year').fill('2o26');
    await expect(about.getByRole('alert')).toContainText('2o26 is not a number');
    await about.getByLabel('Value of year').fill('2026');
    await look('metadata');
    await about.getByRole('button', { name: 'Save' }).click();
    await expect(rowOf(page, 'notes.md')).toContainText('year: 2026');
    await page.getByRole('button', { name: 'notes.md', exact: true }).click();
    const chunks = page.getByRole('dialog', { name: 'notes.md' });
    await expect(chunks.getByRole('listitem')).toContainText('Oolong tea is rolled.');
    await look('chunks');
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('searchbox').fill('How long does black tea steep?');
    await page.keyboard.press('Enter');
    const first = page.getByRole('list').getByRole('listitem').first();
    await expect(first.getByRole('heading', { name: 'paper.pdf' })).toBeVisible();
    await expect(first).toContainText('page 2');
    await expect(first).toContainText('By words: place 1, BM25');
    await expect(first).toContainText('Matched: black, tea');
    await expect(first.locator('mark').first()).toContainText('Black');
    await look('hits');
    await page.getByRole('button', { name: 'Filter by year' }).click();
    await expect(page.getByRole('status')).toContainText('1 hit by words');
    await expect(first.getByRole('heading', { name: 'notes.md' })).toBeVisible();
    await page.getByRole('button', { name: 'Remove the filter year' }).click();
    await page.getByRole('searchbox').fill('zzz');
    await page.keyboard.press('Enter');
    await expect(page.getByText('Nothing was found for “zzz”.')).toBeVisible();
    await page.reload();
    await expect(page.getByRole('searchbox')).toBeVisible();
    expect(found).toEqual([]);
  });

  test('Does the progress move by itself while a model embeds, and is the reason of each hit told?', async () => {
    const { server, one, open } = await gatedModel();
    await stage.owner.data('PUT', '/providers/own', {
      type: 'openai-compatible',
      baseUrl: server.url,
      allow: new URL(server.url).host,
      models: [{ name: 'm', use: 'embedding' }],
    });
    const { id, model } = await makeSpace({ name: 'Kitchen' });
    expect(model).toBe('own/m');
    const text = Array.from(
      { length: 150 },
      (_, n) => `# Part ${n}\n\nThing ${n} is ${n % 50 ? 'cold' : 'boiling'}.`,
    );
    const page = await stage.visit(`/knowledge/${id}`);
    await loadText(id, 'things', text.join('\n\n'));
    const status = rowOf(page, 'things').getByRole('status');
    await expect(status).toContainText('0 of 150 chunks');
    const { look, found } = auditOf(page);
    await look('while it is embedded');
    one();
    await expect(status).toContainText('64 of 150 chunks');
    open();
    await expect(status).toContainText('Ready');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('searchbox').fill('the kettle');
    await page.keyboard.press('Enter');
    const hit = page.getByRole('list').getByRole('listitem').first();
    await expect(hit).toContainText('By words: not found');
    await expect(hit).toContainText('By meaning: place 1, cosine 1.000');
    server.close();
    await page.getByRole('searchbox').fill('boiling');
    await page.keyboard.press('Enter');
    await expect(page.getByText('Searched by words alone', { exact: false })).toBeVisible();
    await look('without the model');
    expect(found).toEqual([]);
  });

  test('Are settings changed, are documents split again, and is deleting asked about?', async () => {
    const { id } = await makeSpace({ name: 'Old name', model: null });
    await loadText(id, 'long', 'One is here. Two is here. Three is here. Four is here.');
    const page = await stage.visit(`/knowledge/${id}`);
    await expect(rowOf(page, 'long').getByRole('status')).toContainText('Ready');
    await page.getByRole('button', { name: 'Settings…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Settings of “Old name”' });
    await dialog.getByLabel('Name').fill('New name');
    await dialog.getByRole('combobox', { name: 'Split at' }).click();
    await page.getByRole('option', { name: /^Sentences/ }).click();
    await dialog.getByLabel('Chunk size').fill('30');
    await dialog.getByLabel('Overlap').fill('0');
    await expect(dialog.getByRole('checkbox', { name: 'Split its documents again' })).toBeChecked();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('heading', { name: 'New name' })).toBeVisible();
    await expect(page.getByText('1 document, 2 chunks', { exact: false })).toBeVisible();
    await choose(page, 'long', 'Delete…');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await choose(page, 'long', 'Delete…');
    await page.getByRole('dialog', { name: /long/ }).getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByText('No documents yet')).toBeVisible();
    await page.getByRole('button', { name: 'Delete the space…' }).click();
    const sure = page.getByRole('dialog', { name: 'Delete the space “New name”?' });
    await sure.getByRole('button', { name: 'Delete' }).click();
    await expect(page).toHaveURL(/\/knowledge$/);
    await expect(page.getByRole('link', { name: 'New name' })).toHaveCount(0);
    const left = (await stage.owner.data('GET', '/knowledge/spaces')) as KnowledgeSpace[];
    expect(left.map(({ name }) => name)).not.toContain('New name');
  });

  test('Is a name that is taken refused where it was typed, and a space that is gone told?', async () => {
    await makeSpace({ name: 'Taken', model: null });
    const page = await stage.visit('/knowledge');
    await page.getByRole('button', { name: 'New space' }).click();
    await page.getByLabel('Name').fill('Taken');
    await page.getByRole('button', { name: 'Create' }).click();
    await expect(page.getByRole('alert')).toContainText('There is a knowledge space named Taken already');
    await page.goto('/knowledge/9999');
    await expect(page.getByText('There is no knowledge space with the id 9999')).toBeVisible();
  });
});

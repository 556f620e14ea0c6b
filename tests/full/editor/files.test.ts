import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { startSsh } from '../../../server/integrations/connections/kinds/ssh/testing/ssh-server.ts';
import { expect } from '../../support/expect.ts';
import { httpTrigger } from '../../support/flows.ts';
import { auditOf } from '../../editor/support/audit.ts';
import { freshId } from '../../editor/support/fixtures.ts';
import { flowPage } from '../../editor/support/flow-page.ts';
import { useStage } from '../../editor/support/stage.ts';
import { tempFolder } from '../../support/server.ts';

/** Files in the panel that tries a trigger, and among the values of a run. */
const stage = useStage();
const FILE = { type: 'object', format: 'file' };

/** A picture of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

test('Are files chosen, sent, shown and downloaded where a flow is tried?', async () => {
  const id = freshId();
  await stage.putFlow({
    format: 1,
    id,
    nodes: {
      start: httpTrigger(`/${id}`, {
        methods: ['POST'],
        accept: ['multipart'],
        request: {
          type: 'object',
          required: ['table'],
          properties: { table: FILE, pictures: { type: 'array', items: FILE }, title: { type: 'string' } },
        },
      }),
      pass: { operator: 'core.map', params: { value: '{{ input }}' } },
    },
    edges: [{ from: 'start.out', to: 'pass.in' }],
  });
  const page = await stage.visit(`/flows/${id}`);
  const flow = flowPage(page);
  await flow.ready();
  await flow.dock.getByRole('tab', { name: 'Trigger' }).click();
  const table = page.getByRole('group', { name: 'table' });
  await expect(table).toBeVisible();
  const { look, found } = auditOf(page);
  await look('fields for files');
  await page.locator('input[aria-label="Files of table"]').setInputFiles([
    {
      name: 'a table with quite a long name that somebody exported on Friday evening.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('name,age\nAda,36\nLin,4\n'),
    },
  ]);
  await page.locator('input[aria-label="Files of pictures"]').setInputFiles([
    { name: 'dot.png', mimeType: 'image/png', buffer: PNG },
    { name: 'wide.png', mimeType: 'image/png', buffer: PNG },
  ]);
  await look('chosen files');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(page.getByText('200 OK')).toBeVisible();
  await look('answer');
  await flow.select('pass');
  await flow.tab('Output').click();
  const cards = flow.inspector.getByRole('list', { name: 'Files' }).getByRole('listitem');
  await expect(cards).toHaveCount(3);
  const picture = cards.nth(1).getByRole('img', { name: 'Preview of dot.png' });
  await picture.scrollIntoViewIfNeeded();
  await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBeGreaterThan(0);
  await cards.first().getByRole('button', { name: 'Show the text' }).click();
  const text = cards.first().getByLabel(/^Beginning of a table/);
  await expect(text).toContainText('Ada,36');
  await cards.first().getByRole('button', { name: 'Show the table' }).click();
  const rows = cards.first().getByRole('region', { name: /as a table$/ });
  await expect(rows.getByRole('columnheader')).toHaveText(['#', 'name', 'age']);
  await expect(rows.getByRole('row', { name: '1 Lin 4' })).toBeVisible();
  await look('table');
  await cards.first().getByRole('button', { name: 'Show the text' }).click();
  const height = await text.evaluate((shown) => shown.getBoundingClientRect().height);
  expect(height).toBeLessThan(160);
  await look('file cards');
  const downloading = page.waitForEvent('download');
  await cards.nth(2).getByRole('link', { name: 'Download wide.png' }).click();
  expect((await downloading).suggestedFilename()).toBe('wide.png');
  expect(found).toEqual([]);
});

test('Does a file that is the whole body keep its name, and come back as a download?', async () => {
  const id = freshId();
  await stage.putFlow({
    format: 1,
    id,
    nodes: { start: httpTrigger(`/${id}`, { methods: ['POST'], accept: ['bytes'] }) },
    edges: [],
  });
  const page = await stage.visit(`/flows/${id}`);
  const flow = flowPage(page);
  await flow.ready();
  await flow.dock.getByRole('tab', { name: 'Trigger' }).click();
  await page
    .locator('input[aria-label="Files of Body"]')
    // Without a locale of UTF-8 the browser names downloads with other letters “download”.
    .setInputFiles({ name: 'Trouble (1).png', mimeType: 'image/png', buffer: PNG });
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(page.getByText('200 OK')).toBeVisible();
  const downloading = page.waitForEvent('download');
  await flow.dock.getByRole('button', { name: 'Download' }).click();
  expect((await downloading).suggestedFilename()).toBe('Trouble (1).png');
});

test('Is a picture that is read over SFTP shown?', async () => {
  const id = freshId();
  const folder = tempFolder('sftp');
  writeFileSync(join(folder, 'dot.png'), PNG);
  const { settings } = await startSsh({ folder });
  await stage.owner.data('PUT', '/connections/far_files', {
    kind: 'ssh',
    settings,
    grants: { operators: ['file.read'], drafts: true },
  });
  const read = { operator: 'file.read', params: { folder: 'far_files', path: 'dot.png' } };
  await stage.putFlow({
    format: 1,
    id,
    nodes: { start: { operator: 'trigger.manual' }, read },
    edges: [{ from: 'start.out', to: 'read.in' }],
  });
  const page = await stage.visit(`/flows/${id}`);
  const flow = flowPage(page);
  await flow.ready();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await flow.select('read');
  await flow.tab('Output').click();
  const picture = flow.inspector.getByRole('img', { name: 'Preview of dot.png' });
  await picture.scrollIntoViewIfNeeded();
  await expect.poll(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth)).toBe(1);
  await stage.owner.data('DELETE', '/connections/far_files');
});

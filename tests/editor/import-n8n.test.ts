import { expect as expectValue, test } from 'vitest';
import type { FlowSummary } from '#shared/api.ts';
import { n8nFile } from '../../server/flows/imports/n8n/testing/short.ts';
import { expect } from '../support/expect.ts';
import { auditOf } from './support/audit.ts';
import { flowPage } from './support/flow-page.ts';
import { useOwnStage } from './support/stage.ts';

/** A workflow of n8n: a report first, then a draft. */
const stage = useOwnStage();

const workflow = n8nFile('Order intake', {
  nodes: {
    Hook: ['webhook@2', { path: 'orders', httpMethod: 'POST', responseMode: 'lastNode' }],
    Total: [
      'set@3.4',
      { assignments: { assignments: [{ name: 'total', type: 'number', value: '={{ $json.body.n * 2 }}' }] } },
    ],
    Deal: ['acuityScheduling', { title: 'x' }],
  },
  wires: ['Hook > Total', 'Total > Deal'],
});

test('Is a workflow of n8n told node by node before anything is written, and then a draft?', async () => {
  await stage.putFlow({ id: 'first', format: 1, nodes: {}, edges: [] });
  const page = await stage.visit('/');
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({
      name: 'orders.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(workflow)),
    });
  const dialog = page.getByRole('dialog', { name: '“Order intake” of n8n' });
  await expect(dialog.getByRole('img', { name: 'n8n: 3 boxes' })).toBeVisible();
  await expect(dialog.getByRole('img', { name: /^Here: \d+ boxes/ })).toBeVisible();
  await expect(dialog.getByRole('row').filter({ hasText: 'Deal' })).toContainText('placeholder');
  await expect(dialog.getByRole('region', { name: 'What to do' })).toContainText('Replace “Deal”');
  const { look, found } = auditOf(page);
  await look('the report of an import', '[role=dialog]');
  expectValue(found).toEqual([]);
  expectValue((await stage.owner.data<FlowSummary[]>('GET', '/flows')).map(({ id }) => id)).not.toContain(
    'order_intake',
  );
  await dialog.getByRole('button', { name: 'Make a draft' }).click();
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  const flow = flowPage(page);
  await flow.ready();
  await expect(flow.node('total')).toBeVisible();
  await expect(flow.node('deal')).toBeVisible();
});

test('Do nodes that n8n has copied become nodes on the canvas?', async () => {
  await stage.putFlow({ id: 'empty', format: 1, nodes: {}, edges: [] });
  const page = await stage.visit('/flows/empty');
  const flow = flowPage(page);
  await flow.ready();
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.setData('text/plain', text);
    document.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
  }, JSON.stringify(workflow));
  await expect(flow.node('total')).toBeVisible();
});

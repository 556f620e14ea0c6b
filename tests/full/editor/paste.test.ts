import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { freshId, openRow, rowFlow } from '../../editor/support/fixtures.ts';
import type { FlowPage } from '../../editor/support/flow-page.ts';
import { useStage } from '../../editor/support/stage.ts';

/** Texts from elsewhere, pasted onto the canvas. */
const stage = useStage();

/** As the browser does it at Ctrl+V, without asking for the clipboard. */
async function paste({ page, canvas }: FlowPage, text: string): Promise<void> {
  await canvas.focus();
  await page.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    document.activeElement?.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
    );
  }, text);
}

describe('79. Does a pasted text become nodes', () => {
  test('19. that are a whole flow?', async () => {
    const flow = await openRow(stage);
    const { flow: other } = rowFlow(freshId());
    await paste(flow, JSON.stringify(other));
    await expect(flow.nodes).toHaveCount(8);
    await expect(flow.edges).toHaveCount(6);
    await expect.poll(flow.selectedIds).toEqual(['first_2', 'lone_2', 'second_2', 'start_2']);
    await flow.key('Mod+z');
    await expect(flow.nodes).toHaveCount(4);
  });

  test.each([
    ["curl -X POST https://api.example.com/items -d 'a=1'", 'request', 'POST api.example.com/items'],
    ['{"limit": 10}', 'input', 'limit'],
    ['SELECT id, total FROM orders', 'query', 'SELECT id, total FROM orders'],
    ['name,age\nAda,36\nBo,12', 'rows', 'Parse CSV'],
  ])('%j?', async (text, id, summary) => {
    const flow = await openRow(stage);
    await paste(flow, text);
    await expect(flow.node(id)).toContainText(summary);
    if (id === 'rows') await expect(flow.edge('table.out', 'rows.in')).toBeAttached();
  });

  test('or is it said why not?', async () => {
    const flow = await openRow(stage);
    await paste(flow, 'Only some words.');
    await expect(flow.page.getByText(/^This text is not a flow, a curl command/).first()).toBeVisible();
    await paste(flow, '{"format": 1, "id": "x", "nodes": {"a": {}}, "edges": []}');
    await expect(flow.page.getByText(/^This flow cannot be read: line 1/).first()).toBeVisible();
    await expect(flow.nodes).toHaveCount(4);
  });
});

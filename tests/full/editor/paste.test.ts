import { expect } from '../../support/expect.ts';
import type { Route } from '@playwright/test';
import { describe, test } from 'vitest';
import { codeWith } from '../../editor/support/build.ts';
import { freshId, openRow, rowFlow } from '../../editor/support/fixtures.ts';
import { type FlowPage, flowPage } from '../../editor/support/flow-page.ts';
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

/** A page at a flow where some code, that for commands and pastes unless told otherwise, is not delivered as usual. */
async function withoutCode(onCode: (route: Route) => unknown, code = commands()) {
  const id = freshId();
  const { flow: row, layout } = rowFlow(id);
  await stage.putFlow(row, layout);
  const page = await stage.visit('about:blank');
  await page.route(code, onCode);
  await page.goto(`/flows/${id}`);
  const flow = flowPage(page);
  await flow.ready();
  return { page, flow };
}

const commands = (): RegExp => codeWith('Distribute horizontally', 'nothing could be pasted');

test('Does a key that waits for its code delete what was selected then, not what is selected by now?', async () => {
  const code = Promise.withResolvers<void>();
  const { flow } = await withoutCode(async (route) => {
    await code.promise;
    await route.continue();
  });
  await flow.select('lone');
  await flow.key('Delete');
  await flow.select('first');
  await expect(flow.node('lone')).toBeVisible();
  code.resolve();
  await expect(flow.node('lone')).toHaveCount(0);
  await expect(flow.node('first')).toBeVisible();
  await expect.poll(flow.selectedIds).toEqual(['first']);
});

test('Does Escape after Enter leave what was chosen in a picker that is still loading?', async () => {
  const code = Promise.withResolvers<void>();
  const onCode = async (route: Route) => {
    await code.promise;
    await route.continue();
  };
  const { page, flow } = await withoutCode(onCode, codeWith('Swap for another node'));
  await page.getByRole('button', { name: 'Add a node' }).click();
  await expect(page.getByLabel('Search nodes')).toBeFocused();
  await page.keyboard.type('format json');
  await flow.key('Enter', 'Escape');
  code.resolve();
  await expect(flow.node('format_json')).toBeVisible();
  await expect(flow.picker).toHaveCount(0);
});

test('Is it said when a paste or a key can do nothing because its code does not come?', async () => {
  const { page, flow } = await withoutCode((route) => route.abort());
  const said = page.getByText(/^Nothing was done: a part of the editor/);
  await paste(flow, '{"limit": 10}');
  await expect(said.first()).toBeVisible();
  const before = await said.count();
  await flow.canvas.press('n');
  await expect.poll(() => said.count()).toBeGreaterThan(before);
  await expect(flow.nodes).toHaveCount(4);
  await page.unrouteAll();
  await page.reload();
  await flow.ready();
  await paste(flow, '{"limit": 10}');
  await expect(flow.node('input')).toContainText('limit');
});

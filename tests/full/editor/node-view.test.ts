import { describe, test } from 'vitest';
import { call } from '../../support/client.ts';
import { expect } from '../../support/expect.ts';
import { httpTrigger } from '../../support/flows.ts';
import { auditOf } from '../../editor/support/audit.ts';
import { freshId, openFlow } from '../../editor/support/fixtures.ts';
import type { FlowPage } from '../../editor/support/flow-page.ts';
import { useStage } from '../../editor/support/stage.ts';

/** A node over the whole canvas: its input, settings and output side by side, and values that are dragged onto settings. */
const stage = useStage();

const HOSTILE = '<img src=x onerror=alert(1)>\u202Egnp.exe';

const orders = [
  { name: 'Ada', amount: 120, [HOSTILE]: HOSTILE },
  { name: 'Bo', amount: 7, [HOSTILE]: '"><script>alert(1)</script>' },
];

async function open(size = { width: 1440, height: 900 }) {
  const id = freshId();
  await stage.putFlow(
    {
      format: 1,
      id,
      settings: { record: 'full' },
      nodes: {
        start: httpTrigger(`/${id}`),
        list: { operator: 'core.map', name: 'Orders', params: { value: { orders, total: 127 } } },
        say: { operator: 'text.template', params: { template: 'Hello' } },
      },
      edges: [
        { from: 'start.out', to: 'list.in' },
        { from: 'list.out', to: 'say.in' },
      ],
    },
    { format: 1, nodes: { start: { x: 0, y: 0 }, list: { x: 320, y: 0 }, say: { x: 640, y: 0 } } },
  );
  const flow = await openFlow(stage, id);
  await flow.page.setViewportSize(size);
  await flow.fit();
  return { id, flow };
}

const column = (flow: FlowPage, name: string) => flow.inspector.getByRole('region', { name, exact: true });
const isOpen = (flow: FlowPage) => flow.inspector.and(flow.page.locator('[data-node-view]'));

const labelOf = (flow: FlowPage, field: string) => flow.field(field).locator('[id$=l]').first();

async function openNode(flow: FlowPage, id: string): Promise<void> {
  await flow.node(id).dblclick({ position: { x: 60, y: 12 } });
  await expect(isOpen(flow)).toBeVisible();
}

describe('59. Double-click a node', () => {
  test('shows input, settings and output side by side; Escape goes back to the node; Enter opens it again', async () => {
    const { id, flow } = await open();
    await call(stage.server, `/${id}`);
    await expect(flow.status('say')).toHaveText(/^OK/);
    await openNode(flow, 'say');
    const widths = await Promise.all(
      ['Input', 'Settings', 'Output'].map(
        async (name) => (await column(flow, name).boundingBox())?.width ?? 0,
      ),
    );
    const all = widths.reduce((sum, width) => sum + width, 0);
    expect(widths.map((width) => Math.round((width / all) * 100))).toEqual([28, 44, 28]);
    await expect(column(flow, 'Input')).toContainText('total:127');
    await expect(flow.field('params.template').locator('.cm-content')).toBeFocused();
    await expect(column(flow, 'Output')).toContainText('Hello');
    await flow.key('Escape');
    await expect(isOpen(flow)).toHaveCount(0);
    await expect(flow.node('say')).toBeFocused();
    await flow.key('Enter');
    await expect(isOpen(flow)).toBeVisible();
    await flow.inspector.getByRole('button', { name: 'Back to the canvas' }).click();
    await expect(flow.node('say')).toBeFocused();
  });

  test('shows values as a tree, a table and a schema, and finds them, also before a run', async () => {
    const { flow } = await open();
    await openNode(flow, 'say');
    const input = column(flow, 'Input');
    await expect(input.getByRole('group', { name: 'in: schema' })).toContainText('total');
    await flow.inspector.getByRole('button', { name: 'Run to here' }).click();
    await expect(input).toContainText('total:127');
    await expect(column(flow, 'Output')).toContainText('Hello');
    await input.getByRole('button', { name: 'Search in in' }).click();
    await input.getByRole('searchbox').fill('ada');
    await expect(input.getByRole('status')).toHaveText('1 found');
    await expect(input).toContainText('Ada');
    await expect(input).not.toContainText('Bo');
    await input.getByRole('searchbox').fill('nobody');
    await expect(input.getByRole('status')).toHaveText('Nothing found.');
    await input.getByRole('button', { name: 'Search in in' }).click();
    await input.getByRole('button', { name: 'Schema' }).click();
    await expect(input.getByRole('group', { name: 'in: schema' })).toContainText('orderslist');

    await input.getByRole('combobox', { name: 'Values of' }).click();
    await flow.page.getByRole('option', { name: 'Orders' }).click();
    await expect(input).toContainText('total');
    expect(await flow.page.locator('img[src="x"], script:not([src]):has-text("alert(1)")').count()).toBe(0);
  });

  test('has tabs in place of columns on a narrow screen', async () => {
    const { flow } = await open({ width: 900, height: 800 });
    await flow.node('say').dblclick({ position: { x: 60, y: 12 } });
    const drawer = flow.page.getByRole('dialog', { name: 'Inspector' });
    await expect(drawer.getByRole('tab', { name: 'Input' })).toBeVisible();
    await expect(flow.page.locator('[data-node-view]')).toHaveCount(0);
  });

  test('can be used by everybody, in both themes', async () => {
    const { id, flow } = await open();
    await call(stage.server, `/${id}`);
    await openNode(flow, 'say');
    await expect(column(flow, 'Input')).toContainText('total:127');
    const audit = auditOf(flow.page);
    await audit.look('node view');
    await column(flow, 'Input').getByRole('button', { name: 'Schema' }).click();
    await audit.look('node view with a schema');
    expect(audit.found).toEqual([]);
  });
});

describe('60. Drag a field onto a setting', () => {
  test('becomes its expression, in one step that is undone in one', async () => {
    const { id, flow } = await open();
    await call(stage.server, `/${id}`);
    await expect(flow.status('say')).toHaveText(/^OK/);
    await openNode(flow, 'say');
    const total = column(flow, 'Input')
      .locator('[draggable]')
      .filter({ hasText: /^total:/ });
    await total.dragTo(labelOf(flow, 'params.template'));
    const text = flow.field('params.template').locator('.cm-content');
    await expect(text).toHaveText('Hello {{ input.total }}');
    await expect(flow.field('params.template')).toContainText('Hello 127');
    await flow.inspector.getByRole('button', { name: 'Back to the canvas' }).click();
    await flow.key('Mod+Z');
    await flow.saved();
    expect(JSON.parse(stage.fileText(id)).nodes.say.params.template).toBe('Hello');
  });

  test('goes where it is dropped in a text, and a column and an item read what they show', async () => {
    const { id, flow } = await open();
    await call(stage.server, `/${id}`);
    await openNode(flow, 'say');
    const input = column(flow, 'Input');
    const text = flow.field('params.template').locator('.cm-content');
    const line = flow.field('params.template').locator('.cm-line');
    await input
      .locator('[draggable]')
      .filter({ hasText: /^total:/ })
      .dragTo(line, { targetPosition: { x: 3, y: 8 } });
    await expect(text).toHaveText('{{ input.total }}Hello');
    await text.click();
    await flow.key('Mod+A', 'Delete');
    await expect(text).not.toContainText('Hello');

    await input.getByRole('button', { name: '1: {3 fields}' }).click();
    await input.getByRole('button', { name: 'Insert into a setting: orders.1.name' }).focus();
    await flow.key('Enter');
    await flow.page.getByRole('menuitem', { name: 'Template' }).click();
    await expect(text).toHaveText('{{ input.orders[1].name }}');
    await flow.heard('input.orders[1].name inserted into Template');
  });

  test('of a list of rows, a column is the list of its values', async () => {
    const { id, flow } = await open();
    await stage.putFlow({
      format: 1,
      id: `${id}_rows`,
      nodes: {
        start: httpTrigger(`/${id}_rows`),
        list: { operator: 'core.map', params: { value: orders } },
        few: { operator: 'data.filter', params: { condition: '{{ true }}' } },
        say: { operator: 'core.map' },
      },
      edges: [
        { from: 'start.out', to: 'list.in' },
        { from: 'list.out', to: 'few.in' },
        { from: 'few.out', to: 'say.in' },
      ],
    });
    const rows = await openFlow(stage, `${id}_rows`);
    await rows.page.setViewportSize({ width: 1440, height: 900 });
    await call(stage.server, `/${id}_rows`);
    await rows.fit();
    await openNode(rows, 'say');
    const input = column(rows, 'Input');
    await input.getByRole('button', { name: 'Table' }).click();
    const header = input.getByRole('columnheader', { name: 'amount' });
    await header.dragTo(labelOf(rows, 'params.value'));
    await expect(rows.field('params.value').locator('.cm-content')).toHaveText(
      '{{ pluck(input, "amount") }}',
    );
    await expect(rows.field('params.value')).toContainText('120');
    await rows.key('Escape');

    // A condition is evaluated for each item.
    await openNode(rows, 'few');
    await input.getByRole('button', { name: 'Table' }).click();
    await header.dragTo(labelOf(rows, 'params.condition'));
    await expect(rows.field('params.condition').locator('.cm-content')).toHaveText('{{ item.amount }}');
    await flow.page.close();
  });
});

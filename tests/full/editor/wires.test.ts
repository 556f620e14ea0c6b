import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { call } from '../../support/client.ts';
import { httpTrigger } from '../../support/flows.ts';
import { freshId, openRow } from '../../editor/support/fixtures.ts';
import type { FlowPage } from '../../editor/support/flow-page.ts';
import { useStage } from '../../editor/support/stage.ts';

/** Wires say what goes over them, and what is wrong with them. */
const stage = useStage();

/** start leads to `list`, and its first item to `told`. */
const listed = (id: string) => ({
  flow: {
    format: 1,
    id,
    nodes: {
      start: httpTrigger(`/${id}`),
      list: { operator: 'core.map', params: { value: '{{ ["pear", "apple", "fig"] }}' } },
      told: { operator: 'text.template', params: { template: 'First {{ input[0] }}.' } },
    },
    edges: [
      { from: 'start.out', to: 'list.in' },
      { from: 'list.out', to: 'told.in' },
    ],
  },
  layout: { format: 1, nodes: { start: { x: 0, y: 0 }, list: { x: 400, y: 0 }, told: { x: 800, y: 0 } } },
});

async function hover(flow: FlowPage, from: string, to: string): Promise<void> {
  const { x, y } = await flow.onEdge(from, to, 0.3);
  await flow.page.mouse.move(x, y);
  await expect(flow.page.locator(`[data-edge="${from}>${to}"]`)).toBeVisible();
}

describe('A wire', () => {
  test('40. Does it carry the number of items of a list, and say on hover what went over it last?', async () => {
    const flow = await openRow(stage, freshId(), listed);
    await hover(flow, 'list.out', 'told.in');
    const facts = flow.page.locator('[data-facts]');
    await expect(facts).toContainText('[]');
    await expect(facts).not.toContainText('Last run');
    await call(stage.server, `/${flow.id()}`);
    await expect(flow.status('told')).toHaveText(/^OK/);
    await flow.page.mouse.move(...xy(await flow.emptySpot(0, 300)));
    await expect(flow.canvas.getByText('3 items', { exact: true }).last()).toBeVisible();
    await hover(flow, 'list.out', 'told.in');
    await expect(facts).toContainText('Last run: list of 3 items');
    await expect(facts).toContainText('["pear", "apple", "fig"]');
  });

  test('Is a wrong one red, with its reason at the port, and is its problem named by its nodes?', async () => {
    const flow = await openRow(stage, freshId(), (id) => ({
      flow: {
        format: 1,
        id,
        nodes: {
          start: { operator: 'trigger.manual' },
          many: { operator: 'core.map', name: 'Many', params: { value: '{{ 7 }}' } },
          sort: { operator: 'data.sort', name: 'In order', params: { by: '{{ item }}' } },
        },
        edges: [
          { from: 'start.out', to: 'many.in' },
          { from: 'many.out', to: 'sort.in' },
        ],
      },
      layout: { format: 1, nodes: { start: { x: 0, y: 0 }, many: { x: 400, y: 0 }, sort: { x: 800, y: 0 } } },
    }));
    const wire = flow.edge('many.out', 'sort.in').locator('.weft-edge');
    await expect(wire).toHaveAttribute('data-problem', 'error');
    await expect(flow.edge('start.out', 'many.in').locator('.weft-edge')).not.toHaveAttribute('data-problem');
    await hover(flow, 'many.out', 'sort.in');
    await expect(flow.page.locator('[data-facts]')).toContainText(/takes/);
    await flow.dock.getByRole('tab', { name: /Problems/ }).click();
    await expect(flow.dock.getByRole('button', { name: /Many → In order/ })).toBeVisible();
  });
});

test('41. 68. Is what would be computed anew hatched, with the reason on hover?', async () => {
  const flow = await openRow(stage, freshId(), listed);
  await call(stage.server, `/${flow.id()}`);
  await expect(flow.status('told')).toHaveText(/^OK/);
  await flow.select('list');
  await flow.write('params.value', '{{ ["one"] }}');
  const reason = (id: string) => flow.node(id).locator('.weft-header');
  await expect(reason('list')).toHaveAttribute('title', /^Out of date\. Its settings were changed/);
  await expect(reason('told')).toHaveAttribute('title', /^Out of date\. “.+” before it was changed/);
  await expect(reason('start')).not.toHaveAttribute('title', /Out of date/);
  await expect(flow.page.locator('.weft-stale')).toHaveCount(2);
});

function xy({ x, y }: { x: number; y: number }): [number, number] {
  return [x, y];
}

describe('The minimap', () => {
  test('Is it there while the view is moved, and from 21 nodes on?', async () => {
    const flow = await openRow(stage);
    const map = flow.page.getByRole('group', { name: /^Minimap/ });
    await expect(map).toHaveCount(0);
    const from = await flow.emptySpot(0, 200);
    await flow.page.mouse.move(from.x, from.y);
    await flow.page.mouse.down();
    await flow.page.mouse.move(from.x + 80, from.y + 30, { steps: 4 });
    await expect(map).toBeVisible();
    await flow.page.mouse.up();
    await expect(map).toHaveCount(0);

    const many = await openRow(stage, freshId(), (id) => ({
      flow: {
        format: 1,
        id,
        nodes: Object.fromEntries(
          Array.from({ length: 21 }, (_, i) => [`n${i}`, { operator: 'core.input', params: { value: i } }]),
        ),
        edges: [],
      },
      layout: { format: 1, nodes: {} },
    }));
    await expect(many.page.getByRole('group', { name: /^Minimap/ })).toBeVisible();
  });

  test('Does a wire that is dropped on it end behind it, and does the view stay?', async () => {
    const flow = await openRow(stage);
    await flow.page.getByRole('button', { name: 'Minimap', exact: true }).click();
    const map = await flow.page.getByRole('group', { name: /^Minimap/ }).boundingBox();
    if (!map) throw new Error('There is no map.');
    const before = await flow.viewport();
    await flow.drag(flow.output('second'), { x: map.x + map.width / 2, y: map.y + map.height / 2 });
    await expect(flow.picker).toBeVisible();
    expect(await flow.viewport()).toEqual(before);
    await flow.page.keyboard.type('log');
    await flow.key('Enter');
    await expect(flow.edge('second.out', 'log.in')).toBeAttached();
  });
});

test('61. Does the fix of a wire whose type differs by a field pick that field, and can it be chosen by hand?', async () => {
  const flow = await openRow(stage, freshId(), (id) => ({
    flow: {
      format: 1,
      id,
      nodes: {
        start: httpTrigger(`/${id}`),
        order: { operator: 'core.map', name: 'Order', params: { value: { lines: [3, 1, 2], by: 'Ada' } } },
        sort: { operator: 'data.unique', name: 'Once each' },
      },
      edges: [
        { from: 'start.out', to: 'order.in' },
        { from: 'order.out', to: 'sort.in' },
      ],
    },
    layout: { format: 1, nodes: { start: { x: 0, y: 0 }, order: { x: 400, y: 0 }, sort: { x: 800, y: 0 } } },
  }));
  const wire = flow.edge('order.out', 'sort.in').locator('.weft-edge');
  await expect(wire).toHaveAttribute('data-problem', 'error');
  await hover(flow, 'order.out', 'sort.in');
  await flow.page.getByRole('button', { name: 'Use lines', exact: true }).first().click();
  await expect(wire).not.toHaveAttribute('data-problem');
  await expect(flow.edges).toHaveCount(2);
  await flow.publish();
  expect(JSON.parse(stage.liveText(flow.id()))).toMatchObject({
    format: 2,
    edges: [{}, { from: 'order.out', to: 'sort.in', pick: 'lines' }],
  });
  await call(stage.server, `/${flow.id()}`);
  await expect(flow.status('sort')).toHaveText(/^OK/);
  await flow.page.mouse.move(...xy(await flow.emptySpot(0, 300)));
  await flow.canvas.focus();
  await flow.key('Escape');
  await expect(flow.canvas.getByText('lines · 3 items', { exact: true })).toBeVisible();

  await flow.selectEdge('order.out', 'sort.in');
  const field = flow.inspector.getByLabel('Field');
  await expect(field).toHaveValue('lines');
  await field.fill('by');
  await expect(wire).toHaveAttribute('data-problem', 'error');
  await field.fill('');
  await flow.save();
  expect(JSON.parse(stage.fileText(flow.id()))).toMatchObject({ edges: [{}, { to: 'sort.in' }] });
});

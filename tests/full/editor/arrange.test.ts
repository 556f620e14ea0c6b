import { call } from '../../support/client.ts';
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { openRow } from '../../editor/support/fixtures.ts';
import type { FlowPage, Point } from '../../editor/support/flow-page.ts';
import { useStage } from '../../editor/support/stage.ts';

/** Gestures of drawing tools, by the numbers of the editor's design. */
const stage = useStage();

async function middleOf(flow: FlowPage, id: string): Promise<Point> {
  const box = await flow.node(id).boundingBox();
  if (!box) throw new Error(`${id} is not to be seen.`);
  return { x: box.x + box.width / 2, y: box.y + 12 };
}

test('9. Is a node that is there already inserted by a drop on an edge, as one step?', async () => {
  const flow = await openRow(stage);
  await flow.page.getByRole('button', { name: 'Add a node' }).click();
  await flow.page.keyboard.type('format json');
  await flow.key('Enter', 'Escape');
  await expect(flow.node('format_json')).toBeVisible();
  await flow.fit();
  const { x, y } = await flow.onEdge('first.out', 'second.in', 0.5);
  const held = await middleOf(flow, 'format_json');
  const box = await flow.node('format_json').boundingBox();
  await flow.drag(held, { x, y: y - (box?.height ?? 0) / 2 + 12 });
  await expect(flow.edge('first.out', 'format_json.in')).toBeAttached();
  await expect(flow.edge('format_json.out', 'second.in')).toBeAttached();
  await expect(flow.edge('first.out', 'second.in')).toHaveCount(0);
  await flow.key('Mod+z');
  await expect(flow.edge('first.out', 'second.in')).toBeAttached();
  await expect(flow.edges).toHaveCount(3);
});

test('28. Does scrolling move the view where somebody wants that, and does a pinch still zoom?', async () => {
  const flow = await openRow(stage);
  await flow.key('Mod+k');
  await flow.page.getByRole('dialog', { name: 'All commands' }).getByRole('combobox').fill('touchpad');
  await flow.key('Enter');
  await expect(flow.page.getByText('Scrolling moves the view now; pinch to zoom.')).toBeVisible();
  const spot = await flow.emptySpot(0, 200);
  await flow.page.mouse.move(spot.x, spot.y);
  const before = await flow.viewport();
  await flow.page.mouse.wheel(0, 120);
  await expect.poll(async () => (await flow.viewport()).y).toBeLessThan(before.y);
  expect((await flow.viewport()).zoom).toBe(before.zoom);
  await flow.page.keyboard.down('Control');
  await flow.page.mouse.wheel(0, 60);
  await flow.page.keyboard.up('Control');
  await expect.poll(async () => (await flow.viewport()).zoom).toBeLessThan(before.zoom);
  await flow.page.reload();
  await flow.ready();
  await flow.page.mouse.move(spot.x, spot.y);
  const after = await flow.viewport();
  await flow.page.mouse.wheel(0, 120);
  await expect.poll(async () => (await flow.viewport()).y).toBeLessThan(after.y);
});

describe('73.', () => {
  test('Are selected nodes aligned and distributed by keys and from the panel, each as one step?', async () => {
    const flow = await openRow(stage);
    await flow.key('Mod+a', 'Alt+w');
    await expect.poll(async () => (await flow.placeOf('lone')).y).toBe(0);
    await flow.key('Mod+z');
    await expect.poll(async () => (await flow.placeOf('lone')).y).toBe(200);
    await flow.select('first');
    await flow.node('lone').click({ modifiers: ['Shift'] });
    await flow.inspector.getByRole('button', { name: 'Align right' }).click();
    await expect.poll(async () => (await flow.placeOf('lone')).x).toBe(340);
    await expect(flow.inspector.getByRole('button', { name: 'Distribute vertically' })).toBeDisabled();
  });

  test('Does a dragged node keep to the lines of others, which are shown?', async () => {
    const flow = await openRow(stage);
    await flow.key('0');
    await flow.rest();
    const held = await middleOf(flow, 'lone');
    const { page } = flow;
    await page.mouse.move(held.x, held.y);
    await page.mouse.down();
    await page.mouse.move(held.x + 40, held.y + 40, { steps: 4 });
    await expect(page.locator('[data-guide]')).toHaveCount(0);
    // The first step of the pointer only begins the drag.
    await page.mouse.move(held.x + 12, held.y + 60, { steps: 4 });
    await expect(page.locator('[data-guide="x"]')).toHaveCount(1);
    await page.mouse.up();
    await expect(page.locator('[data-guide]')).toHaveCount(0);
    expect((await flow.placeOf('lone')).x).toBe(340);
  });
});

test('71. Does another operator keep the settings and wires that fit, and is the rest told?', async () => {
  const flow = await openRow(stage);
  await flow.select('first');
  await flow.key('Mod+k');
  await flow.page
    .getByRole('dialog', { name: 'All commands' })
    .getByRole('combobox')
    .fill('swap for another');
  await flow.key('Enter');
  const picker = flow.page.getByRole('dialog', { name: 'Swap for another node' });
  await expect(picker.locator('[data-operator="text.template"]')).toHaveCount(0);
  await flow.page.keyboard.type('log');
  await flow.key('Enter');
  await expect(flow.node('first')).toContainText('Log');
  await expect(flow.edge('start.out', 'first.in')).toBeAttached();
  await expect(flow.page.getByText(/^Swapped for Log\. Left out: the setting template/)).toBeVisible();
  await flow.key('Mod+z');
  await expect(flow.field('params.template')).toContainText('Hello');
  await expect(flow.edges).toHaveCount(3);
});

test('70. Are pins, states, retries, models and colours of several nodes set in one step?', async () => {
  const flow = await openRow(stage);
  await call(stage.server, `/${flow.id()}`);
  await expect(flow.status('second')).toHaveText(/^OK/);
  await flow.select('first');
  await flow.node('second').click({ modifiers: ['Shift'], position: { x: 60, y: 12 } });
  const { inspector, page } = flow;
  const nodes = async () =>
    (JSON.parse(stage.fileText(flow.id())) as { nodes: Record<string, object> }).nodes;

  await inspector.getByRole('switch', { name: 'Try again after a failure' }).click();
  await inspector.getByRole('button', { name: 'Colour green' }).click();
  await inspector.getByRole('switch', { name: /disabled/i }).click();
  await expect(flow.node('first')).toHaveClass(/weft-tint-green/);
  await expect(flow.node('second')).toHaveClass(/weft-tint-green/);
  await flow.save();
  for (const id of ['first', 'second'])
    expect((await nodes())[id]).toMatchObject({ disabled: true, retry: { attempts: 3 } });
  await flow.canvas.focus();
  await flow.key('Escape', 'Mod+z', 'Mod+z', 'Mod+z');
  await expect(page.locator('.weft-tint-green')).toHaveCount(0);
  await flow.save();
  expect((await nodes())['first']).not.toHaveProperty('retry');

  await flow.select('first');
  await flow.node('second').click({ modifiers: ['Shift'], position: { x: 60, y: 12 } });
  await inspector.getByRole('button', { name: 'Pin or unpin the outputs' }).click();
  await expect(flow.node('first').getByText('Pinned', { exact: true })).toBeAttached();
  await expect(flow.node('second').getByText('Pinned', { exact: true })).toBeAttached();
  await inspector.getByRole('button', { name: 'Pin or unpin the outputs' }).click();
  await expect(page.locator('.react-flow__node').getByText('Pinned', { exact: true })).toHaveCount(0);
});

test('70. Is the model of several nodes set at once?', async () => {
  const flow = await openRow(stage, undefined, (id) => ({
    flow: {
      format: 1,
      id,
      nodes: {
        one: { operator: 'model.chat', params: { model: 'demo/echo', prompt: 'Hello' } },
        two: { operator: 'model.chat', params: { prompt: 'Bye' } },
        say: { operator: 'text.template', params: { template: 'x' } },
      },
      edges: [],
    },
    layout: { format: 1, nodes: { one: { x: 0, y: 0 }, two: { x: 0, y: 150 }, say: { x: 0, y: 300 } } },
  }));
  await flow.key('Mod+a');
  await flow.field('params.model').getByRole('combobox').click();
  await flow.page.keyboard.type('demo/other');
  await flow.key('Enter');
  await flow.save();
  const { nodes } = JSON.parse(stage.fileText(flow.id())) as { nodes: Record<string, { params: object }> };
  expect(nodes['one']?.params).toMatchObject({ model: 'demo/other' });
  expect(nodes['two']?.params).toMatchObject({ model: 'demo/other' });
  expect(nodes['say']?.params).not.toHaveProperty('model');
});

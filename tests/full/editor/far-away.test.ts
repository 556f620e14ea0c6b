import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { freshId, openFlow } from '../../editor/support/fixtures.ts';
import type { FlowPage, Point } from '../../editor/support/flow-page.ts';
import { useStage } from '../../editor/support/stage.ts';

/** A large flow far away: its cards are drawn on one canvas, and everything works as near by. */
const stage = useStage();
const COUNT = 200;

/** A chain in rows of twenty, seen at 45 % or another zoom. */
async function openFar({ zoom = 0.45, count = COUNT } = {}): Promise<FlowPage> {
  const id = freshId();
  const names = Array.from({ length: count }, (_, i) => `n${i}`);
  const flow = {
    format: 1,
    id,
    nodes: {
      ...Object.fromEntries(
        names.map((name) => [name, { operator: 'core.map', params: { value: '{{ input }}' } }]),
      ),
      n0: { operator: 'trigger.manual' },
    },
    edges: names.slice(1).map((name, i) => ({ from: `n${i}.out`, to: `${name}.in` })),
  };
  const place = (i: number): Point => ({ x: (i % 20) * 300, y: Math.floor(i / 20) * 140 });
  const nodes = Object.fromEntries(names.map((name, i) => [name, place(i)]));
  await stage.putFlow(flow, { format: 1, nodes, viewport: { x: 40, y: 60, zoom } });
  return openFlow(stage, id);
}

const drawn = (flow: FlowPage) => flow.page.locator('canvas[data-far]');
const cards = (flow: FlowPage) => flow.page.locator('.weft-card');

/** Whether the left border of each of these nodes is in the colour of the state `ok` on the canvas. */
async function areGreen(flow: FlowPage, nodes: readonly string[]): Promise<boolean[]> {
  return flow.page.evaluate((ids) => {
    const canvas = document.querySelector<HTMLCanvasElement>('canvas[data-far]');
    const context = canvas?.getContext('2d');
    const area = canvas?.getBoundingClientRect();
    if (!canvas || !context || !area) return [];
    const sample = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D;
    sample.fillStyle = getComputedStyle(canvas).getPropertyValue('--ok');
    sample.fillRect(0, 0, 1, 1);
    const ok = [...sample.getImageData(0, 0, 1, 1).data];
    const ratio = canvas.width / area.width;
    return ids.map((id) => {
      const box = document.querySelector(`.react-flow__node[data-id="${id}"]`)?.getBoundingClientRect();
      if (!box) return false;
      const x = Math.round((box.x - area.x) * ratio) - 2;
      const y = Math.round((box.y - area.y + box.height * 0.75) * ratio);
      const { data } = context.getImageData(x, y, 4, 1);
      return [0, 4, 8, 12].some((from) =>
        ok
          .slice(0, 3)
          .every((part, i) => (data[from + 3] ?? 0) > 128 && Math.abs(part - (data[from + i] ?? 0)) < 40),
      );
    });
  }, nodes);
}

describe('A large flow far away', () => {
  test('Are its cards drawn on one canvas, and is that of the pointer an element?', async () => {
    const flow = await openFar();
    await expect(drawn(flow)).toBeVisible();
    await expect(flow.node('n22')).toBeAttached();
    await expect(cards(flow)).toHaveCount(0);
    await flow.node('n22').hover();
    await expect(cards(flow)).toHaveCount(1);
    await expect(flow.node('n22').locator('.weft-title')).toHaveText('Map');
  });

  test('Does it show the state of each node once a run has reached it, and near by the same?', async () => {
    const flow = await openFar();
    await expect(drawn(flow)).toBeVisible();
    const inView = ['n1', 'n3', 'n21', 'n44', 'n61'];
    await flow.clickEmpty();
    await flow.page.mouse.move(0, 0);
    expect(await areGreen(flow, inView)).toEqual(inView.map(() => false));
    await flow.key('Mod+Enter');
    await expect.poll(() => areGreen(flow, inView)).toEqual(inView.map(() => true));
    await flow.node('n21').hover();
    await expect(flow.status('n21')).toHaveAttribute('data-status', 'ok');
    await flow.key('0');
    await expect(drawn(flow)).toHaveCount(0);
    const ids = await flow.page.locator('.react-flow__node').evaluateAll((all) => all.length);
    expect(ids).toBeGreaterThan(5);
    await expect(flow.page.locator('.react-flow__node [data-status="ok"]')).toHaveCount(ids);
  });

  test('Does a click select, a drag move, and a frame select many?', async () => {
    const flow = await openFar();
    await expect(drawn(flow)).toBeVisible();
    await flow.select('n22');
    await expect(flow.inspector).toContainText('core.map · n22');
    const before = await flow.placeOf('n22');
    const box = await flow.node('n22').boundingBox();
    if (!box) throw new Error('n22 is not in view');
    const from = { x: box.x + 40, y: box.y + 12 };
    await flow.drag(from, { x: from.x + 9, y: from.y + 90 });
    await expect.poll(async () => (await flow.placeOf('n22')).y).toBeGreaterThan(before.y + 100);
    await flow.clickEmpty();
    // The moved one is below the frame.
    const [first, last] = await Promise.all(['n1', 'n23'].map((id) => flow.node(id).boundingBox()));
    if (!first || !last) throw new Error('The nodes are not in view');
    await flow.page.keyboard.down('Shift');
    await flow.page.mouse.move(first.x - 10, first.y - 10);
    await flow.page.mouse.down();
    await flow.page.mouse.move(last.x + 20, last.y + 20, { steps: 5 });
    await flow.page.mouse.up();
    await flow.page.keyboard.up('Shift');
    await expect.poll(() => flow.selectedIds()).toEqual(['n1', 'n2', 'n21', 'n23', 'n3']);
  });

  test('Is it tidied, and taken back?', async () => {
    const flow = await openFar({ count: 320 });
    await expect(drawn(flow)).toBeVisible();
    const before = await flow.placeOf('n22');
    await flow.clickEmpty();
    await flow.key('Shift+Alt+T');
    await flow.heard('The flow is laid out');
    await flow.key('Mod+z');
    await flow.page.locator('[data-canvas]').focus();
    await flow.key('0');
    await flow.key('Mod+f');
    await flow.page.getByRole('dialog').getByRole('combobox').fill('n22');
    await flow.key('Enter');
    await expect(flow.node('n22')).toBeVisible();
    expect(await flow.placeOf('n22')).toEqual(before);
  });

  test('Is it reached by keys, and does the smallest view open with Enter?', async () => {
    const flow = await openFar();
    await expect(drawn(flow)).toBeVisible();
    await flow.node('n1').focus();
    await flow.key('Tab');
    await flow.key('Shift+Tab');
    await expect(flow.node('n1')).toBeFocused();
    await expect(flow.node('n1').locator('.weft-card')).toBeVisible();
    await flow.key('Space');
    await expect.poll(() => flow.selectedIds()).toEqual(['n1']);
    await flow.fit();
    const overview = flow.page.getByRole('button', { name: /^Overview of the flow/ });
    await overview.focus();
    await flow.key('Enter');
    await expect(overview).toHaveCount(0);
    await expect(flow.node('n1')).toBeFocused();
    await expect(flow.node('n1').locator('.weft-card')).toBeVisible();
  });
});

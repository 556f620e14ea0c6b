import type { Locator } from '@playwright/test';
import { expect } from '../support/expect.ts';
import { describe, test } from 'vitest';
import { freshId, openFlow, openRow, openTab, rowFlow } from '../editor/support/fixtures.ts';
import { middleOf } from '../editor/support/flow-page.ts';
import { useStage } from '../editor/support/stage.ts';

/** Behaviour that people know from editors of this kind, by the numbers of the editor's design. Part one: building. */
const stage = useStage();

describe('Adding', () => {
  test('1. Does an operator that is dragged onto the canvas become a node there, and is it selected?', async () => {
    const flow = await openRow(stage);
    const spot = await flow.emptySpot(0, 20);
    await flow.addByDrag('core.log', spot);
    await expect(flow.node('log')).toBeVisible();
    const box = await flow.node('log').boundingBox();
    expect(box && box.x <= spot.x && spot.x <= box.x + box.width).toBe(true);
    expect(box && box.y <= spot.y && spot.y <= box.y + box.height).toBe(true);
    expect(await flow.selectedIds()).toEqual(['log']);
  });

  test('2. 3. 5. Can nodes be added by search, by the key N and by a double click?', async () => {
    const flow = await openRow(stage);
    const first = flow.picker.getByRole('option').first();
    await flow.key('/');
    await flow.page.keyboard.type('collect');
    await expect(first).toHaveAttribute('data-operator', 'core.unstreamify');
    await flow.key('Enter');
    await expect(flow.node('unstreamify')).toBeVisible();

    await flow.clickEmpty();
    await flow.key('n');
    await expect(flow.picker.getByRole('combobox')).toBeFocused();
    await flow.page.keyboard.type('format json');
    await flow.key('Enter');
    await expect(flow.node('format_json')).toBeVisible();

    const { x, y } = await flow.emptySpot(-330, 0);
    await flow.page.mouse.dblclick(x, y);
    await expect(flow.picker).toBeVisible();
    await flow.page.keyboard.type('if');
    await flow.key('Enter');
    await expect(flow.node('if')).toBeVisible();
    const box = await flow.node('if').boundingBox();
    expect(Math.hypot((box?.x ?? 0) - x, (box?.y ?? 0) - y)).toBeLessThan(250);
  });

  test('4. Does Mod+K find commands, operators, nodes and flows?', async () => {
    const other = freshId();
    await stage.putFlow({ ...rowFlow(other).flow, name: 'Quite another one' });
    const flow = await openRow(stage);
    const choose = async (words: string): Promise<void> => {
      await flow.key('Mod+k');
      await flow.page.getByRole('dialog', { name: 'All commands' }).getByRole('combobox').fill(words);
      await flow.key('Enter');
    };
    await choose('add collect');
    await expect(flow.node('unstreamify')).toBeVisible();
    await choose('go to second');
    await expect.poll(flow.selectedIds).toEqual(['second']);
    await choose('save');
    await flow.saved();
    await choose('quite another');
    await expect(flow.page).toHaveURL(new RegExp(`/flows/${other}$`));
  });
});

describe('Connecting', () => {
  test('6. Does a drag from port to port connect, and is a port that does not fit refused with the reason?', async () => {
    const flow = await openRow(stage);
    await flow.connect(flow.output('second'), flow.input('lone'));
    await expect(flow.edge('second.out', 'lone.in')).toBeAttached();

    await flow.page.mouse.move(...(await at(flow.output('lone'))));
    await flow.page.mouse.down();
    await flow.page.mouse.move(...(await at(flow.input('first'))), { steps: 8 });
    await expect(flow.input('first')).toHaveAttribute('data-state', 'refused');
    await expect(flow.canvas.getByText(/cycle|circle|loop/i).first()).toBeVisible();
    await flow.page.mouse.up();
    await expect(flow.edge('lone.out', 'first.in')).toHaveCount(0);
    await flow.heard(/Not connected/);
  });

  test('7. Does a wire that is dropped on nothing offer what fits, and is its choice one step?', async () => {
    const flow = await openRow(stage);
    await flow.drag(flow.output('second'), await flow.emptySpot(250, 0));
    await expect(flow.picker).toBeVisible();
    const offered = flow.picker.locator('[data-operator]');
    await expect(offered.filter({ hasText: 'Collect' })).toHaveCount(0);
    await expect(flow.picker.locator('[data-operator="trigger.http"]')).toHaveCount(0);
    await flow.page.keyboard.type('log');
    await flow.key('Enter');
    await expect(flow.edge('second.out', 'log.in')).toBeAttached();
    await flow.key('Mod+z');
    await expect(flow.node('log')).toHaveCount(0);
    await expect(flow.edges).toHaveCount(3);
  });

  test('8. Do two clicks on ports connect them?', async () => {
    const flow = await openRow(stage);
    await flow.output('second').click();
    await expect(flow.input('lone')).toHaveAttribute('data-state', 'fits');
    await flow.input('lone').click();
    await expect(flow.edge('second.out', 'lone.in')).toBeAttached();
  });

  test('9. 11. Can a node be put into an edge, by its plus and by dropping on it?', async () => {
    const flow = await openRow(stage);
    const edge = flow.edge('start.out', 'first.in');
    const { x, y } = await flow.onEdge('start.out', 'first.in', 0.3);
    await flow.page.mouse.move(x, y);
    const controls = flow.page.locator('[data-edge="start.out>first.in"]');
    await expect(controls.getByRole('button', { name: 'Delete this edge' })).toBeVisible();
    await controls.getByRole('button', { name: 'Insert a node' }).click();
    await flow.page.keyboard.type('log');
    await flow.key('Enter');
    await expect(flow.edge('start.out', 'log.in')).toBeAttached();
    await expect(flow.edge('log.out', 'first.in')).toBeAttached();
    await expect(edge).toHaveCount(0);

    await flow.addByDrag('core.map', await middleOf(flow.edge('first.out', 'second.in')));
    await expect(flow.edge('first.out', 'map.in')).toBeAttached();
    await expect(flow.edge('map.out', 'second.in')).toBeAttached();
    await flow.key('Mod+z', 'Mod+z');
    await expect(edge).toBeAttached();
    expect(await flow.ids()).toEqual(['first', 'lone', 'second', 'start']);
  });

  test('10. Can the end of an edge be moved to another port, and is it removed on nothing?', async () => {
    const flow = await openRow(stage);
    const end = () => flow.page.locator('.react-flow__edgeupdater-target').last();
    await flow.selectEdge('first.out', 'second.in');
    await flow.drag(end(), flow.input('lone'));
    await expect(flow.edge('first.out', 'lone.in')).toBeAttached();
    await expect(flow.edge('first.out', 'second.in')).toHaveCount(0);

    // It turns back beside its port, so that its beginning is within the port's reach.
    const middle = await flow.onEdge('first.out', 'lone.in', 0.3);
    await flow.page.mouse.click(middle.x, middle.y);
    await expect(flow.edge('first.out', 'lone.in')).toHaveClass(/\bselected\b/);
    await flow.drag(end(), await flow.emptySpot(200, 0));
    await expect(flow.edge('first.out', 'lone.in')).toHaveCount(0);
    await flow.key('Mod+z');
    await expect(flow.edge('first.out', 'lone.in')).toBeAttached();
  });
});

describe('Nodes', () => {
  test('12. 13. Do double click and Enter open the settings, and does Escape go back step by step?', async () => {
    const flow = await openRow(stage);
    const settings = flow.field('params').locator('.cm-content').first();
    await flow.node('first').dblclick({ position: { x: 60, y: 12 } });
    await expect(settings).toBeFocused();

    await flow.key('Escape');
    await expect(flow.node('first')).toBeFocused();
    await flow.clickEmpty();
    await flow.node('second').focus();
    await flow.key('Space');
    await expect.poll(flow.selectedIds).toEqual(['second']);
    await flow.key('Enter');
    await expect(settings).toBeFocused();
    await flow.key('Escape');

    await flow.select('first');
    await flow.output('second').click();
    await flow.key('n');
    await expect(flow.picker).toBeVisible();
    await flow.key('Escape');
    await expect(flow.picker).toHaveCount(0);
    await flow.key('Escape');
    await expect(flow.output('second')).toHaveAttribute('data-state', 'idle');
    await flow.key('Escape');
    await expect.poll(flow.selectedIds).toEqual([]);
  });

  test('14. Does F2 rename a node, and do edges and expressions follow?', async () => {
    const flow = await openRow(stage);
    await flow.select('first');
    await flow.key('F2');
    const dialog = flow.page.getByRole('dialog', { name: 'Rename the node' });
    await dialog.getByLabel('Name').fill('Greeting');
    await dialog.getByLabel('Id').fill('greeting');
    await flow.key('Enter');
    await expect(flow.edge('greeting.out', 'second.in')).toBeAttached();
    await expect(flow.node('greeting')).toContainText('Greeting');
    await flow.select('second');
    await expect(flow.field('params.template')).toContainText('{{ nodes.greeting }}!');
  });

  test('Do edges and expressions follow the new name of a case, and is that one step?', async () => {
    const id = freshId();
    const cases = [{ name: 'hot', when: '{{ input.t > 30 }}' }];
    await stage.putFlow({
      format: 1,
      id,
      nodes: {
        start: { operator: 'trigger.manual' },
        sw: { operator: 'logic.switch', params: { cases } },
        say: { operator: 'text.template', params: { template: 'Hot: {{ nodes.sw.hot.t }}' } },
      },
      edges: [
        { from: 'start.out', to: 'sw.in' },
        { from: 'sw.hot', to: 'say.in' },
      ],
    });
    const flow = await openFlow(stage, id);
    await flow.select('sw');
    await flow.field('params.cases[0].name').getByRole('textbox').fill('warm');
    await flow.page.keyboard.press('Enter');
    await expect(flow.edge('sw.warm', 'say.in')).toBeAttached();
    await flow.select('say');
    const template = flow.field('params.template').locator('.cm-content');
    await expect(template).toHaveText('Hot: {{ nodes.sw.warm.t }}');
    await expect(flow.dock.getByText('No problems')).toBeVisible();
    await flow.canvas.focus();
    await flow.key('Mod+z');
    await expect(flow.edge('sw.hot', 'say.in')).toBeAttached();
    await expect(template).toHaveText('Hot: {{ nodes.sw.hot.t }}');
  });

  test('15. 16. Do Delete and Backspace remove, and does Mod+Delete connect the neighbours?', async () => {
    const flow = await openRow(stage);
    await flow.select('lone');
    await flow.key('Delete');
    await expect(flow.node('lone')).toHaveCount(0);
    await flow.selectEdge('start.out', 'first.in');
    await flow.key('Backspace');
    await expect(flow.edge('start.out', 'first.in')).toHaveCount(0);
    await flow.key('Mod+z');
    await expect(flow.edge('start.out', 'first.in')).toBeAttached();
    await flow.select('first');
    await flow.key('Mod+Delete');
    await expect(flow.edge('start.out', 'second.in')).toBeAttached();
    expect(await flow.ids()).toEqual(['second', 'start']);
  });

  test('17. Can edits of settings be undone and redone like moves?', async () => {
    const flow = await openRow(stage);
    await flow.select('first');
    await flow.write('params.template', 'Good day');
    const template = flow.field('params.template');
    await expect(template).toContainText('Good day');
    await flow.select('second');
    await flow.drag(flow.node('lone'), await flow.emptySpot());
    const [moved, before] = [await flow.placeOf('lone'), { x: 340, y: 200 }];
    expect(moved).not.toEqual(before);
    await flow.key('Mod+z');
    expect(await flow.placeOf('lone')).toEqual(before);
    await flow.key('Mod+z');
    await flow.select('first');
    await expect(template).toContainText('Hello {{ input.name }}');
    await flow.key('Mod+Shift+z', 'Control+y');
    await expect(template).toContainText('Good day');
    expect(await flow.placeOf('lone')).toEqual(moved);
  });
});

describe('Clipboard and selection', () => {
  test('18. 20. 21. Do copy, cut, paste, duplicate and select all work, with edges and fresh ids?', async () => {
    const flow = await openRow(stage);
    await flow.select('first');
    await flow.node('second').click({ position: { x: 60, y: 12 }, modifiers: ['ControlOrMeta'] });
    await flow.key('Mod+c');
    await flow.heard('2 node(s) copied');
    const { x, y } = await flow.emptySpot(0, -10);
    await flow.page.mouse.move(x, y);
    await flow.key('Mod+v');
    await expect(flow.edge('first_2.out', 'second_2.in')).toBeAttached();
    await expect.poll(flow.selectedIds).toEqual(['first_2', 'second_2']);
    const boxes = await Promise.all(['first_2', 'second_2'].map((id) => middleOf(flow.node(id))));
    expect(Math.abs((boxes[0]?.x ?? 0) + (boxes[1]?.x ?? 0) - 2 * x)).toBeLessThan(250);
    await flow.key('Mod+d');
    await expect(flow.edge('first_3.out', 'second_3.in')).toBeAttached();
    await flow.key('Mod+x');
    await expect(flow.node('first_3')).toHaveCount(0);
    await flow.key('Mod+a');
    await expect.poll(flow.selectedIds).toEqual(['first', 'first_2', 'lone', 'second', 'second_2', 'start']);
  });

  test('19. Can nodes be pasted into another flow in another tab, and from JSON text?', async () => {
    const flow = await openRow(stage);
    await flow.select('lone');
    await flow.key('Mod+c');
    await flow.heard('1 node(s) copied');
    const other = freshId();
    await stage.putFlow({ format: 1, id: other, nodes: {}, edges: [] });
    const tab = await openTab(flow.page, `/flows/${other}`);
    await tab.page.bringToFront();
    await tab.canvas.focus();
    await tab.key('Mod+v');
    await expect(tab.node('lone')).toBeVisible();
    const clip = {
      weft: 'nodes',
      nodes: { written: { operator: 'text.template', params: { template: 'by hand' } } },
      edges: [],
      places: { written: { x: 0, y: 0 } },
    };
    await tab.page.evaluate((text) => navigator.clipboard.writeText(text), JSON.stringify(clip));
    await tab.key('Mod+v');
    await expect(tab.node('written')).toBeVisible();
  });

  test('22. 23. 24. Can several nodes be selected and moved together, as one step?', async () => {
    const flow = await openRow(stage);
    const [first, second] = [await flow.node('first').boundingBox(), await flow.node('second').boundingBox()];
    if (!first || !second) throw new Error('not on the screen');
    await flow.page.keyboard.down('Shift');
    await flow.drag(
      { x: first.x - 15, y: first.y - 30 },
      { x: second.x + second.width + 10, y: second.y + second.height + 10 },
    );
    await flow.page.keyboard.up('Shift');
    await expect.poll(flow.selectedIds).toEqual(['first', 'second']);
    await flow.node('second').click({ position: { x: 60, y: 12 }, modifiers: ['Shift'] });
    await expect.poll(flow.selectedIds).toEqual(['first']);
    await flow.node('second').click({ position: { x: 60, y: 12 }, modifiers: ['ControlOrMeta'] });
    await expect.poll(flow.selectedIds).toEqual(['first', 'second']);

    const from = { x: second.x + 60, y: second.y + 12 };
    await flow.drag(from, { x: from.x + 40, y: from.y - 60 });
    const apart = async () => {
      const [a, b] = [await flow.placeOf('first'), await flow.placeOf('second')];
      return { x: b.x - a.x, y: b.y - a.y };
    };
    await expect.poll(async () => (await flow.placeOf('first')).y).toBeLessThan(0);
    await expect.poll(apart).toEqual({ x: 340, y: 0 });
    await flow.key('Mod+z');
    await expect.poll(() => flow.placeOf('first')).toEqual({ x: 340, y: 0 });
    await expect.poll(() => flow.placeOf('second')).toEqual({ x: 680, y: 0 });
  });

  test('25. 26. Do arrows nudge, and with Alt and Shift go along the flow?', async () => {
    const flow = await openRow(stage);
    await flow.select('first');
    await flow.key('ArrowRight', 'ArrowRight', 'ArrowDown');
    await expect.poll(() => flow.placeOf('first')).toEqual({ x: 360, y: 10 });
    await flow.key('Shift+ArrowUp');
    await expect.poll(() => flow.placeOf('first')).toEqual({ x: 360, y: -40 });
    await flow.key('Alt+ArrowRight');
    await expect.poll(flow.selectedIds).toEqual(['second']);
    await flow.key('Alt+ArrowLeft');
    await expect.poll(flow.selectedIds).toEqual(['first']);
    await flow.key('Shift+ArrowRight');
    await expect.poll(flow.selectedIds).toEqual(['first', 'second']);
    await flow.key('Shift+ArrowLeft');
    await expect.poll(flow.selectedIds).toEqual(['first', 'second', 'start']);
  });
});

async function at(of: Locator): Promise<[number, number]> {
  const { x, y } = await middleOf(of);
  return [x, y];
}

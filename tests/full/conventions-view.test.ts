import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '../support/expect.ts';
import { describe, test } from 'vitest';
import { freshId, openFlow, openRow, openTab, rowFlow } from '../editor/support/fixtures.ts';
import { type FlowPage, saveIndicator } from '../editor/support/flow-page.ts';
import { useStage } from '../editor/support/stage.ts';

/** Behaviour that people know from editors of this kind, by the numbers of the editor's design. Part two: looking, keeping, keys. */
const stage = useStage();

describe('Looking around', () => {
  test('27. 28. Do Space-drag and the middle button pan, and does the wheel zoom around the pointer?', async () => {
    const flow = await openRow(stage);
    const { mouse, keyboard } = flow.page;
    const start = await flow.viewport();
    const on = await flow.node('first').boundingBox();
    if (!on) throw new Error('not on the screen');
    await flow.canvas.focus();
    await keyboard.down('Space');
    await flow.drag({ x: on.x + 60, y: on.y + 12 }, { x: on.x + 100, y: on.y + 72 });
    await keyboard.up('Space');
    const panned = await flow.viewport();
    expect([panned.x - start.x, panned.y - start.y].map(Math.round)).toEqual([40, 60]);
    expect(await flow.placeOf('first')).toEqual({ x: 340, y: 0 });

    const spot = await flow.emptySpot();
    await mouse.move(spot.x, spot.y);
    await mouse.down({ button: 'middle' });
    await mouse.move(spot.x - 30, spot.y + 50, { steps: 4 });
    await mouse.up({ button: 'middle' });
    const moved = async () => {
      const { x, y, zoom } = await flow.viewport();
      return { right: Math.round(x - panned.x), down: Math.round(y - panned.y), zoom };
    };
    await expect.poll(moved).toEqual({ right: -30, down: 50, zoom: panned.zoom });

    const corner = async () => {
      const box = await flow.node('lone').boundingBox();
      return { x: box?.x ?? 0, y: box?.y ?? 0 };
    };
    const before = await corner();
    await mouse.move(before.x, before.y);
    await mouse.wheel(0, -200);
    await expect.poll(async () => (await flow.viewport()).zoom).toBeGreaterThan(start.zoom);
    const after = await corner();
    expect(Math.hypot(after.x - before.x, after.y - before.y)).toBeLessThan(3);
  });

  test('29. 30. Do the keys + - 0 1 and . set the zoom?', async () => {
    const flow = await openRow(stage);
    const zoom = async () => (await flow.viewport()).zoom;
    const start = await zoom();
    await flow.select('lone');
    await flow.key('+');
    await expect.poll(zoom).toBeCloseTo(start * 1.25, 5);
    await flow.key('-', '-');
    await expect.poll(zoom).toBeCloseTo(start / 1.25, 5);
    await flow.key('0');
    await expect.poll(zoom).toBe(1);
    await flow.key('1');
    await expect.poll(zoom).toBeCloseTo(start, 5);
    await flow.key('+', '+');
    await flow.key('.');
    await expect.poll(() => isInMiddle(flow, 'lone')).toBe(true);
  });

  test('31. Are the minimap and the zoom buttons there, named, and worked by keys?', async () => {
    const flow = await openRow(stage);
    const toolbar = flow.page.getByRole('toolbar', { name: 'Zoom and layout' });
    for (const name of [
      'Zoom in',
      'Zoom out',
      'Show the whole flow',
      'Tidy up the layout',
      'Add a note',
      'Minimap',
    ]) {
      await expect(toolbar.getByRole('button', { name, exact: false }).first()).toBeVisible();
    }
    const before = await flow.viewport();
    await toolbar.getByRole('button', { name: 'Zoom in' }).focus();
    await flow.key('Enter');
    await expect.poll(async () => (await flow.viewport()).zoom).toBeGreaterThan(before.zoom);
    const map = flow.page.getByLabel(/^Minimap;/);
    await expect(map, 'a small flow needs none').toHaveCount(0);
    await toolbar.getByRole('button', { name: 'Minimap' }).click();
    await map.focus();
    const { x } = await flow.viewport();
    await flow.key('ArrowLeft');
    await expect.poll(async () => (await flow.viewport()).x).toBeGreaterThan(x);
    await toolbar.getByRole('button', { name: 'Minimap' }).click();
    await expect(map).toHaveCount(0);
  });

  test('31. Does nothing that lies over the canvas cover something else there, however narrow it is?', async () => {
    const flow = await openRow(stage);
    const zoom = flow.page.getByRole('toolbar', { name: 'Zoom and layout' });
    const map = flow.page.getByRole('group', { name: /^Minimap/ });
    const credit = flow.page.locator('.react-flow__attribution');
    await zoom.getByRole('button', { name: 'Minimap' }).click();
    for (const width of [1024, 1120, 1160, 1440]) {
      await flow.page.setViewportSize({ width, height: 900 });
      await flow.rest();
      const boxes = (await Promise.all([zoom, map, credit].map((one) => one.all())))
        .flat()
        .map((one) => one.boundingBox());
      const rects = (await Promise.all(boxes)).flatMap((box) => box ?? []).sort((a, b) => a.x - b.x);
      expect(rects.length).toBeGreaterThanOrEqual(2);
      for (const [i, { x }] of rects.entries()) {
        const before = rects[i - 1];
        if (before) expect(x, `at ${width} px`).toBeGreaterThanOrEqual(before.x + before.width);
      }
    }
  });

  test('33. Does Shift+S put a sticky note at the pointer, written in Markdown?', async () => {
    const flow = await openRow(stage);
    const { x, y } = await flow.emptySpot();
    await flow.page.mouse.move(x, y);
    await flow.canvas.focus();
    await flow.key('Shift+S');
    const text = flow.page.getByLabel('Text of the note, in Markdown');
    await expect(text).toBeFocused();
    await text.fill('# Careful\n\n**bold** <img src=x onerror=alert(1)>');
    await flow.key('Escape');
    const note = flow.page.locator('.react-flow__node-note');
    await expect(note.getByRole('heading', { name: 'Careful' })).toBeVisible();
    await expect(note.locator('strong')).toHaveText('bold');
    await expect(note.locator('img')).toHaveCount(0);
    const box = await note.boundingBox();
    expect(box && Math.abs(box.x - x) < 250 && Math.abs(box.y - y) < 200).toBe(true);
    await flow.save();
    const layout = JSON.parse(readFileSync(join(stage.server.flows, `${flow.id()}.layout.json`), 'utf8'));
    expect(layout.notes[0].text).toContain('# Careful');
  });

  test('34. 36. Is a disabled node shown as such, and does tidying up part what overlaps, as one step?', async () => {
    const id = freshId();
    const { flow: row, layout } = rowFlow(id);
    const heap = Object.fromEntries(
      Object.keys(layout.nodes).map((node, i) => [node, { x: i * 20, y: i * 20 }]),
    );
    await stage.putFlow(row, { ...layout, nodes: heap });
    const flow = await openFlow(stage, id);
    await flow.node('lone').focus();
    await flow.key('Space', 'd');
    await expect(flow.node('lone')).toContainText('Disabled');
    await flow.key('Mod+m');
    await expect(flow.node('lone')).not.toContainText('Disabled');

    await flow.key('Shift+Alt+T');
    await flow.heard('The flow is laid out');
    const boxes = await Promise.all((await flow.ids()).map((node) => flow.node(node).boundingBox()));
    for (const a of boxes) {
      for (const b of boxes) if (a && b && a !== b) expect(overlap(a, b)).toBe(false);
    }
    await flow.key('Mod+z');
    expect(await flow.placeOf('start')).toEqual({ x: 0, y: 0 });
    expect(await flow.placeOf('lone')).toEqual(heap['lone']);
  });
});

describe('Keeping', () => {
  test('42. Does Mod+S save at once, and does the indicator say how it stands?', async () => {
    const flow = await openRow(stage);
    await flow.saveByHand();
    await expect(saveIndicator(flow.page)).toHaveText('Saved');
    await flow.select('first');
    await flow.write('params.template', 'Kept');
    await expect(saveIndicator(flow.page)).toHaveText('Unsaved');
    await flow.save();
    expect(stage.fileText(flow.id())).toContain('"Kept"');
  });

  test('43. Are unsaved edits there again after the tab was closed?', async () => {
    const flow = await openRow(stage);
    await flow.select('first');
    await flow.write('params.template', 'Not saved yet');
    await flow.page.close({ runBeforeUnload: false });
    const again = await openTab(flow.page, `/flows/${flow.id()}`);
    await expect(again.page.getByText(/Unsaved edits from .* were restored/)).toBeVisible();
    await expect(saveIndicator(again.page)).toHaveText('Unsaved');
    await again.select('first');
    await expect(again.field('params.template')).toContainText('Not saved yet');
  });

  test('43. Are edits saved when somebody leaves for another screen, and is somebody asked if they cannot be?', async () => {
    const flow = await openRow(stage);
    const id = flow.id();
    await flow.select('lone');
    await flow.key('Delete');
    await flow.page.getByRole('link', { name: 'All flows' }).click();
    await expect(flow.page.getByRole('heading', { name: /^Flows/ })).toBeVisible();
    expect(stage.fileText(id)).not.toContain('lone');
    await flow.page.goBack();
    await flow.ready();
    await flow.page.route(`**/api/v1/flows/${id}`, (route) =>
      route.request().method() === 'PUT' ? route.fulfill({ status: 500, body: '{}' }) : route.continue(),
    );
    await flow.select('second');
    await flow.key('Delete');
    await flow.page.getByRole('link', { name: 'All flows' }).click();
    const dialog = flow.page.getByRole('dialog', { name: 'Leave with unsaved edits?' });
    await expect(dialog).toBeVisible();
  });

  test('44. Is the second save of one flow in two tabs a choice, not a silent loss?', async () => {
    const flow = await openRow(stage);
    await flow.saveByHand();
    const id = flow.id();
    const other = await openTab(flow.page, `/flows/${id}`);
    await flow.page.bringToFront();
    await flow.select('first');
    await flow.write('params.template', 'Mine');
    await other.page.bringToFront();
    await other.select('first');
    await other.write('params.template', 'Theirs');
    await other.save();

    await flow.page.bringToFront();
    await flow.key('Mod+s');
    const dialog = flow.page.getByRole('dialog', { name: 'This flow was changed elsewhere' });
    await expect(dialog).toBeVisible();
    await expect(saveIndicator(flow.page)).toHaveText('Conflict');
    expect(stage.fileText(id)).toContain('Theirs');
    expect(stage.fileText(id)).not.toContain('Mine');
    await dialog.getByRole('button', { name: 'Keep mine' }).click();
    await flow.saved();
    expect(stage.fileText(id)).toContain('Mine');
  });

  test('48. Can a flow file that is dropped on the canvas be added or opened, and does a bad one say why it does not?', async () => {
    const flow = await openRow(stage);
    const id = freshId();
    await dropFile(flow, `${id}.json`, JSON.stringify(rowFlow(id).flow));
    await flow.page.getByRole('button', { name: 'Add its nodes here' }).click();
    await expect(flow.edge('first_2.out', 'second_2.in')).toBeAttached();
    await flow.save();
    await dropFile(flow, `${id}.json`, JSON.stringify(rowFlow(id).flow));
    await flow.page.getByRole('button', { name: 'Import it as a flow of its own' }).click();
    await expect(flow.page).toHaveURL(new RegExp(`/flows/${id}$`));
    await flow.ready();
    await expect(flow.node('first')).toBeVisible();
    await dropFile(flow, 'bad.json', '{"format": 1, "id": "bad", "nodes": [');
    const refused = flow.page.getByRole('dialog', { name: 'The file could not be imported' });
    await expect(refused.getByText('bad.json')).toBeVisible();
    await expect(refused.getByRole('listitem').first()).toContainText(/Line 1/);
  });
});

describe('Finding and keys', () => {
  test('45. Does Mod+F find nodes by what is written in them?', async () => {
    const flow = await openRow(stage);
    await flow.key('Mod+f');
    const find = flow.page.getByRole('dialog', { name: 'Find a node' });
    await find.getByRole('combobox').fill('hello {{');
    await expect(find.getByRole('option')).toHaveCount(1);
    await flow.key('Enter');
    await expect.poll(flow.selectedIds).toEqual(['first']);
    await expect(find).toHaveCount(0);
  });

  test('46. Do node, edge and canvas have a menu with the commands and their keys?', async () => {
    const flow = await openRow(stage);
    const menu = flow.page.getByRole('menu');
    await flow.node('first').click({ button: 'right', position: { x: 60, y: 12 } });
    await expect(menu.getByRole('menuitem', { name: /Rename/ })).toContainText('F2');
    await menu.getByRole('menuitem', { name: /^Duplicate/ }).click();
    await expect(flow.node('first_2')).toBeVisible();
    await expect(menu).toHaveCount(0);
    const { x, y } = await flow.onEdge('start.out', 'first.in', 0.25);
    await flow.page.mouse.click(x, y, { button: 'right' });
    await menu.getByRole('menuitem', { name: /^Delete/ }).click();
    await expect(flow.edge('start.out', 'first.in')).toHaveCount(0);
    await expect(menu).toHaveCount(0);
    const spot = await flow.emptySpot();
    await flow.page.mouse.click(spot.x, spot.y, { button: 'right' });
    await menu.getByRole('menuitem', { name: /^Add a node/ }).click();
    await expect(flow.picker).toBeVisible();
  });

  test('47. Does ? show all shortcuts, and are keys left alone in a text field?', async () => {
    const flow = await openRow(stage);
    await flow.select('first');
    await flow.key('?');
    const sheet = flow.page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await expect(sheet.getByText('Duplicate', { exact: true })).toBeVisible();
    await flow.key('Escape');
    await expect(sheet).toHaveCount(0);
    await flow.field('params.template').locator('.cm-content').click();
    await flow.page.keyboard.type('?nd');
    await flow.key('Delete', 'Backspace');
    await expect(sheet).toHaveCount(0);
    await expect(flow.picker).toHaveCount(0);
    expect(await flow.ids()).toHaveLength(4);
  });

  test('49. 50. Can a wire be drawn by keys alone, from names that a screen reader says?', async () => {
    const flow = await openRow(stage);
    await expect(flow.node('first')).toHaveAttribute('aria-label', 'Template, “Hello {input.name}”');
    await expect(flow.edge('first.out', 'second.in')).toHaveAttribute(
      'aria-label',
      'Edge from Template out to Template in',
    );
    await flow.canvas.focus();
    await tabTo(flow, 'react-flow__node', 'second');
    await flow.key('Space');
    await expect.poll(flow.selectedIds).toEqual(['second']);
    await flow.key('Tab', 'Tab');
    await expect(flow.output('second')).toBeFocused();
    await expect(flow.output('second')).toHaveAttribute(
      'aria-label',
      /^Output out of Template, value, not connected/,
    );
    await flow.key('Enter');
    await flow.heard(/Connecting second\.out/);
    await flow.key('Escape');
    await flow.heard('Connecting cancelled');
    await flow.key('Enter');
    await tabTo(flow, 'react-flow__handle', 'lone');
    await flow.key('Enter');
    await flow.heard('second.out connected to lone.in');
    await expect(flow.edge('second.out', 'lone.in')).toBeAttached();
  });

  test('52. Is nothing cut off at 200 % zoom of the browser, light and dark?', async () => {
    const id = freshId();
    const { flow: row, layout } = rowFlow(id);
    await stage.putFlow(row, layout);
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await stage.visit(`/flows/${id}`, {
        viewport: { width: 720, height: 450 },
        deviceScaleFactor: 2,
        colorScheme,
      });
      await expect(page.locator('.react-flow__pane')).toBeVisible();
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(wide).toBeLessThanOrEqual(0);
      for (const name of ['Run', 'Publish']) {
        const box = await page.getByRole('banner').getByRole('button', { name, exact: true }).boundingBox();
        expect(box && box.x >= 0 && box.x + box.width <= 720, `${name} is on the screen`).toBe(true);
      }
      await page.goto('/');
      await expect(page.getByRole('button', { name: 'New flow' })).toBeVisible();
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      ).toBeLessThanOrEqual(0);
    }
  });
});

describe('Running', () => {
  test('37. 39. Do Mod+Enter and Mod+. run and stop the flow, and does each node say how it fares?', async () => {
    const id = freshId();
    await stage.putFlow(
      {
        format: 1,
        id,
        nodes: {
          start: { operator: 'trigger.manual' },
          wait: { operator: 'logic.delay', params: { ms: 600_000 } },
          after: { operator: 'core.map' },
        },
        edges: [
          { from: 'start.out', to: 'wait.in' },
          { from: 'wait.out', to: 'after.in' },
        ],
      },
      undefined,
    );
    const flow = await openFlow(stage, id);
    await flow.canvas.focus();
    await flow.key('Mod+Enter');
    await expect(flow.status('start')).toHaveText(/^OK/);
    await expect(flow.status('wait')).toHaveText(/^Running/);
    await expect(flow.status('wait').locator('svg')).toBeVisible();
    const seconds = async (): Promise<number> =>
      Number(/^Running (\d+) s$/.exec((await flow.status('wait').textContent()) ?? '')?.[1] ?? 0);
    await expect.poll(seconds).toBeGreaterThan(0);
    const before = await seconds();
    await expect.poll(seconds).toBeGreaterThan(before);
    await flow.key('Mod+.');
    await flow.heard(/^Run cancelled/);
    await expect(flow.status('wait')).toHaveText('Cancelled');
    await flow.select('wait');
    await flow.tab('Output').click();
    await expect(flow.inspector.getByText('Cancelled', { exact: true })).toBeVisible();
    await expect(flow.page.getByText('cancelled', { exact: true }).first()).toBeVisible();
  });

  test('Is a wire between ports of one height level, whatever is selected?', async () => {
    const flow = await openRow(stage);
    const heights = async () => {
      const d = await flow.edge('start.out', 'first.in').locator('path').first().getAttribute('d');
      const numbers = d?.match(/-?[\d.]+/g)?.map(Number) ?? [];
      return [numbers[1] ?? 0, numbers.at(-1) ?? 1].map((n) => Math.round(10 * n));
    };
    const [from, to] = await heights();
    expect(from).toBe(to);
    await flow.select('first');
    expect(await heights()).toEqual([from, to]);
  });

  test('40. Are the values, times, errors and item counts of a run at its nodes?', async () => {
    const id = freshId();
    await stage.putFlow({
      format: 1,
      id,
      nodes: {
        start: { operator: 'trigger.manual' },
        list: { operator: 'core.map', params: { value: '{{ [1, 2, 3] }}' } },
        items: { operator: 'core.streamify' },
        all: { operator: 'core.unstreamify' },
        fail: { operator: 'logic.stop', params: { message: 'no more' } },
      },
      edges: [
        { from: 'start.out', to: 'list.in' },
        { from: 'list.out', to: 'items.in' },
        { from: 'items.out', to: 'all.in' },
        { from: 'all.out', to: 'fail.in' },
      ],
    });
    const flow = await openFlow(stage, id);
    await flow.page.getByRole('banner').getByRole('button', { name: 'Run', exact: true }).click();
    await expect(flow.status('fail')).toHaveText(/^Failed/);
    await expect(flow.status('list')).toContainText('3 items');
    await expect(flow.status('items')).toContainText('3 items');
    await flow.select('fail');
    await flow.tab('Output').click();
    await expect(flow.inspector.getByRole('group', { name: 'Error' })).toContainText('no more');
    await flow.select('all');
    await expect(flow.inspector).toContainText(/OK/);
    await expect(flow.inspector.getByRole('tabpanel')).toContainText('[3 items]');
    await flow.dock.getByRole('tab', { name: 'Runs' }).click();
    await expect(flow.dock.locator('tbody tr')).toHaveCount(1);
    await expect(flow.dock.locator('tbody tr')).toContainText('no more');
  });
});

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

async function isInMiddle(flow: FlowPage, id: string): Promise<boolean> {
  const [node, area] = [await flow.node(id).boundingBox(), await flow.canvas.boundingBox()];
  if (!node || !area) return false;
  const off = (a: number, b: number): number => Math.abs(a - b);
  return (
    off(node.x + node.width / 2, area.x + area.width / 2) < 5 &&
    off(node.y + node.height / 2, area.y + area.height / 2) < 5
  );
}

/** As a file that is dragged in from the desktop. */
async function dropFile({ page, canvas }: FlowPage, name: string, text: string): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    (file) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([file.text], file.name, { type: 'application/json' }));
      return transfer;
    },
    { name, text },
  );
  const pane = canvas.locator('.react-flow__pane');
  await pane.dispatchEvent('dragover', { dataTransfer });
  await pane.dispatchEvent('drop', { dataTransfer });
}

/** Presses Tab until something of this class has the focus in this node. */
async function tabTo({ page }: FlowPage, className: string, node: string): Promise<void> {
  for (let i = 0; i < 300; i++) {
    const isThere = await page.evaluate(
      ([wanted = '', id]) => {
        const focused = document.activeElement;
        const holder = focused?.closest<HTMLElement>('.react-flow__node');
        return focused?.classList.contains(wanted) === true && holder?.dataset['id'] === id;
      },
      [className, node],
    );
    if (isThere) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not come to ${className} of ${node}`);
}

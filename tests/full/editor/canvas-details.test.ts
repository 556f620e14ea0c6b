import { expect } from '../../support/expect.ts';
import { test } from 'vitest';
import { auditOf } from '../../editor/support/audit.ts';
import { freshId, openFlow, openRow } from '../../editor/support/fixtures.ts';
import { flowPage } from '../../editor/support/flow-page.ts';
import { useStage } from '../../editor/support/stage.ts';

/** Small things on the canvas that get in the way when they are wrong. */
const stage = useStage();

test('Do many selected edges open no controls, and a single one its own?', async () => {
  const flow = await openRow(stage);
  await flow.fit();
  const controls = flow.page.getByRole('button', { name: 'Delete this edge' });
  await flow.selectEdge('first.out', 'second.in');
  await expect(controls).toHaveCount(1);
  await flow.clickEmpty();
  await flow.key('Mod+a');
  await expect(flow.selected).toHaveCount(4);
  await expect(controls).toHaveCount(0);
});

test('Does a click on one of several selected nodes select it alone?', async () => {
  const flow = await openRow(stage);
  await flow.clickEmpty();
  await flow.key('Mod+a');
  await expect(flow.selected).toHaveCount(4);
  await flow.node('second').click({ position: { x: 60, y: 12 } });
  await expect.poll(() => flow.selectedIds()).toEqual(['second']);
  await flow.node('first').click({ position: { x: 60, y: 12 }, modifiers: ['Shift'] });
  await expect.poll(() => flow.selectedIds()).toEqual(['first', 'second']);
});

test('Does a node stand level with the one that it follows, and does the view stay where there is room?', async () => {
  const flow = await openRow(stage);
  await flow.select('second');
  const before = await flow.viewport();
  await flow.key('Shift+N');
  await flow.picker.getByRole('combobox').fill('Template');
  await flow.key('Enter');
  await expect(flow.nodes).toHaveCount(5);
  const [added = ''] = await flow.selectedIds();
  expect((await flow.placeOf(added)).y).toBe((await flow.placeOf('second')).y);
  await flow.rest();
  const after = await flow.viewport();
  expect(after.zoom).toBe(before.zoom);
  expect(after.y).toBe(before.y);
});

test('Does what can be done stand first among commands, and do they open for the first time while offline?', async () => {
  const flow = await openRow(stage);
  await flow.clickEmpty();
  await flow.key('Mod+k');
  const palette = flow.page.getByRole('dialog', { name: 'All commands' });
  await palette.getByRole('combobox').fill('run');
  await expect(palette.getByRole('option').first()).toHaveText(/^Run/);
  await expect(palette.getByRole('option').first()).toBeEnabled();
  await flow.key('Escape');

  // A part whose code did not come is there the next time that it is opened.
  let isAway = true;
  const other = flowPage(await stage.visit('/'));
  await other.page.route(/CommandPalette/, (route) => (isAway ? route.abort() : route.continue()));
  await other.page.goto(`/flows/${flow.id()}`);
  await other.ready();
  await other.clickEmpty();
  await other.key('Mod+k');
  await expect(other.page.getByText(/^The commands could not be loaded/).first()).toBeVisible();
  isAway = false;
  await other.key('Mod+k');
  await expect(other.page.getByRole('dialog', { name: 'All commands' })).toBeVisible();
});

test('Does a flow that nobody has laid out open with no node over another?', async () => {
  const id = freshId();
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const nodes = names.map((name) => [
    name,
    { operator: 'http.request', params: { url: 'https://example.org' } },
  ]);
  await stage.putFlow({ format: 1, id, nodes: Object.fromEntries(nodes), edges: [] });
  const flow = await openFlow(stage, id);
  const boxes = await flow.nodes.evaluateAll((all) =>
    all.map((node) => node.getBoundingClientRect().toJSON()),
  );
  expect(boxes).toHaveLength(6);
  for (const [i, box] of boxes.entries())
    for (const other of boxes.slice(i + 1))
      expect(box.bottom <= other.top || other.bottom <= box.top || box.right <= other.left).toBe(true);
});

test('Does axe find nothing in problem badges, empty panels and a selection of everything?', async () => {
  const id = freshId();
  await stage.putFlow({
    format: 1,
    id,
    nodes: {
      start: { operator: 'trigger.manual' },
      off: { operator: 'core.map', params: { value: 1 }, disabled: true },
      lost: { operator: 'core.map' },
    },
    edges: [{ from: 'start.out', to: 'off.in' }],
  });
  const flow = await openFlow(stage, id);
  await flow.page.setViewportSize({ width: 1100, height: 700 });
  const { look, found } = auditOf(flow.page);
  await expect(flow.node('lost').getByRole('button', { name: /\d problems? \(/ })).toBeVisible();
  await look('problem badges');
  for (const tab of ['Log', 'Tests', 'Runs', 'Versions', 'Trigger']) {
    await flow.dock.getByRole('tab', { name: tab }).click();
    await expect(flow.dock.getByRole('tabpanel')).toBeVisible();
    await look(`empty ${tab}`);
  }
  await flow.clickEmpty();
  await flow.key('Mod+a');
  await look('everything selected');
  expect(found).toEqual([]);
});

test('Does a pressed button look pressed where the system chooses the colours?', async () => {
  const { page } = await openRow(stage);
  await page.emulateMedia({ forcedColors: 'active' });
  // Without the share of transparency: what is behind has the same colour.
  const look = (button: Element): string =>
    String(getComputedStyle(button).backgroundColor.match(/\d+/g)?.slice(0, 3));
  const panel = page.getByRole('banner').getByRole('button', { name: /bottom panel/i });
  const before = await panel.getAttribute('aria-pressed');
  const looks = [await panel.evaluate(look)];
  await panel.click();
  await expect(panel).not.toHaveAttribute('aria-pressed', String(before));
  await page.mouse.move(300, 300);
  looks.push(await panel.evaluate(look));
  expect(new Set(looks).size).toBe(2);
});

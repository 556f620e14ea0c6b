import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { codeWith } from '../../editor/support/build.ts';
import { freshId, openRow, rowFlow } from '../../editor/support/fixtures.ts';
import { flowPage } from '../../editor/support/flow-page.ts';
import { useStage } from '../../editor/support/stage.ts';

/** The picker, in which all nodes are. */
const stage = useStage();

describe('The picker', () => {
  test('Does it list purposes beside nodes, and do keys go through both?', async () => {
    const flow = await openRow(stage);
    await flow.clickEmpty();
    await flow.key('n');
    const options = flow.picker.getByRole('option');
    const groups = flow.picker.getByRole('listbox').getByRole('group');
    await expect(groups.first()).toHaveAccessibleName('Common');
    await flow.key('ArrowRight');
    const triggers = flow.picker.getByRole('button', { name: 'Triggers' });
    await expect(triggers).toHaveAttribute('aria-pressed', 'true');
    // Those of services are in groups of their own.
    await expect(groups.first()).toHaveAccessibleName('Triggers');
    await expect(options.first()).toHaveAttribute('data-operator', /^trigger\./);
    await flow.key('ArrowLeft', 'ArrowLeft');
    await expect(flow.picker.getByRole('button', { name: 'Code' })).toHaveAttribute('aria-pressed', 'true');
    await flow.key('ArrowUp');
    await expect(options.last()).toHaveAttribute('aria-selected', 'true');
    const last = await options.last().getAttribute('data-operator');
    await flow.key('Enter');
    await expect(flow.node(last?.split('.').at(-1) ?? '')).toBeVisible();
    await flow.key('Escape', 'n');
    await expect(groups.first(), 'what was used last comes first').toHaveAccessibleName('Last used');
    await expect(options.first()).toHaveAttribute('data-operator', last ?? '');
  });

  test('Does a wire of a list offer first what asks for a list?', async () => {
    const flow = await openRow(stage, undefined, (id) => ({
      flow: {
        format: 1,
        id,
        nodes: { list: { operator: 'core.input', params: { value: [1, 2] } } },
        edges: [],
      },
      layout: { format: 1, nodes: { list: { x: 0, y: 0 } } },
    }));
    await flow.drag(flow.output('list'), await flow.emptySpot(250, 100));
    await expect(flow.picker).toBeVisible();
    const data = flow.picker.getByRole('button', { name: 'Data', exact: true });
    await data.click();
    const first = flow.picker.getByRole('option').first();
    await expect(first).toHaveAttribute(
      'data-operator',
      /^data\.(aggregate|batch|filter|flatten|group|sort|unique)/,
    );
  });

  test('Does a node that is added with another one selected follow it?', async () => {
    const flow = await openRow(stage);
    await flow.select('second');
    await flow.page.getByRole('button', { name: 'Add a node' }).click();
    await flow.page.keyboard.type('log');
    await flow.key('Enter');
    await expect(flow.edge('second.out', 'log.in')).toBeAttached();
  });
});

test.each([
  ['nothing', () => (document.activeElement as HTMLElement).blur()],
  ['the canvas', () => document.querySelector<HTMLElement>('[data-canvas]')?.focus()],
])('Does Escape close it when %s has the focus?', async (_, takeFocus) => {
  const flow = await openRow(stage);
  await flow.clickEmpty();
  await flow.key('n');
  const search = flow.picker.getByRole('combobox');
  await expect(search).toBeFocused();
  await flow.page.evaluate(takeFocus);
  await expect(search).not.toBeFocused();
  await flow.key('Escape');
  await expect(flow.picker).toHaveCount(0);
});

test('Does each operator of ours have its own icon, in the picker and on the canvas?', async () => {
  const flow = await openRow(stage);
  const boxes = 'svg.lucide-box';
  await flow.key('n');
  await expect(flow.picker.locator('[data-operator="text.template"] path').first()).toBeAttached();
  await expect(flow.picker.locator(boxes)).toHaveCount(0);
  await expect(flow.page.locator('.react-flow__node svg').first()).toBeVisible();
  await expect(flow.page.locator(`.react-flow__node ${boxes}`)).toHaveCount(0);
});

test('What is typed, and taken with Enter, before the picker has come goes into it', async () => {
  const id = freshId();
  const { flow: row, layout } = rowFlow(id);
  await stage.putFlow(row, layout);
  const page = await stage.visit('about:blank');
  const held = Promise.withResolvers<void>();
  await page.route(codeWith('Swap for another node'), async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goto(`/flows/${id}`);
  const flow = flowPage(page);
  await flow.ready();
  await flow.select('second');
  await page.getByRole('button', { name: 'Add a node' }).click();
  await expect(page.getByLabel('Search nodes')).toBeFocused();
  await page.keyboard.type('log');
  await flow.key('Enter');
  expect(await flow.ids(), 'no letter was a command').toEqual(['first', 'lone', 'second', 'start']);
  held.resolve();
  await expect(flow.edge('second.out', 'log.in')).toBeAttached();
  await expect(flow.picker).toHaveCount(0);
});

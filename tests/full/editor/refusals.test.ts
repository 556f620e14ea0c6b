import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { freshId, openFlow, openRow, rowFlow } from '../../editor/support/fixtures.ts';
import { middleOf, type Point } from '../../editor/support/flow-page.ts';
import { type FlowLike, useStage } from '../../editor/support/stage.ts';

/** What cannot be is refused where it is tried, in words that are seen and heard. */
const stage = useStage();

describe('A wire', () => {
  test('Is a stream refused by an input that takes a value, with the reason?', async () => {
    const id = freshId();
    const { flow: row, layout } = rowFlow(id);
    const nodes = {
      ...row.nodes,
      items: { operator: 'core.streamify' },
      answer: { operator: 'core.respond' },
    };
    const places = { ...layout.nodes, items: { x: 640, y: 200 }, answer: { x: 960, y: 200 } };
    const flow = await openWith({ ...row, nodes }, { ...layout, nodes: places });
    const reason = flow.canvas.getByText(/stream/i).last();
    await flow.page.mouse.move(...xy(await middleOf(flow.output('items'))));
    await flow.page.mouse.down();
    await flow.page.mouse.move(...xy(await middleOf(flow.input('lone'))), { steps: 8 });
    await expect(flow.input('lone')).toHaveAttribute('data-state', 'refused');
    await expect(reason).toBeVisible();
    await flow.page.mouse.up();
    await expect(flow.edge('items.out', 'lone.in')).toHaveCount(0);
    await flow.heard(/^Not connected\. .*stream/i);
  });

  test('Is a circle refused, by drag and by clicks?', async () => {
    const flow = await openRow(stage);
    await flow.connect(flow.output('first'), flow.input('lone'));
    await flow.drag(flow.output('lone'), flow.input('first'));
    await flow.heard(/^Not connected\. .*(cycle|circle|loop)/i);
    await flow.output('lone').click();
    await flow.input('first').click();
    await expect(flow.canvas.getByText(/cycle|circle|loop/i).first()).toBeVisible();
    await expect(flow.edge('lone.out', 'first.in')).toHaveCount(0);
  });

  test('Is a second wire into an input for one refused?', async () => {
    const flow = await openRow(stage);
    await flow.drag(flow.output('start'), flow.input('second'));
    await flow.heard(/^Not connected\. ./);
    await expect(flow.edges).toHaveCount(3);
  });

  async function openWith(flow: FlowLike, layout: object) {
    await stage.putFlow(flow, layout);
    return openFlow(stage, flow.id);
  }

  function xy({ x, y }: Point): [number, number] {
    return [x, y];
  }
});

describe('A setting', () => {
  test('Is a missing field named at the field and in the list, and does the list lead there?', async () => {
    const flow = await openRow(stage);
    await flow.key('n');
    await flow.picker.locator('[data-operator="text.template"]').last().click();
    await expect(
      flow.node('template').getByRole('button', { name: /\d problems? \(.*error.*\): show$/ }),
    ).toBeVisible();
    await flow.select('lone');
    await flow.dock.getByRole('tab', { name: /^Problems/ }).click();
    const line = flow.dock.getByRole('button', { name: /Template: write a text/ });
    await line.click();
    await expect.poll(flow.selectedIds).toEqual(['template']);
    await expect(flow.field('params.template').locator('.cm-content')).toBeFocused();
    await expect(flow.field('params.template')).toContainText('Write a text.');
    await flow.page.keyboard.insertText('Here');
    await expect(line).toHaveCount(0);
  });

  test('Does saving with a problem keep the work as a draft and leave the live version alone?', async () => {
    const flow = await openRow(stage);
    const id = flow.id();
    const before = stage.liveText(id);
    await flow.select('first');
    await flow.write('params.template', '{{ input.name');
    await flow.save();
    await expect(flow.field('params.template').getByLabel('Error').first()).toBeVisible();
    await expect(flow.page.getByRole('button', { name: 'Publish', exact: true })).toBeDisabled();
    expect(stage.liveText(id)).toBe(before);
    await flow.page.reload();
    await flow.ready();
    await flow.select('first');
    await expect(flow.field('params.template')).toContainText('{{ input.name');
  });

  test('Can a problem be mended by its button, and undone?', async () => {
    const id = freshId();
    const { flow: row, layout } = rowFlow(id);
    const first = { operator: 'text.tempalte', params: { template: 'Hello' } };
    await stage.putFlow({ ...row, nodes: { ...row.nodes, first } }, layout);
    const flow = await openFlow(stage, id);
    await flow.dock.getByRole('tab', { name: /^Problems/ }).click();
    const line = flow.dock.getByRole('listitem').filter({ hasText: 'text.tempalte' });
    await expect(line).toBeVisible();
    await line.getByRole('button').last().click();
    await expect(line).toHaveCount(0);
    await expect(flow.node('first')).toContainText('Template');
    await flow.clickEmpty();
    await flow.key('Mod+z');
    await expect(line).toBeVisible();
  });

  test('Is a path that another flow has refused before anything is saved?', async () => {
    const other = await openRow(stage);
    const flow = await openRow(stage);
    await flow.select('start');
    await flow.field('params.path').getByRole('textbox').fill(`/${other.id()}`);
    await flow.dock.getByRole('tab', { name: /^Problems/ }).click();
    await expect(flow.dock.getByRole('button', { name: new RegExp(other.id()) }).first()).toBeVisible();
  });
});

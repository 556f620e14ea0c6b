import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { freshId, lineFlow, openRow, openTab } from '../../editor/support/fixtures.ts';
import type { FlowPage } from '../../editor/support/flow-page.ts';
import { useStage } from '../../editor/support/stage.ts';

/** A flow that is open while it is changed in another tab or on disk. */
const stage = useStage();

async function edit(flow: FlowPage, text: string): Promise<void> {
  await flow.select('first');
  await flow.write('params.template', text);
}

describe('Changes made elsewhere', () => {
  const textOf = (flow: FlowPage): string => stage.fileText(flow.id());

  test('Does a tab without edits follow another one, and a file changed on disk?', async () => {
    const flow = await openRow(stage, freshId(), lineFlow);
    await flow.select('first');
    const other = await openTab(flow.page, `/flows/${flow.id()}`);
    await edit(other, 'From the other tab');
    await other.publish();
    await expect(flow.field('params.template')).toContainText('From the other tab');
    await flow.saved();
    const file = join(stage.server.flows, `${flow.id()}.json`);
    writeFileSync(file, stage.fileText(flow.id()).replace('From the other tab', 'From the disk'));
    await expect(flow.field('params.template')).toContainText('From the disk');
  });

  test('Are edits of different nodes merged by both tabs, without a question?', async () => {
    const flow = await openRow(stage, freshId(), lineFlow);
    await flow.saveByHand();
    await flow.select('second');
    await flow.write('params.template', 'Mine');
    const other = await openTab(flow.page, `/flows/${flow.id()}`);
    await edit(other, 'Theirs');
    await other.save();
    await flow.page.bringToFront();
    await expect(
      flow.page.getByText('This flow was changed elsewhere; the changes were applied here'),
    ).toBeVisible();
    await flow.save();
    await expect.poll(() => textOf(flow)).toMatch(/Theirs[\s\S]*Mine/);
    await other.page.bringToFront();
    await other.select('second');
    await expect(other.field('params.template')).toContainText('Mine');
  });

  test('Is only what both changed asked for, by node and field, and does the choice hold?', async () => {
    const flow = await openRow(stage, freshId(), lineFlow);
    await flow.saveByHand();
    const other = await openTab(flow.page, `/flows/${flow.id()}`);
    await flow.page.bringToFront();
    await edit(flow, 'Mine');
    await flow.select('second');
    await flow.write('params.template', 'Only mine');
    await other.page.bringToFront();
    await edit(other, 'Theirs');
    await other.save();
    await flow.page.bringToFront();
    await flow.page.getByRole('button', { name: 'Compare' }).click();
    const dialog = flow.page.getByRole('dialog', { name: 'This flow was changed elsewhere' });
    const clashes = dialog.getByRole('list', { name: 'Changed on both sides' }).getByRole('listitem');
    await expect(clashes).toHaveCount(1);
    await expect(clashes).toContainText('params.template');
    await clashes.getByRole('button', { name: 'Theirs' }).click();
    await dialog.getByRole('button', { name: 'Merge', exact: true }).click();
    await flow.save();
    await expect.poll(() => textOf(flow)).toMatch(/Theirs[\s\S]*Only mine/);
  });
});

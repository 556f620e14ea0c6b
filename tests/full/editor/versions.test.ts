import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { openRow } from '../../editor/support/fixtures.ts';
import type { FlowPage } from '../../editor/support/flow-page.ts';
import { useStage } from '../../editor/support/stage.ts';

/** Versions of a flow: seen, named, compared, restored. */
const stage = useStage();

/** A flow of two versions: the second has no `second`, and another text in `first`. */
async function twoVersions(): Promise<FlowPage> {
  const flow = await openRow(stage);
  await flow.select('second');
  await flow.key('Delete');
  await flow.select('first');
  await flow.write('params.template', 'Bye {{ input.name }}');
  await flow.publish();
  await flow.dock.getByRole('tab', { name: 'Versions' }).click();
  await expect(versions(flow)).toHaveCount(2);
  return flow;
}

const versions = (flow: FlowPage) => flow.dock.locator('tbody tr');
const banner = (flow: FlowPage) =>
  flow.page
    .getByRole('status')
    .filter({ has: flow.page.getByRole('button', { name: 'Back to the current flow' }) });

async function choose(flow: FlowPage, row: 'first' | 'last', entry: string): Promise<void> {
  const at = row === 'first' ? versions(flow).first() : versions(flow).last();
  await at.getByRole('button', { name: /^Actions for version/ }).click();
  await flow.page.getByRole('menuitem', { name: entry }).click();
}

describe('The versions of a flow', () => {
  test('Is an old one drawn to be looked at and not changed, and does its name stay?', async () => {
    const flow = await twoVersions();
    await expect(versions(flow).first()).toContainText('live');
    await expect(versions(flow).first()).toContainText('v2');
    await expect(versions(flow).first()).toContainText('1 node changed, 1 removed');
    await choose(flow, 'last', 'Label…');
    const dialog = flow.page.getByRole('dialog');
    await dialog.getByLabel('Label').fill('the first one');
    await dialog.getByRole('button', { name: 'Set the label' }).click();
    await versions(flow).last().getByRole('button', { name: 'the first one', exact: true }).click();
    await expect(banner(flow)).toContainText('Version the first one');
    await expect(flow.node('second')).toBeVisible();
    await flow.canvas.focus();
    await flow.key('Mod+a', 'Delete');
    await flow.heard(/past state of the flow is shown/);
    await expect(flow.node('second')).toBeVisible();
    await banner(flow).getByRole('button', { name: 'Back to the current flow' }).click();
    await expect(flow.node('second')).toHaveCount(0);
    await flow.page.reload();
    await expect(versions(flow).last()).toContainText('the first one');
  });

  test('Are two versions compared on the canvas and in words, also with what is not saved yet?', async () => {
    const flow = await twoVersions();
    await choose(flow, 'first', 'What this version changed');
    await expect(flow.node('second').locator('[data-mark]')).toHaveText('removed');
    await expect(flow.node('first').locator('[data-mark]')).toHaveText('changed');
    await expect(flow.node('lone').locator('[data-mark]')).toHaveCount(0);
    await expect(flow.edge('first.out', 'second.in').locator('path.weft-edge')).toHaveAttribute(
      'data-mark',
      'removed',
    );
    const changes = flow.dock.getByRole('region', { name: 'Changes' });
    await expect(changes).toContainText('params.template');
    await expect(changes).toContainText('Hello {{ input.name }}');
    await expect(changes).toContainText('Bye {{ input.name }}');
    await banner(flow).getByRole('button', { name: 'Back to the current flow' }).click();
    await expect(flow.page.locator('[data-mark]')).toHaveCount(0);

    await flow.select('lone');
    await flow.key('Delete');
    await flow.dock.getByRole('button', { name: 'What is not live yet' }).click();
    await expect(flow.node('lone').locator('[data-mark]')).toHaveText('removed');
    await expect(banner(flow)).toContainText('2 changes');
  });

  test('Is a version restored, live at once, and taken back by undo?', async () => {
    const flow = await twoVersions();
    await choose(flow, 'last', 'Restore');
    await expect(flow.node('second')).toBeVisible();
    await flow.saved();
    await expect.poll(() => stage.fileText(flow.id())).toContain('Hello');
    await expect(versions(flow).first()).toContainText('live');
    const toast = flow.page.getByRole('dialog').filter({ hasText: 'is restored and live' });
    await toast.getByRole('button', { name: 'Undo' }).click();
    await expect(flow.node('second')).toHaveCount(0);
    await expect.poll(() => stage.fileText(flow.id())).toContain('Bye');
  });
});

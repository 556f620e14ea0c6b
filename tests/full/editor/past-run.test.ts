import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { call } from '../../support/client.ts';
import { openRow } from '../../editor/support/fixtures.ts';
import type { FlowPage } from '../../editor/support/flow-page.ts';
import { useStage } from '../../editor/support/stage.ts';

/** A run that is opened later is drawn on what it ran, whatever the flow has become. */
const stage = useStage();

const callIt = (flow: FlowPage) => call(stage.server, `/${flow.id()}`);

/** A flow that has run, was changed (its last node is gone, its first one says something else) and has run again. */
async function changedFlow(): Promise<FlowPage> {
  const flow = await openRow(stage);
  await callIt(flow);
  await expect(flow.status('second')).toHaveText(/^OK/);
  await flow.select('second');
  await flow.key('Delete');
  await flow.select('first');
  await flow.write('params.template', 'Bye {{ input.name }}');
  await flow.publish();
  await callIt(flow);
  await flow.dock.getByRole('tab', { name: 'Runs' }).click();
  await expect(flow.dock.locator('tr[data-run]')).toHaveCount(2);
  return flow;
}

const openOldest = (flow: FlowPage) => flow.dock.locator('tr[data-run]').last().getByRole('button').click();

const banner = (flow: FlowPage) => flow.page.getByRole('status').filter({ hasText: 'The flow as it was' });

describe('A past run', () => {
  test('Is it drawn on the version that ran, to be looked at and not changed, with a way back?', async () => {
    const flow = await changedFlow();
    await openOldest(flow);
    await expect(banner(flow)).toBeVisible();
    await expect(flow.status('second')).toHaveText(/^OK/);
    await flow.select('first');
    await expect(flow.field('params.template').locator('.cm-content')).toHaveText('Hello {{ input.name }}');

    await flow.field('params.template').locator('.cm-content').click();
    await flow.page.keyboard.type('x');
    await expect(flow.field('params.template').locator('.cm-content')).toHaveText('Hello {{ input.name }}');
    await expect(flow.inspector.getByLabel('Name of the node')).toBeDisabled();
    // By the keyboard: the map lies over the place where it would be clicked.
    await flow.node('second').focus();
    await flow.key('Space');
    await expect.poll(flow.selectedIds).toEqual(['second']);
    await flow.key('Delete');
    await flow.heard(/past state of the flow is shown/);
    await expect(flow.node('second')).toBeVisible();
    await flow.drag(flow.output('second'), flow.input('lone'));
    await expect(flow.edge('second.out', 'lone.in')).toHaveCount(0);
    await expect(flow.page.getByRole('button', { name: 'Undo' })).toBeDisabled();

    await banner(flow).getByRole('button', { name: 'Show on current flow' }).click();
    await expect(banner(flow)).toHaveCount(0);
    await expect(flow.node('second')).toHaveCount(0);
    await expect(flow.status('first')).toHaveText(/^OK/);

    await openOldest(flow);
    await banner(flow).getByRole('button', { name: 'Back to the current flow' }).click();
    await expect(flow.node('second')).toHaveCount(0);
    await flow.key('Mod+z');
    await expect.poll(flow.ids).toContain('first');
    await flow.select('first');
    await expect(flow.field('params.template').locator('.cm-content')).toHaveText('Hello {{ input.name }}');
  });

  test('Are unsaved edits kept and saved while a past state is shown, and is a run on the same state no past?', async () => {
    const flow = await changedFlow();
    await flow.dock.locator('tr[data-run]').first().getByRole('button').click();
    await expect(flow.page.getByRole('button', { name: 'Back to live' }).first()).toBeVisible();
    await expect(banner(flow)).toHaveCount(0);
    await flow.select('first');
    await flow.write('params.template', 'Not saved yet');
    await openOldest(flow);
    await expect(banner(flow)).toBeVisible();
    await flow.save();
    expect(stage.fileText(flow.id())).toContain('Not saved yet');
    await expect(banner(flow)).toBeVisible();

    await flow.dock.locator('tr[data-run]').first().getByRole('button').click();
    await flow.dock.getByRole('link', { name: 'Compare with the run before' }).click();
    await expect(flow.page.getByRole('heading', { name: 'Two runs compared' })).toBeVisible();
    await expect(flow.page.getByText('of different versions')).toBeVisible();
  });

  test('Does a link to a past run open it as it was?', async () => {
    const flow = await changedFlow();
    await openOldest(flow);
    await expect(banner(flow)).toBeVisible();
    await expect(flow.page).toHaveURL(/\?run=/);
    await flow.page.reload();
    await expect(banner(flow)).toBeVisible();
    await expect(flow.status('second')).toHaveText(/^OK/);
  });
});

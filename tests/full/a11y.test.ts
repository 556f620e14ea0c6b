import { expect } from '../support/expect.ts';
import { test } from 'vitest';
import { call } from '../support/client.ts';
import { type Audit, auditOf } from '../editor/support/audit.ts';
import { freshId, openTab, rowFlow } from '../editor/support/fixtures.ts';
import { type FlowPage, flowPage } from '../editor/support/flow-page.ts';
import { prepareService, serviceScenes } from '../editor/support/service-scenes.ts';
import { useOwnStage } from '../editor/support/stage.ts';

/** What axe finds of WCAG 2.2 A and AA on every screen, panel and dialog: nothing. */
const stage = useOwnStage();

/** They look at a dozen states each, which takes its time on a busy machine. */
const LONG_MS = 300_000;
const INSPECTOR = 'aside[aria-label="Inspector"]';
const DOCK = 'section[aria-label="Bottom panel"]';

test('Does axe find nothing on the list of flows?', async () => {
  const page = await stage.visit('/');
  const { look, found } = auditOf(page);
  const isEmpty = await page.getByRole('button', { name: 'Create the first flow' }).isVisible();
  if (isEmpty) await look('no flows');
  const id = freshId();
  await stage.putFlow(rowFlow(id).flow);
  await stage.putFlow({
    ...rowFlow(freshId()).flow,
    nodes: { lost: { operator: 'core.map' } },
    edges: [],
  });
  await page.reload();
  await expect(page.getByRole('link', { name: id })).toBeVisible();
  await look('list of flows');
  await page.getByRole('button', { name: 'New flow' }).click();
  await expect(page.getByRole('dialog', { name: 'New flow' })).toBeVisible();
  await look('new flow');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: `Actions for ${id}` }).click();
  await expect(page.getByRole('menu')).toBeVisible();
  await look('menu of a flow');
  await page.getByRole('menuitem', { name: /Rename/ }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await look('rename');
  await page.keyboard.press('Escape');
  await page
    .getByRole('button', { name: /problem/ })
    .first()
    .click();
  await expect(page.getByRole('dialog', { name: /^Problems of/ })).toBeVisible();
  await look('problems of a flow');
  expect(found).toEqual([]);
});

test('Does axe find nothing on the secrets?', async () => {
  await stage.owner.data('PUT', '/secrets/api_token', { value: 'x', grants: { hosts: ['a.org'] } });
  await stage.owner.data('PUT', '/secrets/other', { value: 'x', grants: {} });
  const page = await stage.visit('/secrets');
  const { look, found } = auditOf(page);
  await expect(page.getByRole('button', { name: 'Actions for other' })).toBeVisible();
  await look('list of secrets');
  await page.getByRole('button', { name: 'New secret' }).click();
  await expect(page.getByRole('dialog', { name: 'New secret' })).toBeVisible();
  await look('new secret');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Actions for other' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await expect(page.getByRole('dialog', { name: /^Delete the secret/ })).toBeVisible();
  await look('deleting a secret');
  expect(found).toEqual([]);
});

test('Does axe find nothing in the panels of the editor?', { timeout: LONG_MS }, async () => {
  const { flow, look, found } = await openAudited();
  await look('nothing selected');
  await flow.select('first');
  for (const tab of ['Settings', 'Input', 'Output', 'Docs']) {
    await flow.tab(tab).click();
    await look(`inspector, ${tab}, no run`, INSPECTOR);
  }
  for (const tab of ['Log', 'Runs', 'Trigger', 'Problems']) {
    await flow.dock.getByRole('tab', { name: tab }).click();
    await look(`dock, ${tab}, no run`, DOCK);
  }
  await call(stage.server, `/${flow.id()}?name=Ada`);
  await expect(flow.status('second')).toHaveText(/^OK/);
  for (const tab of ['Input', 'Output']) {
    await flow.tab(tab).click();
    await look(`inspector, ${tab}`, INSPECTOR);
  }
  for (const tab of ['Log', 'Runs', 'Trigger']) {
    await flow.dock.getByRole('tab', { name: tab }).click();
    await look(`dock, ${tab}`, DOCK);
  }
  await flow.dock.getByRole('button', { name: 'Send' }).click();
  await expect(flow.dock.getByRole('region', { name: 'Answer', exact: true })).toContainText('200');
  await look('answer', DOCK);
  await flow.tab('Settings').click();
  await flow.write('params.template', '{{ nope.nope }}');
  await flow.dock.getByRole('tab', { name: 'Problems' }).click();
  await expect(flow.dock.getByRole('button', { name: /nope/ })).toBeVisible();
  await look('problems', DOCK);
  await flow.select('start');
  await look('settings of the trigger', INSPECTOR);
  await flow.clickEmpty();
  await flow.key('Shift+S');
  await flow.page.getByLabel('Text of the note, in Markdown').fill('# Note');
  await flow.key('Escape');
  await look('note');
  expect(found).toEqual([]);
});

test('Does axe find nothing where a past run is shown as it was?', async () => {
  const { flow, look, found } = await openAudited();
  await call(stage.server, `/${flow.id()}?name=Ada`);
  await expect(flow.status('second')).toHaveText(/^OK/);
  await flow.select('first');
  await flow.write('params.template', 'Changed');
  await flow.publish();
  await flow.dock.getByRole('tab', { name: 'Runs' }).click();
  await flow.dock.locator('tr[data-run]').last().getByRole('button').click();
  await expect(flow.page.getByText('The flow as it was')).toBeVisible();
  await flow.select('first');
  await look('a past run');
  expect(found).toEqual([]);
});

test('Does axe find nothing in dialogs and menus?', { timeout: LONG_MS }, async () => {
  const { flow, look, found } = await openAudited();
  const overlays: readonly [keys: string, name: RegExp][] = [
    ['Mod+k', /All commands/],
    ['?', /Keyboard shortcuts/],
    ['n', /Add a node/],
    ['Mod+f', /Find a node/],
    ['F2', /Rename/],
    ['c', /Connect/],
    ['Mod+Shift+Enter', /Run with input/],
  ];
  for (const [keys, name] of overlays) {
    await flow.select('second');
    await flow.key(keys);
    const dialog = flow.page.getByRole('dialog', { name });
    await expect(dialog).toBeVisible();
    await look(String(name));
    await flow.key('Escape');
    await expect(dialog).toHaveCount(0);
  }
  await flow.node('first').click({ button: 'right', position: { x: 60, y: 12 } });
  await expect(flow.page.getByRole('menu')).toBeVisible();
  await look('menu of a node');
  await flow.key('Escape');
  await makeConflict(flow);
  await look('conflict');
  await flow.page.getByRole('button', { name: 'Decide later' }).click();
  await flow.page.getByRole('link', { name: 'All flows' }).click();
  await expect(flow.page.getByRole('dialog', { name: /^Leave/ })).toBeVisible();
  await look('leaving');
  expect(found).toEqual([]);
});

test('Does axe find nothing on the screens of the service?', { timeout: LONG_MS }, async () => {
  await prepareService(stage.owner);
  const page = await stage.visit('/');
  const { look, found } = auditOf(page);
  await serviceScenes({ page, shoot: look });
  expect(found).toEqual([]);
});

async function openAudited(): Promise<Audit & { flow: FlowPage }> {
  const id = freshId();
  const { flow: row, layout } = rowFlow(id);
  const { lone: _, ...nodes } = row.nodes;
  const edges = row.edges.filter(({ to }) => to !== 'lone.in');
  await stage.putFlow({ ...row, nodes, edges }, layout);
  const flow = flowPage(await stage.visit(`/flows/${id}`));
  await flow.ready();
  return { flow, ...auditOf(flow.page) };
}

async function makeConflict(flow: FlowPage): Promise<void> {
  await flow.saveByHand();
  const other = await openTab(flow.page, `/flows/${flow.id()}`);
  await flow.page.bringToFront();
  await flow.select('first');
  await flow.write('params.template', 'Mine');
  await other.page.bringToFront();
  await other.select('first');
  await other.key('Delete');
  await other.save();
  await flow.page.bringToFront();
  await flow.key('Mod+s');
  await expect(flow.page.getByRole('dialog', { name: /changed elsewhere/ })).toBeVisible();
}

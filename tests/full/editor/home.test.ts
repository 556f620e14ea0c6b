import { text as textOf } from 'node:stream/consumers';
import type { Locator, Page } from '@playwright/test';
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { call } from '../../support/client.ts';
import { freshId, lineFlow } from '../../editor/support/fixtures.ts';
import { flowPage } from '../../editor/support/flow-page.ts';
import { useOwnStage } from '../../editor/support/stage.ts';

/** What is done to flows from the list of them, which shows the first 200. */
const stage = useOwnStage();

const rowOf = (page: Page, id: string): Locator =>
  page.getByRole('row').filter({ has: page.getByText(`${id}.json`, { exact: true }) });

/** Home, with a flow of its own in the list; its menu is opened by `choose`. */
async function home(): Promise<{
  page: Page;
  id: string;
  row: Locator;
  choose(entry: string): Promise<void>;
}> {
  const id = freshId();
  const { flow, layout } = lineFlow(id);
  await stage.putFlow(flow, layout);
  const page = await stage.visit('/');
  const row = rowOf(page, id);
  await expect(row).toBeVisible();
  return {
    page,
    id,
    row,
    choose: async (entry) => {
      await row.getByRole('button', { name: `Actions for ${id}` }).click();
      await page.getByRole('menuitem', { name: entry }).click();
    },
  };
}

describe('The list of flows', () => {
  test('Does renaming change the name in file and list, and nothing else?', async () => {
    const { page, id, row, choose } = await home();
    await choose('Rename…');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Greets <everyone>');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await expect(row.getByRole('link').first()).toHaveText('Greets <everyone>');
    const saved = JSON.parse(stage.fileText(id)) as { name: string; nodes: object };
    expect(saved).toMatchObject({ id, name: 'Greets <everyone>', nodes: lineFlow(id).flow.nodes });
  });

  test('Is a duplicate a draft of its own beside the first one, drawn alike, and live once published?', async () => {
    const { page, id, choose } = await home();
    await choose('Duplicate…');
    const dialog = page.getByRole('dialog');
    await expect(dialog.getByLabel('Id')).toHaveValue(`${id}_copy`);
    await dialog.getByRole('button', { name: 'Duplicate' }).click();
    const copy = rowOf(page, `${id}_copy`);
    await expect(copy).toContainText('Not published');
    const { data } = (await stage.owner.api('GET', `/flows/${id}_copy`)).body as {
      data: { layout: object; revision: string; triggers: { path: string }[] };
    };
    expect(data.layout).toMatchObject(lineFlow(id).layout);
    const path = data.triggers[0]?.path ?? '';
    expect(path).not.toBe(`/${id}`);
    expect((await call(stage.server, `${path}?name=Bo`)).status).toBe(404);
    await stage.owner.data('POST', `/flows/${id}_copy/publish`, { revision: data.revision });
    expect((await call(stage.server, `${path}?name=Bo`)).text).toContain('Hello Bo!');
  });

  test('Is the exported file the flow itself, and can it be imported again?', async () => {
    const { page, id, choose } = await home();
    const [download] = await Promise.all([page.waitForEvent('download'), choose('Export as a file')]);
    expect(download.suggestedFilename()).toBe(`${id}.json`);
    const text = await textOf(await download.createReadStream());
    expect(text).toBe(stage.fileText(id));
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: `${id}.json`, mimeType: 'application/json', buffer: Buffer.from(text) });
    await expect.poll(async () => (await stage.owner.api('GET', `/flows/${id}_2`)).status).toBe(200);
  });

  test('Does undo bring a deleted flow back as it was, live and with its places?', async () => {
    const { page, id, row, choose } = await home();
    await choose('Delete…');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByText(`“${id}” was deleted.`).first()).toBeVisible();
    await expect(row).toHaveCount(0);
    expect((await call(stage.server, `/${id}`)).status).toBe(404);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(row).toContainText('Live');
    expect((await call(stage.server, `/${id}?name=Bo`)).text).toContain('Hello Bo!');
    const { data } = (await stage.owner.api('GET', `/flows/${id}`)).body as { data: { layout: object } };
    expect(data.layout).toMatchObject(lineFlow(id).layout);
  });

  test('Is the editor’s own export the flow as it is drawn, unsaved edits included?', async () => {
    const { page, id, row } = await home();
    await row.getByRole('link').first().click();
    const flow = flowPage(page);
    await flow.ready();
    await flow.select('first');
    await flow.write('params.template', 'Only here');
    await page.getByRole('button', { name: 'More', exact: true }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export as a file' }).click(),
    ]);
    expect(await textOf(await download.createReadStream())).toContain('Only here');
    expect(stage.liveText(id)).not.toContain('Only here');
  });
});

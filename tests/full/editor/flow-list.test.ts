import { buffer } from 'node:stream/consumers';
import type { Locator, Page } from '@playwright/test';
import { unzipSync } from 'fflate';
import { describe, test } from 'vitest';
import { call } from '../../support/client.ts';
import { expect } from '../../support/expect.ts';
import { auditOf } from '../../editor/support/audit.ts';
import { freshId, lineFlow } from '../../editor/support/fixtures.ts';
import { useOwnStage } from '../../editor/support/stage.ts';

/** Order among many flows: folders, tags, favourites, bulk actions, and what is known of their runs. */
const stage = useOwnStage();

const rowOf = (page: Page, id: string): Locator =>
  page.getByRole('row').filter({ has: page.getByText(`${id}.json`, { exact: true }) });

async function some(count: number, more: object = {}): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const id = freshId();
    const { flow, layout } = lineFlow(id);
    await stage.putFlow({ ...flow, ...more }, layout);
    ids.push(id);
  }
  return ids;
}

const savedAs = (id: string) => JSON.parse(stage.liveText(id)) as { folder?: string; tags?: string[] };

async function select(page: Page, ids: readonly string[]): Promise<Locator> {
  for (const id of ids) await rowOf(page, id).getByRole('checkbox').check();
  const bar = page.getByRole('group', { name: 'Selected flows' });
  await expect(bar).toContainText(`${ids.length} flow`);
  return bar;
}

describe('Folders, tags and favourites', () => {
  test('Are several flows moved and tagged at once, in their files, and does the list narrow to them?', async () => {
    const [one = '', two = '', other = ''] = await some(3);
    const folder = `Sales ${one}`;
    const page = await stage.visit('/');
    const bar = await select(page, [one, two]);
    await bar.getByRole('button', { name: 'Move…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Folder').fill(`${folder}/Orders`);
    await page.keyboard.press('Tab');
    await dialog.getByRole('button', { name: 'Move' }).click();
    await expect(dialog).toHaveCount(0);
    await expect.poll(() => savedAs(two).folder).toBe(`${folder}/Orders`);
    expect(savedAs(one).folder).toBe(`${folder}/Orders`);
    await bar.getByRole('button', { name: 'Tag…' }).click();
    await dialog.getByLabel('New tags').fill(`${one}, eu`);
    await page.keyboard.press('Tab');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(dialog).toHaveCount(0);
    expect(savedAs(two).tags).toEqual([one, 'eu']);
    await bar.getByRole('button', { name: 'Clear the selection' }).click();
    await page.getByRole('button', { name: 'Folder', exact: true }).click();
    await page.getByRole('menuitem', { name: `${folder} (2)` }).click();
    await expect(rowOf(page, two)).toBeVisible();
    await expect(rowOf(page, other)).toHaveCount(0);
    await page.reload();
    await expect(rowOf(page, one)).toBeVisible();
    await expect(rowOf(page, other)).toHaveCount(0);
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.getByRole('button', { name: 'Tag', exact: true }).click();
    await page.getByRole('menuitem', { name: `${one} (2)` }).click();
    await expect(rowOf(page, one)).toContainText('eu');
    await expect(rowOf(page, other)).toHaveCount(0);
    // What is live answers as before.
    expect((await call(stage.server, `/${one}?name=Bo`)).text).toContain('Hello Bo!');
  });

  test('Does a folder that cannot be one say so before anything is saved?', async () => {
    const [id = ''] = await some(1);
    const page = await stage.visit('/');
    await rowOf(page, id)
      .getByRole('button', { name: /^Actions/ })
      .click();
    await page.getByRole('menuitem', { name: 'Move to a folder…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Folder').fill('/Sales//');
    await page.keyboard.press('Tab');
    await expect(dialog).toContainText('Write names with / between them');
    await expect(dialog.getByRole('button', { name: 'Move' })).toBeDisabled();
  });

  test('Are favourites this person’s own, and remembered?', async () => {
    const [id = '', other = ''] = await some(2);
    const page = await stage.visit('/');
    await page.getByRole('button', { name: `Favourite: ${id}` }).click();
    await page.getByRole('button', { name: /^Favourites/ }).click();
    await expect(rowOf(page, id)).toBeVisible();
    await expect(rowOf(page, other)).toHaveCount(0);
    await page.reload();
    await expect(page.getByRole('button', { name: `Favourite: ${id}` })).toHaveAttribute(
      'aria-pressed',
      'true',
    );
    expect(stage.liveText(id)).not.toContain('favourite');
  });
});

describe('Many at once', () => {
  test('Are drafts published together, and is the one that cannot be told with its reason?', async () => {
    const [fine, wrong] = [freshId(), freshId()];
    for (const id of [fine, wrong]) {
      const { flow } = lineFlow(id);
      await stage.owner.data('POST', '/flows', { id, flow, mode: 'draft' });
    }
    const { revision } = await stage.owner.data<{ revision: string }>('GET', `/flows/${wrong}`);
    const broken = { ...lineFlow(wrong).flow, edges: [{ from: 'first.out', to: 'none.in' }] };
    await stage.owner.data('PUT', `/flows/${wrong}`, { flow: broken, revision, mode: 'draft' });
    const page = await stage.visit('/');
    const bar = await select(page, [fine, wrong]);
    await bar.getByRole('button', { name: /^Publish/ }).click();
    const refused = page.getByRole('dialog', { name: '1 flow could not be published' });
    await expect(refused).toContainText(wrong);
    await page.keyboard.press('Escape');
    await expect(rowOf(page, fine)).toContainText('Live');
    await expect(rowOf(page, wrong)).toContainText('Not published');
  });

  test('Is the export of several flows one file, which can be imported again?', async () => {
    const ids = await some(2);
    const page = await stage.visit('/');
    const bar = await select(page, ids);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      bar.getByRole('button', { name: 'Export' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('flows.zip');
    const bytes = await buffer(await download.createReadStream());
    const files = unzipSync(new Uint8Array(bytes));
    const text = new TextDecoder().decode(files[`${ids[0]}.json`]);
    expect(text).toBe(stage.liveText(ids[0] ?? ''));
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'flows.zip', mimeType: 'application/zip', buffer: bytes });
    for (const id of ids) {
      const status = async () => (await stage.owner.api('GET', `/flows/${id}_2`)).status;
      await expect.poll(status).toBe(200);
    }
  });
});

test('74. Does a deletion say who uses the flow, and is it undone with all of them?', async () => {
  const [used = '', second = ''] = await some(2);
  const caller = freshId();
  await stage.putFlow({
    format: 1,
    id: caller,
    name: 'Calls the used one',
    nodes: {
      ask: { operator: 'trigger.http', params: { path: `/${caller}`, auth: 'none' } },
      then: { operator: 'flow.call', params: { flow: used } },
    },
    edges: [{ from: 'ask.out', to: 'then.in' }],
  });
  const page = await stage.visit('/');
  const bar = await select(page, [used, second]);
  await bar.getByRole('button', { name: 'Delete…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete 2 flows?' });
  await expect(dialog).toContainText(`/${used}`);
  const users = dialog.getByRole('region', { name: 'Used by' });
  await expect(users.getByRole('link', { name: 'Calls the used one' })).toBeVisible();
  await expect(users).toContainText('calls it, and fails without it');
  const { look, found } = auditOf(page);
  await look('deleting flows');
  expect(found).toEqual([]);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  expect((await call(stage.server, `/${used}?name=Bo`)).status).toBe(200);
  await bar.getByRole('button', { name: 'Delete…' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByText('2 flows were deleted.').first()).toBeVisible();
  expect((await call(stage.server, `/${used}`)).status).toBe(404);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(rowOf(page, used)).toContainText('Live');
  await expect(rowOf(page, second)).toContainText('Live');
});

test('Does a row tell how the runs of a day ended, and when a schedule starts next?', async () => {
  const id = freshId();
  await stage.putFlow({
    format: 1,
    id,
    nodes: {
      clock: { operator: 'trigger.schedule', params: { cron: '0 4 * * *' } },
      ask: { operator: 'trigger.http', params: { path: `/${id}`, auth: 'none' } },
      say: { operator: 'text.template', params: { template: '{{ input.n }}' } },
    },
    edges: [{ from: 'ask.out', to: 'say.in' }],
  });
  for (const query of ['?n=1', '?n=2', '?n=3', '']) await call(stage.server, `/${id}${query}`);
  const page = await stage.visit('/', { viewport: { width: 1700, height: 900 } });
  const row = rowOf(page, id);
  await expect(row.getByRole('img', { name: '4 runs in 24 hours, 1 failed' })).toBeVisible();
  await expect(row).toContainText('75 %');
  await expect(row).toContainText(/in \d+ hr|tomorrow|in \d+ min|soon/);
});

test('Are rows of one line 36 px high, and those of two 44?', async () => {
  const [id = ''] = await some(1);
  const page = await stage.visit('/');
  const row = page.getByRole('row').filter({ has: page.locator(`a[href="/flows/${id}"]`) });
  const height = async () => Math.round((await row.boundingBox())?.height ?? 0);
  await expect.poll(height).toBeGreaterThanOrEqual(44);
  expect(await height()).toBeLessThanOrEqual(46);
  await page.getByRole('button', { name: 'Compact rows' }).click();
  await expect.poll(height).toBeLessThanOrEqual(37);
  await page.reload();
  await expect.poll(height).toBeLessThanOrEqual(37);
});

test('81. Do the rows of every list get lower without a reload, from the menu of looks?', async () => {
  const page = await stage.visit('/audit');
  const row = page.getByRole('row').nth(1);
  const height = async () => Math.round((await row.boundingBox())?.height ?? 0);
  await expect.poll(height).toBeGreaterThanOrEqual(40);
  await page.getByRole('button', { name: 'Theme' }).click();
  await page.getByRole('menuitem', { name: 'Compact rows' }).click();
  await expect.poll(height).toBeLessThanOrEqual(36);
});

test('Does a record that cannot be read cost only itself, and is that said?', async () => {
  const [id = ''] = await some(1);
  const page = await stage.visit('/chat');
  await page.route('**/api/v1/flows', async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { data: { id: string; state: string }[] };
    const strange = { ...body.data[0], id: 'strange', name: 'Strange one', state: 'asleep' };
    await route.fulfill({ response, json: { ...body, data: [...body.data, strange] } });
  });
  await page.goto('/');
  await expect(page.getByText(`${id}.json`)).toBeVisible();
  await expect(page.getByText('1 record from the server cannot be read and is left out')).toContainText(
    'Strange one',
  );
});

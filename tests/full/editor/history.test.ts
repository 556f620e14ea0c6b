import type { Page } from '@playwright/test';
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { call } from '../../support/client.ts';
import { httpTrigger } from '../../support/flows.ts';
import { freshId } from '../../editor/support/fixtures.ts';
import { useOwnStage } from '../../editor/support/stage.ts';

/** The history of all flows: found, opened as it was, compared, deleted; new runs come by themselves. */
const stage = useOwnStage();

/** A flow that says hello, or fails where nobody is named. */
async function putHello(id = freshId()): Promise<string> {
  await stage.putFlow({
    format: 1,
    id,
    settings: { record: 'full' },
    nodes: {
      start: httpTrigger(`/${id}`, {
        request: { type: 'object', properties: { name: { type: 'string', default: '' } } },
      }),
      named: { operator: 'logic.assert', params: { condition: '{{ input.name }}' } },
      hello: { operator: 'text.template', params: { template: 'Hello {{ input.name }}' } },
    },
    edges: [
      { from: 'start.out', to: 'named.in' },
      { from: 'named.out', to: 'hello.in' },
    ],
  });
  return id;
}

const hello = (id: string, name?: string) => call(stage.server, `/${id}${name ? `?name=${name}` : ''}`);

const rows = (page: Page) => page.locator('tr[data-run]');

describe('The screen of runs', () => {
  test('Do runs come live, stand still when paused, and open, also on the flow as it was?', async () => {
    const id = await putHello();
    const page = await stage.visit('/');
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await expect(page.getByText('Nothing has run yet')).toBeVisible();
    await hello(id, 'ada');
    await expect(rows(page)).toHaveCount(1);
    await expect(rows(page)).toContainText('ok');
    await page.getByRole('button', { name: 'Pause' }).click();
    await hello(id);
    await page.getByRole('button', { name: 'Resume live updates' }).click();
    await expect(rows(page)).toHaveCount(2);
    await rows(page).last().getByRole('link').click();
    await page.getByRole('button', { name: 'Show on the canvas' }).click();
    await expect(page).toHaveURL(new RegExp(`/flows/${id}\\?run=`));
    await expect(page.locator('[data-id="hello"] [data-status]')).toHaveText(/^OK/);
  });

  test('Is a run found by what it failed with, and is the search in the address?', async () => {
    const id = await putHello();
    await hello(id, 'ada');
    await hello(id);
    const page = await stage.visit(`/runs?flow=${id}`);
    await expect(rows(page)).toHaveCount(2);
    await page.getByRole('button', { name: 'Status', exact: true }).click();
    await page.getByRole('menuitem', { name: 'failed' }).click();
    await expect(rows(page)).toHaveCount(1);
    await expect(rows(page)).toContainText('assertion_failed');
    const query = page.getByRole('searchbox', { name: /^Id, flow, error/ });
    await query.fill('code:nothing_like_it');
    await query.press('Enter');
    await expect(page.getByText('No run matches')).toBeVisible();
    await page.getByRole('button', { name: 'Remove the filter Error code: nothing_like_it' }).click();
    await expect(rows(page)).toHaveCount(1);
    await query.pressSequentially('code:assertion_failed ');
    await expect(query).toHaveValue('');
    await expect(rows(page)).toHaveCount(1);
    await page.reload();
    await expect(rows(page)).toHaveCount(1);
    expect(new URL(page.url()).searchParams.get('code')).toBe('assertion_failed');
  });

  test('Is a run found by a value of its input or output?', async () => {
    const id = await putHello();
    await hello(id, 'ada');
    await hello(id, 'grace');
    const page = await stage.visit(`/runs?flow=${id}`);
    const query = page.getByRole('searchbox', { name: /^Id, flow, error/ });
    await query.fill('value:"HELLO GRACE"');
    await query.press('Enter');
    await expect(rows(page)).toHaveCount(1);
    await expect(page.getByText('1 match in all 2 runs; values were kept for 2 of them.')).toBeVisible();
    await rows(page).getByRole('link').click();
    await expect(page.getByRole('region', { name: 'Answer' })).toContainText('grace');
    await page.goBack();
    await expect(page.getByRole('button', { name: 'Remove the filter Value: HELLO GRACE' })).toBeVisible();
    await query.fill('value:nobody');
    await query.press('Enter');
    await expect(page.getByText('No run matches')).toBeVisible();
  });

  test('Is a view saved under a name, opened again after a reload, and deleted?', async () => {
    const id = await putHello();
    await hello(id, 'ada');
    await hello(id);
    const page = await stage.visit(`/runs?flow=${id}&status=failed`);
    await expect(rows(page)).toHaveCount(1);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save this view…' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Broken <b>greetings</b>');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('button', { name: 'View: Broken <b>greetings</b>' })).toBeVisible();
    await page.goto(`/runs?flow=${id}`);
    await expect(rows(page)).toHaveCount(2);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Broken <b>greetings</b>' }).click();
    await expect(rows(page)).toHaveCount(1);
    await page.getByRole('button', { name: /^View: / }).click();
    await page.getByRole('menuitem', { name: /^Delete the view/ }).click();
    await expect(page.getByRole('button', { name: 'Views' })).toBeVisible();
  });

  test('Does a time jump to the runs before it?', async () => {
    const id = await putHello();
    await hello(id, 'ada');
    const page = await stage.visit(`/runs?flow=${id}`);
    await expect(rows(page)).toHaveCount(1);
    await page.getByLabel('Started before').fill('2020-01-01T08:00');
    await expect(page.getByText('No run matches')).toBeVisible();
    await page.getByLabel('Started before').fill('2100-01-01T08:00');
    await expect(rows(page)).toHaveCount(1);
    expect(new URL(page.url()).searchParams.get('until')).toBe('2100-01-01T08:00');
  });

  test('Are of hundreds of runs only those in view there, and do older ones come by scrolling alone?', async () => {
    const id = await putHello();
    const names = Array.from({ length: 300 }, (_, i) => `n${i}`);
    for (let at = 0; at < names.length; at += 20)
      await Promise.all(names.slice(at, at + 20).map((name) => hello(id, name)));
    const page = await stage.visit(`/runs?flow=${id}`);
    await expect(rows(page).first()).toBeVisible();
    const table = page.getByRole('table', { name: 'Runs, newest first' });
    const atEnd = async (): Promise<string | null> => {
      await page.locator('main').evaluate((main) => main.scrollTo({ top: main.scrollHeight }));
      expect(await rows(page).count()).toBeLessThan(60);
      return rows(page).last().getAttribute('aria-rowindex');
    };
    await expect.poll(atEnd).toBe('301');
    await expect(table).toHaveAttribute('aria-rowcount', '301');
    await expect(page.getByRole('button', { name: 'Load older runs' })).toBeHidden();
  });

  test('Do two chosen runs show where they differ, and is one a file?', async () => {
    const id = await putHello();
    await hello(id, 'ada');
    await hello(id, 'bob');
    const page = await stage.visit(`/runs?flow=${id}`);
    await expect(page.getByRole('button', { name: 'Compare' })).toBeDisabled();
    for (const box of await page.getByRole('checkbox').all()) await box.click();
    await page.getByRole('button', { name: 'Compare' }).click();
    const node = page.getByRole('region', { name: 'hello' });
    await expect(node).toContainText('Hello ada');
    await expect(node).toContainText('Hello bob');
    await page.goBack();
    await page
      .getByRole('button', { name: /^Actions for the run/ })
      .first()
      .click();
    const download = page.waitForEvent('download');
    await page.getByRole('menuitem', { name: 'Export as a file' }).click();
    expect((await download).suggestedFilename()).toMatch(new RegExp(`^${id}-.*\\.run\\.json$`));
  });

  test('Is a run deleted after a question, and all that fit with their number?', async () => {
    const id = await putHello();
    for (const name of ['a', 'b', 'c']) await hello(id, name);
    const page = await stage.visit(`/runs?flow=${id}`);
    await page.getByRole('checkbox').first().click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const one = page.getByRole('dialog', { name: 'Delete 1 run?' });
    await one.getByRole('button', { name: 'Delete' }).click();
    await expect(one).toBeHidden();
    await expect(rows(page)).toHaveCount(2);
    await page.getByRole('button', { name: 'Delete all matching…' }).click();
    const all = page.getByRole('dialog', { name: 'Delete 2 runs?' });
    await all.getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByText('No run matches')).toBeVisible();
  });
});

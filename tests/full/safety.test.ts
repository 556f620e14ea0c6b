import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect } from '../support/expect.ts';
import { describe, test } from 'vitest';
import { call } from '../support/client.ts';
import { httpTrigger } from '../support/flows.ts';
import { freshId, openFlow, openRow, openTab, rowFlow } from '../editor/support/fixtures.ts';
import { flowPage, saveIndicator } from '../editor/support/flow-page.ts';
import { useStage } from '../editor/support/stage.ts';
import { PATIENCE_MS } from '../support/eventually.ts';

/** Bad files, bad values, bad connections: nothing is lost, nothing injected, nothing frozen. */
const stage = useStage();

const fileOf = (id: string): string => join(stage.server.flows, `${id}.json`);

/** A tab that somebody comes back to looks at once whether its flow was changed. */
const comeBack = (page: Page) => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));

describe('Files', () => {
  test('Does a broken file open as text with what is wrong, and can it be mended there?', async () => {
    const id = freshId();
    const good = JSON.stringify(rowFlow(id).flow, null, 2);
    writeFileSync(fileOf(id), good.replace('"nodes": {', '"nodes": '));
    await expect.poll(async () => (await stage.owner.api('GET', `/flows/${id}`)).status).toBe(200);
    const page = await stage.visit('/');
    await page.getByRole('searchbox', { name: 'Search flows' }).fill(id);
    const row = page.getByRole('row').filter({ hasText: `${id}.json` });
    await expect(row).toContainText('Broken');
    await row.getByRole('link', { name: id }).click();
    await expect(page.getByRole('heading', { name: 'This file cannot be drawn yet' })).toBeVisible();
    await expect(page.getByRole('region', { name: 'Problems' })).toContainText(/line \d+, column \d+/);
    await page.getByLabel('Text of the file').fill(good);
    await page.getByRole('button', { name: 'Save and open' }).click();
    const flow = flowPage(page);
    await flow.ready();
    await expect(flow.nodes).toHaveCount(4);
  });

  test('Is a node of an unknown operator kept with all that is in it?', async () => {
    const id = freshId();
    const { flow: row, layout } = rowFlow(id);
    const first = { operator: 'acme.magic', params: { spell: ['a', { deep: true }] } };
    await stage.putFlow({ ...row, nodes: { ...row.nodes, first } }, layout);
    const flow = await openFlow(stage, id);
    await expect(flow.node('first')).toContainText('Unknown operator acme.magic');
    await expect(flow.edge('start.out', 'first.in')).toBeAttached();
    await flow.select('first');
    await expect(flow.inspector).toContainText('There is no operator acme.magic on this server');
    await flow.select('second');
    await flow.write('params.template', 'Changed');
    await flow.save();
    const { data } = (await stage.owner.api('GET', `/flows/${id}`)).body as { data: { flow: typeof row } };
    expect(data.flow.nodes.first).toEqual(first);
    expect(data.flow.nodes.second.params.template).toBe('Changed');
  });

  test('Is a flow that is deleted while it is open kept in the tab, to be saved again?', async () => {
    const flow = await openRow(stage);
    await flow.saveByHand();
    const id = flow.id();
    await flow.select('first');
    await flow.write('params.template', 'Still mine');
    rmSync(fileOf(id));
    await expect.poll(async () => (await stage.owner.api('GET', `/flows/${id}`)).status).toBe(404);
    await comeBack(flow.page);
    await expect(flow.page.getByText('This flow was deleted elsewhere')).toBeVisible();
    await flow.page.getByRole('button', { name: 'Save again as new' }).click();
    await flow.saved();
    expect(stage.fileText(id)).toContain('Still mine');
  });

  test('Is a file that changes on disk while it is open told of, and are edits never lost by it?', async () => {
    const flow = await openRow(stage);
    await flow.saveByHand();
    const id = flow.id();
    await flow.select('first');
    await flow.write('params.template', 'Mine');
    writeFileSync(fileOf(id), stage.fileText(id).replace('{{ nodes.first }}!', 'From git'));
    await expect.poll(async () => (await stage.owner.api('GET', `/flows/${id}`)).text).toContain('From git');
    await expect(flow.page.getByText('This flow was changed elsewhere')).toBeVisible();
    await flow.select('second');
    await expect(flow.field('params.template')).toContainText('From git');
    writeFileSync(fileOf(id), stage.fileText(id).replace('Hello {{ input.name }}', 'Both'));
    await flow.page.getByRole('button', { name: 'Reload' }).click();
    await flow.saved();
    await flow.select('first');
    await expect(flow.field('params.template')).toContainText('Both');
    await flow.clickEmpty();
    await flow.key('Mod+z');
    await flow.select('first');
    await expect(flow.field('params.template')).toContainText('Mine');
  });

  test('Can a conflict of two tabs end with theirs, or with a copy of mine?', async () => {
    const flow = await openRow(stage);
    await flow.saveByHand();
    const id = flow.id();
    const other = await openTab(flow.page, `/flows/${id}`);
    await flow.page.bringToFront();
    await flow.select('first');
    await flow.write('params.template', 'Mine');
    await other.page.bringToFront();
    await other.select('first');
    await other.write('params.template', 'Theirs');
    await other.save();
    await flow.page.bringToFront();
    await flow.key('Mod+s');
    const dialog = flow.page.getByRole('dialog');
    await expect(dialog).toContainText('first');
    await dialog.getByRole('button', { name: /copy/ }).click();
    const copy = freshId();
    await flow.page.getByRole('dialog').getByLabel(/Id/).fill(copy);
    await flow.page.getByRole('dialog').getByRole('button', { name: /^Save/ }).click();
    await expect(flow.page).toHaveURL(new RegExp(`/flows/${copy}$`));
    expect((await stage.owner.api('GET', `/flows/${copy}`)).text).toContain('Mine');
    expect(stage.fileText(id)).toContain('Theirs');
    expect(stage.fileText(id)).not.toContain('Mine');
  });
});

describe('Values', () => {
  test('Does an output of five megabytes leave the inspector quick?', async () => {
    const id = freshId();
    await stage.putFlow({
      format: 1,
      id,
      nodes: {
        start: httpTrigger(`/${id}`, { methods: ['POST'], limits: { bytes: 10_000_000 } }),
        all: { operator: 'core.map', params: { value: '{{ input }}' } },
      },
      edges: [{ from: 'start.out', to: 'all.in' }],
    });
    const flow = await openFlow(stage, id);
    const items = Array.from({ length: 5_000 }, (_, n) => ({ n, text: 'x'.repeat(1_000) }));
    const answer = await call(stage.server, `/${id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ items }),
    });
    expect(answer.text.length).toBeGreaterThan(5_000_000);
    await expect(flow.status('all')).toHaveText(/^OK/);
    await flow.select('all');
    await flow.tab('Output').click();
    await expect(flow.inspector).toContainText(/5(\.\d)? MB|large/i);
    await flow.select('start');
    await flow.tab('Input').click();
    await expect(flow.tab('Input')).toHaveAttribute('aria-selected', 'true');
    // Of the 5 MB only the beginning is in the page.
    expect((await flow.inspector.innerHTML()).length).toBeLessThan(500_000);
  });

  test('Is HTML in names, settings, outputs, logs and errors only text?', async () => {
    const id = freshId();
    const evil = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>';
    await stage.putFlow(
      {
        format: 1,
        id,
        name: evil,
        description: evil,
        nodes: {
          start: { ...httpTrigger(`/${id}`), name: evil },
          say: { operator: 'text.template', name: evil, description: evil, params: { template: evil } },
          log: { operator: 'core.log', params: { message: evil } },
          fail: { operator: 'logic.stop', params: { message: evil } },
        },
        edges: [
          { from: 'start.out', to: 'say.in' },
          { from: 'say.out', to: 'log.in' },
          { from: 'log.out', to: 'fail.in' },
        ],
      },
      { format: 1, nodes: {}, notes: [{ id: 'n1', x: 0, y: 300, width: 300, height: 200, text: evil }] },
    );
    const page = await stage.visit('/');
    await page.getByRole('searchbox', { name: 'Search flows' }).fill(id);
    await expect(page.getByRole('link', { name: evil })).toBeVisible();
    await page.goto(`/flows/${id}`);
    const flow = flowPage(page);
    await flow.ready();
    await call(stage.server, `/${id}`);
    await expect(flow.status('fail')).toHaveText(/^Failed/);
    for (const node of ['say', 'fail', 'log']) {
      await flow.node(node).focus();
      await flow.key('Space');
      for (const tab of ['Settings', 'Input', 'Output', 'Docs']) await flow.tab(tab).click();
    }
    await flow.tab('Output').click();
    for (const tab of ['Log', 'Runs', 'Trigger']) await flow.dock.getByRole('tab', { name: tab }).click();
    await flow.dock.getByRole('button', { name: 'Send' }).click();
    await expect(flow.dock.getByRole('region', { name: 'Answer', exact: true })).toContainText(/<img src=x/);
    await flow.dock.getByRole('tab', { name: 'Log' }).click();
    await flow.dock.locator('[data-line]').filter({ hasText: '<img' }).first().click();
    await flow.key('Mod+k');
    expect(await page.locator('img, body script').count()).toBe(0);
    expect(await page.evaluate(() => 'pwned' in window)).toBe(false);
  });
});

describe('Connections', () => {
  test('Does a websocket that drops every second lose no run?', async () => {
    const id = freshId();
    const { flow: row, layout } = rowFlow(id);
    await stage.putFlow({ ...row, settings: { record: 'full' } }, layout);
    const page = await stage.visit('/');
    let drops = 0;
    await page.routeWebSocket(/\/runs\/stream/, (socket) => {
      socket.connectToServer();
      setTimeout(() => {
        drops++;
        void socket.close();
      }, 1_000);
    });
    await page.goto(`/flows/${id}`);
    const flow = flowPage(page);
    await flow.ready();
    await flow.dock.getByRole('tab', { name: 'Runs' }).click();
    let calls = 0;
    const run = () => call(stage.server, `/${id}?name=guest${++calls}`);
    for (let round = 1; round <= 4; round++) {
      await run();
      await expect.poll(() => drops, { timeout: PATIENCE_MS }).toBeGreaterThanOrEqual(round);
      await run();
    }
    await expect.poll(async () => (await runIds(page)).length, { timeout: PATIENCE_MS }).toBe(calls);
    const ids = await runIds(page);
    expect(new Set(ids).size).toBe(ids.length);
    await flow.select('first');
    await flow.tab('Output').click();
    await expect(flow.inspector).toContainText(`Hello guest${calls}`);
  });

  test('Does an expired session ask in place, and keep and save the edits?', async () => {
    const flow = await openRow(stage);
    const cookies = await flow.page.context().cookies();
    await flow.select('first');
    await flow.write('params.template', 'Kept through it');
    await flow.page.context().clearCookies();
    await flow.key('Mod+s');
    const dialog = flow.page.getByRole('dialog', { name: 'Sign in again' });
    await expect(dialog).toBeVisible();
    await flow.key('Escape');
    await expect(dialog).toBeVisible();
    await flow.page.context().addCookies(cookies);
    await dialog.getByRole('button', { name: 'I have opened it' }).click();
    await expect(dialog).toHaveCount(0);
    await flow.saved();
    expect(stage.fileText(flow.id())).toContain('Kept through it');
  });

  test('Does work go on while the server is away, and is it saved when the server is back?', async () => {
    const flow = await openRow(stage);
    await flow.select('first');
    await expect(flow.inspector.locator('.cm-content')).toBeVisible();
    await flow.page.context().setOffline(true);
    await flow.write('params.template', 'Written alone');
    await flow.key('Mod+s');
    await expect(flow.page.getByText('The server cannot be reached')).toBeVisible();
    await expect(saveIndicator(flow.page)).toHaveText(/Not saved|Unsaved/);
    await flow.select('second');
    await flow.write('params.template', 'And this');
    await flow.page.context().setOffline(false);
    await flow.page.getByRole('button', { name: 'Try now' }).click();
    await expect(flow.page.getByText('The server cannot be reached')).toHaveCount(0);
    await flow.save();
    const text = stage.fileText(flow.id());
    expect(text).toContain('Written alone');
    expect(text).toContain('And this');
  });
});

async function runIds(page: Page): Promise<string[]> {
  return page
    .locator('tr[data-run]')
    .evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset['run'] ?? ''));
}

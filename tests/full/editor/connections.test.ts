import type { Page } from '@playwright/test';
import { describe, onTestFinished, test } from 'vitest';
import {
  ACCESS_KEY,
  BUCKET,
  REGION,
  SECRET_KEY,
  startS3,
} from '../../../server/integrations/connections/testing/s3-server.ts';
import { startRedis } from '../../../server/integrations/connections/kinds/redis/testing/redis-server.ts';
import {
  fingerprintOf,
  startSsh,
} from '../../../server/integrations/connections/kinds/ssh/testing/ssh-server.ts';
import { call } from '../../support/client.ts';
import { expect } from '../../support/expect.ts';
import { httpTrigger } from '../../support/flows.ts';
import { tempFolder } from '../../support/server.ts';
import { auditOf } from '../../editor/support/audit.ts';
import { freshId, openFlow } from '../../editor/support/fixtures.ts';
import { pickName } from '../../editor/support/pick-name.ts';
import { useOwnStage } from '../../editor/support/stage.ts';

/** Connections are made, tested, granted, looked into from a node, and deleted. */
const stage = useOwnStage({ env: { WEFT_FOLDERS: `shop=${tempFolder('store')}` } });

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

async function choose(page: Page, name: string, entry: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: entry }).click();
}

async function flowWith(connection: string): Promise<string> {
  const id = freshId();
  await stage.putFlow({
    format: 1,
    id,
    nodes: {
      start: httpTrigger(`/${id}`),
      make: {
        operator: 'sql.execute',
        params: {
          connection,
          sql: 'CREATE TABLE IF NOT EXISTS customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL)',
        },
      },
      read: { operator: 'sql.query', params: { connection, sql: 'SELECT count(*) AS n FROM customers' } },
    },
    edges: [
      { from: 'start.out', to: 'make.in' },
      { from: 'make.out', to: 'read.in' },
    ],
  });
  return id;
}

describe('The screen of connections', () => {
  test('Is the key of an SSH server shown by the test of its connection, with the command to compare it?', async () => {
    const { port, hostKey } = await startSsh();
    const fingerprint = fingerprintOf(hostKey.public);
    const settings = { host: '127.0.0.1', port, user: 'ada', password: 'right' };
    await stage.owner.data('PUT', '/connections/far', { kind: 'ssh', settings });
    const page = await stage.visit('/connections');
    await page.getByRole('button', { name: 'Test far' }).click();
    const shown = page.getByRole('status').filter({ hasText: fingerprint });
    await expect(shown.locator('code', { hasText: 'ssh-keygen -lf' })).toBeVisible();
    await expect(shown).not.toContainText('`');
    await stage.owner.data('DELETE', '/connections/far');
  });

  test('Can a connection be made, tested and granted, and does a flow then work?', async () => {
    const id = await flowWith('shop');
    const page = await stage.visit('/');
    await page.getByRole('link', { name: 'Connections', exact: true }).click();
    await expect(page.getByText('No connections yet')).toBeVisible();
    await page.getByRole('button', { name: 'New connection' }).click();
    const dialog = page.getByRole('dialog', { name: 'New connection' });
    await dialog.getByRole('button', { name: /^PostgreSQL / }).click();
    await expect(dialog.getByRole('button', { name: 'Save' })).toBeDisabled();
    await dialog.getByLabel('Name').fill('Shop');
    await expect(dialog).toContainText('A lower-case letter');
    await dialog.getByLabel('Name').fill('shop');
    await dialog.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'SQLite' }).click();
    await dialog.getByRole('combobox', { name: 'Folder' }).click();
    await page.getByRole('option', { name: 'shop', exact: true }).click();
    await expect(dialog).toContainText('Nobody yet: choose flows, types of nodes, or both.');
    await dialog.getByRole('textbox', { name: 'File' }).fill('shop.db');
    const { look, found } = auditOf(page);
    await look('the dialog');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(rowOf(page, 'shop.db')).toContainText('nobody yet');
    await expect(rowOf(page, 'shop.db').getByRole('link', { name: id })).toBeVisible();

    await page.getByRole('button', { name: 'Test shop' }).click();
    await expect(page.getByRole('status').filter({ hasText: 'It works: SQLite' })).toBeVisible();
    // The line of the result is as wide as its row.
    const ends = (row: Element): number => row.lastElementChild?.getBoundingClientRect().right ?? 0;
    const line = page.getByRole('row').filter({ hasText: 'It works' });
    expect(await line.evaluate(ends)).toBeCloseTo(await rowOf(page, 'shop.db').evaluate(ends), 0);
    await look('the list');
    expect((await call(stage.server, `/${id}`)).status).toBe(500);
    await choose(page, 'shop', 'Change…');
    const change = page.getByRole('dialog', { name: 'Change the connection “shop”' });
    await pickName(change, 'Flows', id);
    await change.getByText('How often it may be used').click();
    await change.getByRole('textbox', { name: 'Uses' }).fill('lots');
    await expect(change).toContainText('A whole number from 1 to 100000.');
    await expect(change.getByRole('button', { name: 'Save' })).toBeDisabled();
    await change.getByRole('textbox', { name: 'Uses' }).fill('600');
    await change.getByRole('textbox', { name: 'At once' }).fill('20');
    await change.getByRole('button', { name: 'Save' }).click();
    await expect(rowOf(page, 'shop.db')).toContainText(`flows ${id}`);
    await expect(rowOf(page, 'shop.db')).toContainText('at most 600 uses a minute, 20 at once');
    expect(await stage.owner.data('GET', '/connections')).toMatchObject([
      { rate: { limit: 600, per: 'minute', burst: 20 } },
    ]);
    expect((await call(stage.server, `/${id}`)).text).toBe('[{"n":0}]');

    const flow = await openFlow(stage, id);
    await flow.select('read');
    await flow.page.getByText('Tables of shop').click();
    await flow.page.getByText('customers', { exact: true }).click();
    await expect(flow.page.getByText('INTEGER, key')).toBeVisible();
    const inspector = auditOf(flow.page);
    await inspector.look('the inspector');
    expect([...found, ...inspector.found]).toEqual([]);
  });

  test('Is a password seen nowhere, does a failed test say why, and is deleting asked about?', async () => {
    const settings = {
      host: '127.0.0.1',
      port: 1,
      database: 'd',
      user: 'u',
      password: 'hush-hush-4711',
      tls: 'off',
    };
    await stage.owner.data('PUT', '/connections/far', { kind: 'postgres', settings, grants: {} });
    const page = await stage.visit('/connections');
    const answers: string[] = [];
    page.on('response', (response) => {
      if (!response.url().includes('/api/')) return;
      // One that is still on its way when the page is closed has no text.
      void response.text().then(
        (text) => answers.push(text),
        () => {},
      );
    });
    await page.getByRole('button', { name: 'Test far' }).click();
    await expect(
      page.getByRole('status').filter({ hasText: 'Nothing listens at tcp://127.0.0.1:1' }),
    ).toBeVisible();
    await choose(page, 'far', 'Change…');
    const dialog = page.getByRole('dialog', { name: 'Change the connection “far”' });
    await expect(dialog.getByLabel('Password')).toHaveValue('');
    await expect(dialog.getByLabel('Password')).toHaveAttribute('type', 'password');
    await expect(dialog).toContainText('Stored. Empty: it stays as it is.');
    await dialog.getByRole('textbox', { name: 'Host' }).fill('localhost');
    await expect(dialog).toContainText('Enter it again: Host changed');
    await expect(dialog.getByRole('button', { name: 'Save' })).toBeDisabled();
    await dialog.getByLabel('Password').fill('hush-hush-4711');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(rowOf(page, 'far')).toContainText('localhost:1/d');
    expect((await stage.owner.data('GET', '/connections')) as object).toMatchObject([
      { name: 'far', hidden: ['password'] },
      { name: 'shop' },
    ]);
    await choose(page, 'far', 'Delete…');
    const sure = page.getByRole('dialog', { name: 'Delete the connection “far”?' });
    await expect(sure).toContainText('No flow uses it.');
    await sure.getByRole('button', { name: 'Delete' }).click();
    await expect(rowOf(page, 'far')).toHaveCount(0);
    expect(`${await page.content()} ${answers.join()}`).not.toContain('hush-hush');
  });

  test('Are kinds of files and services made here too, and offered where they fit?', async () => {
    const s3 = await startS3();
    onTestFinished(() => s3.close());
    const page = await stage.visit('/connections');
    await page.getByRole('button', { name: 'New connection' }).click();
    const dialog = page.getByRole('dialog', { name: 'New connection' });
    await dialog.getByRole('button', { name: /^S3 / }).click();
    await dialog.getByLabel('Name').fill('archive');
    const { look, found } = auditOf(page);
    await look('the dialog of S3');
    for (const [field, value] of [
      ['Endpoint', s3.endpoint],
      ['Region', REGION],
      ['Bucket', BUCKET],
      ['Access key', ACCESS_KEY],
      ['Secret key', SECRET_KEY],
    ] as const)
      await dialog.getByRole('textbox', { name: field }).fill(value);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(rowOf(page, 'archive')).toContainText(`${s3.endpoint}/${BUCKET}`);
    await page.getByRole('button', { name: 'Test archive' }).click();
    await expect(page.getByRole('status').filter({ hasText: `the bucket ${BUCKET}` })).toBeVisible();
    // What the test says takes no room from the columns that a narrow screen shows.
    await page.setViewportSize({ width: 390, height: 844 });
    await expect
      .poll(async () => (await page.getByRole('button', { name: 'Test archive' }).boundingBox())?.x)
      .toBeGreaterThan(250);
    await page.setViewportSize({ width: 1440, height: 900 });

    await page.getByRole('button', { name: 'New connection' }).click();
    await dialog.getByRole('button', { name: /^HTTP / }).click();
    await dialog.getByLabel('Name').fill('crm');
    await look('the dialog of HTTP');
    await dialog.getByRole('textbox', { name: 'Address' }).fill('http://127.0.0.1:1/v1');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(rowOf(page, 'crm')).toContainText('http://127.0.0.1:1/v1');

    const id = freshId();
    await stage.putFlow({
      format: 1,
      id,
      nodes: {
        start: httpTrigger(`/${id}`),
        ask: { operator: 'http.request', params: { url: '/contacts' } },
        files: { operator: 'file.list', params: {} },
      },
      edges: [
        { from: 'start.out', to: 'ask.in' },
        { from: 'ask.out', to: 'files.in' },
      ],
    });
    const flow = await openFlow(stage, id);
    await flow.select('ask');
    await flow.page.getByRole('combobox', { name: 'Connection' }).click();
    await expect(flow.page.getByRole('option', { name: 'crm' })).toBeVisible();
    for (const name of ['archive', 'shop'])
      await expect(flow.page.getByRole('option', { name })).toHaveCount(0);
    await flow.page.getByRole('option', { name: 'crm' }).click();
    await expect(
      flow.page.getByRole('tabpanel', { name: 'Settings' }).getByText('is not granted'),
    ).toBeVisible();
    await expect(flow.page.getByText('Tables of crm')).toHaveCount(0);

    await flow.select('files');
    await flow.page.getByRole('combobox', { name: 'Folder' }).click();
    for (const name of ['shop', 'archive'])
      await expect(flow.page.getByRole('option', { name })).toBeVisible();
    await expect(flow.page.getByRole('option', { name: 'crm' })).toHaveCount(0);
    await flow.page.getByRole('option', { name: 'archive' }).click();
    await expect(flow.page.getByRole('combobox', { name: 'Folder' })).toContainText('archive');
    const inspector = auditOf(flow.page);
    await inspector.look('the inspector of files');
    expect(inspector.found).toEqual([]);
    expect(found).toEqual([]);
  });

  test('Is a Redis made, tested and changed by the form of its settings, and offered to its nodes only?', async () => {
    const { port } = await startRedis({ password: 'hush-hush-4712' });
    const page = await stage.visit('/connections');
    await page.getByRole('button', { name: 'New connection' }).click();
    const dialog = page.getByRole('dialog', { name: 'New connection' });
    await dialog.getByRole('searchbox').fill('redis');
    await dialog.getByRole('button', { name: /^Redis / }).click();
    await dialog.getByLabel('Name').fill('cache');
    await expect(dialog).toContainText('Nodes read and store values by their keys.');
    await expect(dialog.getByRole('button', { name: 'Save' })).toBeDisabled();
    await dialog.getByRole('textbox', { name: 'Host' }).fill('127.0.0.1');
    await dialog.getByRole('textbox', { name: 'Port' }).fill(String(port));
    await expect(dialog.getByLabel('Password')).toHaveAttribute('type', 'password');
    await dialog.getByLabel('Password').fill('hush-hush-4712');
    await dialog.getByRole('button', { name: 'Add option' }).click();
    await page.getByRole('menuitem', { name: 'TLS' }).click();
    await dialog.getByRole('combobox', { name: 'TLS' }).click();
    await page.getByRole('option', { name: 'Not encrypted' }).click();
    const { look, found } = auditOf(page);
    await look('the dialog of Redis');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(rowOf(page, 'cache')).toContainText(`127.0.0.1:${port}`);
    await page.getByRole('button', { name: 'Test cache' }).click();
    await expect(page.getByRole('status').filter({ hasText: 'It works: Redis 7.9.9' })).toBeVisible();

    const id = freshId();
    await choose(page, 'cache', 'Change…');
    const change = page.getByRole('dialog', { name: 'Change the connection “cache”' });
    await change.getByRole('textbox', { name: 'Database' }).fill('1');
    await expect(change).toContainText('Enter it again: Database changed');
    await expect(change.getByRole('button', { name: 'Save' })).toBeDisabled();
    await change.getByLabel('Password').fill('hush-hush-4712');
    await pickName(change, 'Flows', id);
    await change.getByRole('button', { name: 'Save' }).click();
    await expect(rowOf(page, 'cache')).toContainText(`127.0.0.1:${port}/1`);

    const params = { connection: 'cache', key: 'greeting' };
    await stage.putFlow({
      format: 1,
      id,
      nodes: {
        start: httpTrigger(`/${id}`),
        store: { operator: 'redis.set', params: { ...params, value: 'Hello' } },
        read: { operator: 'redis.get', params },
      },
      edges: [
        { from: 'start.out', to: 'store.in' },
        { from: 'store.out', to: 'read.in' },
      ],
    });
    expect((await call(stage.server, `/${id}`)).text).toBe('"Hello"');
    const flow = await openFlow(stage, id);
    await flow.select('read');
    await flow.page.getByRole('combobox', { name: 'Connection' }).click();
    await expect(flow.page.getByRole('option', { name: 'cache' })).toBeVisible();
    for (const name of ['archive', 'crm', 'shop'])
      await expect(flow.page.getByRole('option', { name })).toHaveCount(0);
    await flow.page.getByRole('option', { name: 'cache' }).click();
    await expect(flow.page.getByText('Tables of cache')).toHaveCount(0);
    expect(found).toEqual([]);
  });

  test('Are the columns of a statement known before a run, and a wrong one told?', async () => {
    const id = freshId();
    const shop = {
      kind: 'sqlite',
      settings: { folder: 'shop', file: 'columns.db' },
      grants: { flows: [id] },
    };
    await stage.owner.data('PUT', '/connections/columns', shop);
    const query = (sql: string) => ({ operator: 'sql.query', params: { connection: 'columns', sql } });
    await stage.putFlow({
      format: 1,
      id,
      nodes: {
        start: httpTrigger(`/${id}`),
        make: {
          operator: 'sql.execute',
          params: {
            connection: 'columns',
            sql: 'CREATE TABLE IF NOT EXISTS customers (id INTEGER PRIMARY KEY, "whole name" TEXT NOT NULL)',
          },
        },
        read: query('SELECT id, "whole name" AS name FROM customers'),
        say: { operator: 'text.template', params: { template: '{{ nodes.read[0].nmae }}' } },
      },
      edges: [
        { from: 'start.out', to: 'make.in' },
        { from: 'make.out', to: 'read.in' },
        { from: 'read.out', to: 'say.in' },
      ],
    });
    const flow = await openFlow(stage, id);
    const { page } = flow;
    await flow.select('read');
    await expect(
      page.getByText('The types of the rows are unknown. There is no file columns.db'),
    ).toBeVisible();
    // The run makes the table, and then fails.
    await call(stage.server, `/${id}`);
    await page.reload();
    await flow.select('read');
    await page.getByText('Columns of the rows (2)').click();
    const columns = page.getByRole('region', { name: 'Columns of the rows' });
    await expect(columns).toContainText('nameTEXT, never null');
    await flow.select('say');
    await expect(page.getByText(/never exists: it has id, name/).first()).toBeVisible();

    await flow.select('read');
    await page.getByText('Tables of columns').click();
    await page.getByText('customers', { exact: true }).click();
    await page.getByRole('button', { name: 'whole name', exact: true }).click();
    const statement = page.getByRole('textbox', { name: 'SQL' });
    await expect(statement).toContainText('FROM customers "whole name"');
    await page.getByRole('button', { name: 'Insert customers' }).click();
    await expect(statement).toContainText('FROM customers "whole name" customers');
    await expect(page.getByText('This statement would fail.').first()).toBeVisible();
    const { look, found } = auditOf(page);
    await look('the inspector');
    expect(found).toEqual([]);
  });
});

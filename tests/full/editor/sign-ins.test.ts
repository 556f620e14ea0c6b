import { mkdirSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { describe, test } from 'vitest';
import {
  CLIENT,
  startAuthorizationServer,
} from '../../../server/integrations/connections/kinds/oauth2/testing/authorization-server.ts';
import { auditOf } from '../../editor/support/audit.ts';
import { freshId, openFlow } from '../../editor/support/fixtures.ts';
import { pickName } from '../../editor/support/pick-name.ts';
import { useOwnStage } from '../../editor/support/stage.ts';
import { call } from '../../support/client.ts';
import { expect } from '../../support/expect.ts';
import { httpTrigger } from '../../support/flows.ts';

/** Services that people sign in to: chosen in the gallery, connected in a pop-up, used by a flow. */
const stage = useOwnStage({ env: { WEFT_OUTBOUND_ALLOW: '127.0.0.1' } });

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

/** Pictures for people, if somebody asks for them. */
async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['TEST_SHOTS'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1440, 1024, 390]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await page.screenshot({ path: `${folder}/${name}-${colorScheme}-${width}.png` });
    }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1440, height: 900 });
}

describe('Services that people sign in to', () => {
  test('Is a service found in the gallery, connected in one pop-up, and used by a flow?', async () => {
    const server = await startAuthorizationServer({ redirects: [`${stage.server.url}/oauth/callback`] });
    const id = freshId();
    await stage.putFlow({
      format: 1,
      id,
      nodes: {
        start: httpTrigger(`/${id}`),
        ask: { operator: 'http.request', params: { connection: 'sheets', url: '/rows' } },
      },
      edges: [{ from: 'start.out', to: 'ask.in' }],
    });
    const page = await stage.visit('/connections');
    await page.getByRole('button', { name: 'New connection' }).click();
    const gallery = page.getByRole('dialog', { name: 'New connection' });
    const { look, found } = auditOf(page);
    await expect(gallery.getByRole('button', { name: /^Google / })).toBeVisible();
    await look('the gallery');
    await shoot(page, 'gallery');
    await gallery.getByRole('searchbox').fill('spreadsheet nobody');
    await expect(gallery.getByRole('status')).toContainText('connect to any API');
    await gallery.getByRole('searchbox').fill('other oauth');
    await gallery.getByRole('button', { name: 'Other OAuth2 service' }).click();
    const form = page.getByRole('dialog', { name: 'Connect Other OAuth2 service' });
    await expect(form).toContainText(`${stage.server.url}/oauth/callback`);
    await expect(form.getByRole('button', { name: 'Save and connect' })).toBeDisabled();
    await form.getByRole('textbox', { name: 'Name' }).fill('sheets');
    await form.getByRole('textbox', { name: 'Address of the API' }).fill(`${server.origin}/api`);
    await form.getByRole('textbox', { name: 'Issuer' }).fill(server.origin);
    await form.getByRole('textbox', { name: 'Client id' }).fill(CLIENT.id);
    await form.getByLabel('Client secret', { exact: true }).fill(CLIENT.secret);
    await form.getByRole('textbox', { name: 'Scopes' }).fill('openid email sheets:read');
    await pickName(form, 'Flows', id);
    await look('the form');
    await shoot(page, 'form');
    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      form.getByRole('button', { name: 'Save and connect' }).click(),
    ]);
    await expect(popup.getByRole('heading', { name: 'Connected as ada@example.com' })).toBeVisible();
    const done = page.getByRole('dialog', { name: 'Connected' });
    await expect(done.getByRole('status')).toHaveText('Connected as ada@example.com.');
    await look('the end');
    await done.getByRole('button', { name: 'Done' }).click();
    await expect(rowOf(page, 'sheets')).toContainText('connected as ada@example.com');
    await expect(rowOf(page, 'sheets')).toContainText('sheets:read');
    await look('the list');
    await shoot(page, 'list');
    await page.getByRole('button', { name: 'Test sheets' }).click();
    await expect(page.getByRole('status').filter({ hasText: 'as ada@example.com' })).toBeVisible();
    expect(await call(stage.server, `/${id}`)).toMatchObject({
      status: 200,
      body: { body: { path: '/api/rows' } },
    });
    const flow = await openFlow(stage, id);
    await flow.select('ask');
    await expect(flow.page.getByRole('combobox', { name: 'Connection' })).toContainText('sheets');
    expect(found).toEqual([]);
  });

  test('Is a refused consent said, and is a connection that lacks scopes reconnected?', async () => {
    const server = await startAuthorizationServer({ redirects: [`${stage.server.url}/oauth/callback`] });
    const settings = {
      issuer: server.origin,
      clientId: CLIENT.id,
      secret: CLIENT.secret,
      address: `${server.origin}/api`,
      scopes: ['openid', 'email', 'sheets:read'],
    };
    await stage.owner.data('PUT', '/connections/notes', { kind: 'oauth2', settings, grants: {} });
    const page = await stage.visit('/connections');
    await expect(rowOf(page, 'notes')).toContainText('not connected');
    const connect = async () => {
      await page.getByRole('button', { name: 'Actions for notes' }).click();
      await page.getByRole('menuitem', { name: 'Change or reconnect…' }).click();
      const form = page.getByRole('dialog', { name: 'Change the connection “notes”' });
      await form.getByRole('textbox', { name: 'Scopes' }).fill('openid email sheets:read sheets:write');
      await Promise.all([
        page.waitForEvent('popup'),
        form.getByRole('button', { name: 'Save and connect' }).click(),
      ]);
    };
    server.consents = false;
    await connect();
    await expect(page.getByRole('alert')).toContainText('The consent was refused');
    await page.getByRole('button', { name: 'Done' }).click();
    server.consents = true;
    await connect();
    await expect(page.getByRole('dialog', { name: 'Connected' })).toBeVisible();
    await page.getByRole('button', { name: 'Done' }).click();
    await expect(rowOf(page, 'notes')).toContainText('sheets:read, sheets:write');
  });

  test('Is a sign-in that was revoked told where it fails, and mended with one press?', async () => {
    const server = await startAuthorizationServer({ redirects: [`${stage.server.url}/oauth/callback`] });
    const id = freshId();
    await stage.putFlow({
      format: 1,
      id,
      nodes: {
        start: httpTrigger(`/${id}`),
        ask: { operator: 'http.request', params: { connection: id, url: '/rows' } },
      },
      edges: [{ from: 'start.out', to: 'ask.in' }],
    });
    const settings = {
      issuer: server.origin,
      clientId: CLIENT.id,
      secret: CLIENT.secret,
      address: `${server.origin}/api`,
      scopes: ['openid', 'email', 'offline_access', 'sheets:read'],
    };
    await stage.owner.data('PUT', `/connections/${id}`, {
      kind: 'oauth2',
      settings,
      grants: { flows: [id] },
    });
    const page = await stage.visit('/connections');
    const { look, found } = auditOf(page);
    const connect = (word: string) =>
      Promise.all([
        page.waitForEvent('popup'),
        rowOf(page, id)
          .getByRole('button', { name: `${word} ${id}` })
          .click(),
      ]);
    await connect('Connect');
    await expect(page.getByRole('dialog', { name: 'Connected' })).toBeVisible();
    await page.getByRole('button', { name: 'Done' }).click();
    await expect(rowOf(page, id)).toContainText('connected as ada@example.com');
    expect(await call(stage.server, `/${id}`)).toMatchObject({ status: 200 });

    // The access token is gone, and the refresh token is no longer accepted.
    await server.revokeAccess(server.came.at(-1) ?? '');
    server.instead = (_, response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: 'invalid_grant' }));
    };
    expect(await call(stage.server, `/${id}`)).toMatchObject({
      body: { error: { code: 'oauth_reconnect' } },
    });
    server.instead = undefined;
    await page.reload();
    await expect(rowOf(page, id)).toContainText('no longer accepts the sign-in');
    await look('lost');
    await shoot(page, 'lost');
    await connect('Reconnect');
    await expect(page.getByRole('dialog', { name: 'Connected' })).toBeVisible();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: `Test ${id}` }).click();
    await expect(page.getByRole('status').filter({ hasText: 'as ada@example.com' })).toBeVisible();
    expect(await call(stage.server, `/${id}`)).toMatchObject({ status: 200 });
    expect(found).toEqual([]);
  });

  test('Are the scopes of a provider ticked by purpose, and the key of a service account dropped in?', async () => {
    const page = await stage.visit('/connections');
    await page.getByRole('button', { name: 'New connection' }).click();
    await page.getByRole('searchbox').fill('gmail');
    await page.getByRole('button', { name: /^Google / }).click();
    const form = page.getByRole('dialog', { name: 'Connect Google' });
    await expect(form.getByRole('textbox', { name: 'Name' })).toHaveValue('google');
    await form.getByRole('searchbox').fill('spreadsheets');
    await form.getByRole('checkbox', { name: 'Sheets: Read spreadsheets' }).click();
    await expect(form.getByRole('checkbox', { name: 'Gmail: Read mail' })).toHaveCount(0);
    await shoot(page, 'google');
    await form.getByRole('combobox', { name: 'Who signs in' }).click();
    await page.getByRole('option', { name: 'A service account, with its key' }).click();
    const files = form.locator('input[type=file]');
    const key = (content: object) => ({
      name: 'key.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(content)),
    });
    await files.setInputFiles(key({ hello: 1 }));
    await expect(form).toContainText('This is not the JSON file of a service account’s key.');
    await files.setInputFiles(
      key({ client_email: 'bot@x.iam.gserviceaccount.com', private_key: '-----BEGIN' }),
    );
    await expect(form.getByRole('status')).toContainText('The key of bot@x.iam.gserviceaccount.com.');
    await expect(form.getByRole('button', { name: 'Save and test' })).toBeEnabled();
  });
});

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Locator } from '@playwright/test';
import { expect as expectValue, test } from 'vitest';
import {
  CLIENT,
  startAuthorizationServer,
} from '../../../server/integrations/connections/kinds/oauth2/testing/authorization-server.ts';
import { startSmtp } from '../../../server/integrations/connections/kinds/smtp/testing/smtp-server.ts';
import { flowPage } from '../../editor/support/flow-page.ts';
import { useOwnStage } from '../../editor/support/stage.ts';
import { eventually } from '../../support/eventually.ts';
import { expect } from '../../support/expect.ts';

/** From nothing to “a row in my sheet becomes a mail”, on a fresh server, with a stand-in for Google and one for the mail server. */
const stage = useOwnStage({ env: { WEFT_OUTBOUND_ALLOW: '127.0.0.1' } });

/** The bar. */
const MOST_CLICKS = 25;

/** What Drive and Sheets answer for one spreadsheet. */
function answerAsGoogle(cells: readonly unknown[][]) {
  return ({ url = '' }: IncomingMessage, response: ServerResponse): void => {
    const path = decodeURIComponent(url).split('?', 1)[0] ?? '';
    response.setHeader('content-type', 'application/json');
    const sheet = { properties: { sheetId: 0, title: 'People', index: 0 } };
    const answer = path.endsWith('/files')
      ? { files: [{ id: 'abc', name: 'Guests' }] }
      : path.includes('/values/')
        ? { range: 'People!A1:B99', values: cells }
        : { spreadsheetId: 'abc', properties: { title: 'Guests' }, sheets: [sheet] };
    response.end(JSON.stringify(answer));
  };
}

test('Does a row in a sheet become a mail within 25 clicks, both services connected on the way?', async () => {
  const google = await startAuthorizationServer({ redirects: [`${stage.server.url}/oauth/callback`] });
  const cells: unknown[][] = [
    ['Name', 'Mail'],
    ['Ada', 'ada@example.com'],
  ];
  google.api = answerAsGoogle(cells);
  const smtp = await startSmtp();
  let clicks = 0;
  const click = async (on: Locator): Promise<void> => {
    clicks++;
    await on.click();
  };

  const page = await stage.visit('/');
  await click(page.getByRole('button', { name: 'Create the first flow' }));
  const dialog = page.getByRole('dialog', { name: 'New flow' });
  await dialog.getByLabel('Name').fill('Row to mail');
  await click(dialog.getByRole('button', { name: 'Create' }));
  const flow = flowPage(page);
  await flow.ready();

  const add = async (words: string, name: RegExp): Promise<void> => {
    await click(page.getByRole('button', { name: /^Add a node/ }).first());
    await flow.picker.getByRole('combobox').fill(words);
    await click(flow.picker.getByRole('option', { name }).first());
  };
  await add('new row google', /On a new row/);
  await click(flow.field('params.connection').getByRole('combobox'));
  await click(page.getByRole('option', { name: 'New connection…' }));
  await click(page.getByRole('button', { name: 'Other OAuth2 service' }));
  const signIn = page.getByRole('dialog', { name: 'Connect Other OAuth2 service' });
  await signIn.getByRole('textbox', { name: 'Address of the API' }).fill(`${google.origin}/api`);
  await signIn.getByRole('textbox', { name: 'Issuer' }).fill(google.origin);
  await signIn.getByRole('textbox', { name: 'Client id' }).fill(CLIENT.id);
  await signIn.getByLabel('Client secret', { exact: true }).fill(CLIENT.secret);
  await signIn.getByRole('textbox', { name: 'Scopes' }).fill('openid email sheets:read');
  await click(signIn.getByRole('button', { name: 'Save and connect' }));
  await expect(page.getByRole('dialog', { name: 'Connected' })).toContainText('ada@example.com');
  await click(page.getByRole('button', { name: 'Done' }));
  /** From what the service lists below a field. */
  const choose = async (what: string, option: string): Promise<void> => {
    const list = flow.inspector.locator('details', { hasText: `Choose ${what} from a list` });
    await click(list.locator('summary'));
    await click(list.getByText(option, { exact: true }).first());
  };
  await choose('spreadsheet', 'Guests');
  await choose('sheet', 'People');
  await flow.field('params.every').getByRole('textbox').fill('1 s');
  await add('send mail', /^Send mail/);
  await click(flow.field('params.connection').getByRole('combobox'));
  await click(page.getByRole('option', { name: 'New connection…' }));
  const post = page.getByRole('dialog', { name: 'New connection' });
  await click(post.getByRole('button', { name: /SMTP|Mail/ }).first());
  const mail = page.getByRole('dialog', { name: 'New connection' });
  await mail.getByRole('textbox', { name: 'Name' }).fill('post');
  await mail.getByRole('textbox', { name: /^Host/ }).fill('127.0.0.1');
  await mail.getByRole('textbox', { name: /^Port/ }).fill(String(smtp.port));
  await mail.getByRole('textbox', { name: /^From/ }).fill('shop@example.com');
  // The stand-in has no certificate.
  await click(mail.getByRole('button', { name: 'Add option' }));
  await click(page.getByRole('menuitem', { name: 'TLS' }));
  await click(mail.getByRole('combobox', { name: 'TLS' }));
  await click(page.getByRole('option', { name: 'Not encrypted' }));
  await click(mail.getByRole('button', { name: 'Save', exact: true }));
  await flow.write('params.to', '{{ input.values.Mail }}');
  await flow.write('params.subject', 'Welcome');
  await flow.write('params.text', 'Hello {{ input.values.Name }}');
  await expect(flow.dock.getByText('No problems')).toBeVisible();
  await click(page.getByRole('button', { name: 'Publish', exact: true }));
  await eventually(async () =>
    expectValue(await stage.owner.data('GET', '/sources')).toMatchObject([
      { state: 'listening', lastLookAt: expectValue.any(String) },
    ]),
  );
  cells.push(['Grace', 'grace@example.com']);
  await eventually(() => expectValue(smtp.received).toHaveLength(1));
  expectValue(smtp.received[0]).toMatchObject({ to: ['grace@example.com'] });
  expectValue(smtp.received[0]?.source).toContain('Hello Grace');
  expectValue(clicks).toBeLessThanOrEqual(MOST_CLICKS);
});

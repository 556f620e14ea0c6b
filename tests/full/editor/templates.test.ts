import { beforeEach, expect as expectValue, test } from 'vitest';
import type { FlowSummary } from '#shared/api.ts';
import { expect } from '../../support/expect.ts';
import { auditOf } from '../../editor/support/audit.ts';
import { flowPage } from '../../editor/support/flow-page.ts';
import { useOwnStage } from '../../editor/support/stage.ts';

/** From an empty server to a flow that runs: by a template, or by a trigger. */
const stage = useOwnStage();

beforeEach(async () => {
  for (const { id, revision } of await stage.owner.data<FlowSummary[]>('GET', '/flows'))
    await stage.owner.data('DELETE', `/flows/${id}?revision=${revision}`);
});

test('Is an empty server asked what to build, and does a template lead to a run in six keys or clicks?', async () => {
  const page = await stage.visit('/');
  await expect(page.getByText('What do you want to build?')).toBeVisible();
  await page.getByRole('button', { name: 'Sort messages with a model' }).click();
  const dialog = page.getByRole('dialog', { name: 'Sort messages with a model' });
  await dialog.getByRole('button', { name: 'Next' }).click();
  await expect(dialog.getByRole('radio', { name: /^The built-in model/ })).toBeChecked();
  await dialog.getByRole('button', { name: 'Open as a draft' }).click();
  const flow = flowPage(page);
  await flow.ready();
  await expect(flow.node('about')).toBeVisible();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const form = page.getByRole('dialog', { name: 'Run with input' });
  await form.getByRole('button', { name: 'Run', exact: true }).click();
  const result = flow.dock.getByRole('region', { name: 'Result' });
  await expect(result).toContainText('We are sorry, ada@example.com');
  expectValue(flow.id()).toBe('sort_messages_with_a_model');
});

test('Does the screen of templates find one by its words, and by its purpose?', async () => {
  const page = await stage.visit('/templates');
  const cards = page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading') });
  await expect(cards.first()).toBeVisible();
  await page.getByRole('searchbox', { name: 'Search templates' }).fill('triage');
  await expect(cards).toHaveCount(1);
  await expect(cards).toContainText('Sort messages');
  await page.getByRole('searchbox', { name: 'Search templates' }).fill('no such thing');
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.getByRole('button', { name: 'Models and chat' }).click();
  await expect(page.getByRole('region', { name: 'Models and chat' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Forms and people' })).toHaveCount(0);
});

test('Does a trigger begin a flow that is valid at once?', async () => {
  for (const name of ['A request', 'A form', 'A set time', 'A chat message']) {
    const page = await stage.visit('/');
    await page.getByRole('button', { name, exact: true }).click();
    const flow = flowPage(page);
    await flow.ready();
    await expect(flow.dock.getByText('No problems')).toBeVisible();
    const [made] = await stage.owner.data<FlowSummary[]>('GET', '/flows');
    await stage.owner.data('DELETE', `/flows/${made?.id}?revision=${made?.revision}`);
    await page.context().close();
  }
});

test('83. Are the needs of a template asked one after the other, and does its first run show a result with what ships?', async () => {
  const page = await stage.visit('/templates');
  await page.getByRole('button', { name: 'A report every night' }).click();
  const dialog = page.getByRole('dialog', { name: 'A report every night' });
  await dialog.getByRole('button', { name: 'Next' }).click();
  await expect(dialog).toContainText('1 of 2: A database');
  await expect(dialog.getByRole('radio', { name: /^The small shop/ })).toBeChecked();
  await dialog.getByRole('button', { name: 'Next' }).click();
  await expect(dialog).toContainText('2 of 2: A mail server');
  await dialog.getByRole('button', { name: 'Open as a draft' }).click();
  const flow = flowPage(page);
  await flow.ready();
  await expect(flow.dock.getByText('No problems')).toBeVisible();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const result = flow.dock.getByRole('region', { name: 'Result' });
  await expect(result).toContainText('owner@example.com');
  await expect(result).toContainText('Next: The mail is in the mailbox of the small shop.');
  await result.getByRole('link', { name: 'Open the mailbox' }).click();
  const mailbox = page.getByRole('region', { name: 'Mailbox' });
  await expect(mailbox.getByRole('article')).toContainText(/Sales until/);
  await expect(mailbox.frameLocator('iframe').getByText('Oak chair')).toBeVisible();
  await expect(mailbox.getByRole('list', { name: 'Attachments' })).toContainText('.xlsx');
});

test('Can a need be left for later, and does the draft say then what is missing?', async () => {
  const page = await stage.visit('/templates');
  await page.getByRole('button', { name: 'A tool for assistants (MCP)' }).click();
  const dialog = page.getByRole('dialog', { name: 'A tool for assistants (MCP)' });
  await dialog.getByRole('button', { name: 'Next' }).click();
  await dialog.getByRole('button', { name: 'Later' }).click();
  const flow = flowPage(page);
  await flow.ready();
  await expect(flow.node('find')).toBeVisible();
});

test('Can a connection be made in place, and is it chosen then?', async () => {
  const page = await stage.visit('/templates');
  await page.getByRole('button', { name: 'News of a service, as a mail' }).click();
  const dialog = page.getByRole('dialog', { name: 'News of a service, as a mail' });
  await dialog.getByRole('button', { name: 'Next' }).click();
  await dialog.getByRole('button', { name: 'New connection…' }).click();
  const form = page.getByRole('dialog', { name: 'New connection' });
  await form.getByRole('textbox', { name: 'Name' }).fill('my_service');
  await form.getByRole('textbox', { name: 'Address' }).fill('https://api.example.com');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByRole('radio', { name: /^my_service/ })).toBeChecked();
});

test('Do three hints lead through the first flow, each gone for good once it is done?', async () => {
  const page = await stage.visit('/');
  await page.getByRole('button', { name: 'A request', exact: true }).click();
  const flow = flowPage(page);
  await flow.ready();
  const hints = page.getByRole('region', { name: 'First steps' });
  // What starts it is selected, so that its settings are there, and answered, so that the first run shows something.
  await expect.poll(flow.selectedIds).toEqual(['http']);
  await expect(flow.edge('http.out', 'respond.in')).toBeAttached();
  await expect(hints).toContainText('Run tries this draft');
  await hints.getByRole('button', { name: 'Got it' }).click();
  await expect(hints).toContainText('Publish makes the flow live');
  await page.reload();
  await flow.ready();
  await expect(hints).toContainText('Publish makes the flow live');
  await flow.publish();
  await expect(hints).toHaveCount(0);
  await page.reload();
  await flow.ready();
  await expect(flow.node('http')).toBeVisible();
  await expect(hints).toHaveCount(0);
});

test('Are hints left out for whoever wants none, also in the next flow?', async () => {
  const page = await stage.visit('/');
  await page.getByRole('button', { name: 'A form', exact: true }).click();
  const flow = flowPage(page);
  await flow.ready();
  const hints = page.getByRole('region', { name: 'First steps' });
  await hints.getByRole('button', { name: 'No more hints' }).click();
  await expect(hints).toHaveCount(0);
  const [made] = await stage.owner.data<FlowSummary[]>('GET', '/flows');
  await stage.owner.data('DELETE', `/flows/${made?.id}?revision=${made?.revision}`);
  await page.goto('/');
  await page.getByRole('button', { name: 'A request', exact: true }).click();
  await flow.ready();
  await expect(flow.node('http')).toBeVisible();
  await expect(hints).toHaveCount(0);
});

test('Does axe find nothing on the first page, the templates, their steps and the shop, and does nothing scroll sideways?', async () => {
  await stage.owner.data('PUT', '/shop', { on: true });
  const made = await stage.owner.data<{ flow: string; sample: object }>(
    'POST',
    '/templates/nightly_report/flows',
    {
      choices: { shop: 'shop', shop_mail: 'shop_mail' },
    },
  );
  await stage.owner.data('POST', `/flows/${made.flow}/run`, { draft: true, ...made.sample });
  for (const width of [1440, 320]) {
    const page = await stage.visit('/shop', { viewport: { width, height: 900 } });
    const { look, found } = auditOf(page);
    const isWide = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    await expect(page.getByRole('article')).toContainText('Sales until');
    await look(`the shop at ${width}`);
    expectValue(await isWide()).toBe(false);
    await page.goto('/templates');
    await page.getByRole('button', { name: 'A signed webhook, each event once' }).waitFor();
    await look(`templates at ${width}`);
    expectValue(await isWide()).toBe(false);
    await page.getByRole('button', { name: 'A signed webhook, each event once' }).click();
    await look(`a template at ${width}`);
    await page.getByRole('dialog').getByRole('button', { name: 'Next' }).click();
    await expect(page.getByRole('radio', { name: /^Generated for you/ })).toBeChecked();
    await look(`a step at ${width}`);
    expectValue(found).toEqual([]);
    await page.context().close();
  }
});

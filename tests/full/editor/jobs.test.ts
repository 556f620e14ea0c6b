import { beforeEach, describe, test } from 'vitest';
import type { FlowSummary } from '#shared/api.ts';
import { paper } from '../../../server/integrations/documents/testing/made.ts';
import { expect } from '../../support/expect.ts';
import { freshId } from '../../editor/support/fixtures.ts';
import { liveChip } from '../../editor/support/flow-page.ts';
import { add, handsOn, makeFlow, newcomer } from '../../editor/support/hands.ts';
import { useOwnStage } from '../../editor/support/stage.ts';

/** Jobs of people who know what they want, from an empty server: no id is typed, nothing is restarted. What they take is printed. */
const stage = useOwnStage();

beforeEach(async () => {
  const flows = await stage.owner.data<FlowSummary[]>('GET', '/flows');
  for (const { id, revision } of flows) await stage.owner.data('DELETE', `/flows/${id}?revision=${revision}`);
});

// 12 clicks and typed ids in 0.2.0.
test('job b: a chat with an agent that has a flow as its tool', async () => {
  const tool = 'order_status';
  await stage.putFlow({
    format: 1,
    id: tool,
    name: 'Order status',
    description: 'Tells where an order is.',
    nodes: {
      start: { operator: 'trigger.manual' },
      say: { operator: 'text.template', params: { template: 'It is on its way.' } },
    },
    edges: [{ from: 'start.out', to: 'say.in' }],
  });
  const page = await stage.visit('/');
  const hands = handsOn(page);
  const { flow } = hands;
  await hands.click(page.getByRole('button', { name: 'New flow' }));
  await expect(page.getByRole('dialog', { name: 'New flow' }).getByLabel('Name')).toBeFocused();
  await hands.text('Desk');
  await hands.key('Enter');
  await flow.ready();
  await hands.click(flow.canvas.getByRole('button', { name: 'Chat message' }));
  await add(hands, 'agent.run');
  const tools = flow.field('params.agent.tools');
  await hands.click(tools.getByRole('button', { name: 'Add tool' }));
  await hands.click(page.getByRole('menuitem', { name: 'Flow' }));
  await hands.click(tools.getByRole('combobox', { name: 'Flow' }));
  await hands.click(page.getByRole('option', { name: /Order status/ }));
  await hands.key('Mod+Enter');
  const chat = page.getByRole('complementary', { name: 'Chat' });
  await expect(chat.getByLabel('Message')).toBeFocused();
  await hands.text(`Ask ${tool}`);
  await hands.key('Enter');
  const answer = chat.getByRole('article', { name: 'Answer' });
  await expect(answer.getByRole('button', { name: 'Tools' })).toBeVisible();
  await answer.getByRole('button', { name: 'Tools' }).click();
  await expect(answer.getByRole('region', { name: 'Tools' })).toContainText(`called ${tool}`);
  hands.done('b. Chat with an agent and a tool', { clicks: 9, keys: 3 });
});

// 48 clicks and a restart of the server in 0.2.0.
test('job d: a form takes a table into a database that is made on the way', async () => {
  const hands = await newcomer(stage);
  const { page, flow } = hands;
  await makeFlow(hands, 'Orders', 'mouse');
  await hands.click(flow.canvas.getByRole('button', { name: 'Form', exact: true }));
  await hands.click(flow.field('params.fields').getByRole('button', { name: 'Add field' }));
  await expect(flow.field('params.fields').locator('input:focus')).toHaveCount(1);
  await hands.text('orders');
  await hands.click(flow.field('params.fields[0].type').getByRole('combobox'));
  await hands.click(page.getByRole('option', { name: 'File', exact: true }));

  await add(hands, 'data.read-csv');
  await expect(flow.canvas, 'the edge carries the file').toContainText('orders');
  await add(hands, 'sql.execute');
  await hands.click(flow.field('params.connection').getByRole('combobox'));
  await hands.click(page.getByRole('option', { name: 'New connection…' }));
  const dialog = page.getByRole('dialog', { name: 'New connection' });
  await hands.click(dialog.getByRole('button', { name: /^SQLite / }));
  await hands.text('shop');
  await hands.click(dialog.getByRole('textbox', { name: 'File' }));
  await hands.text('shop.db');
  await hands.click(dialog.getByRole('button', { name: 'Save' }));
  await expect(flow.field('params.connection').getByRole('combobox')).toContainText('shop');
  await hands.click(flow.field('params.sql').locator('.cm-content'));
  await hands.text('CREATE TABLE IF NOT EXISTS orders (customer TEXT NOT NULL, amount REAL NOT NULL)');

  await add(hands, 'sql.execute');
  await expect(flow.field('params.connection').getByRole('combobox'), 'it is proposed').toContainText('shop');
  await hands.click(flow.field('params.sql').locator('.cm-content'));
  await hands.text('INSERT INTO orders (customer, amount) VALUES (:customer, :amount)');
  await hands.click(flow.inspector.getByRole('button', { name: 'Add option' }).first());
  await hands.click(page.getByRole('menuitem', { name: 'Once for each item of' }));
  await expect(flow.field('params.each').locator('.cm-content')).toBeFocused();
  await hands.key('Mod+a');
  await hands.text('{{ nodes.read_csv.rows }}');
  await flow.saved();
  await hands.click(page.getByRole('button', { name: 'Run', exact: true }));
  const form = page.getByRole('dialog', { name: 'Run with input' });
  await form.locator('input[type="file"]').setInputFiles({
    name: 'orders.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('customer,amount\nAda,7\nBo,9\n'),
  });
  await expect(form.getByRole('button', { name: 'Remove orders.csv' })).toBeVisible();
  await hands.click(form.getByRole('button', { name: 'Run', exact: true }));
  const result = flow.dock.getByRole('region', { name: 'Result' });
  await expect(result).toContainText('count');
  await expect(result).toContainText('2');
  await hands.click(page.getByRole('button', { name: 'Publish', exact: true }));
  await expect(liveChip(page).getByText(/^Live( v\d+)?$/)).toBeVisible();
  // The choice of the file is a click more.
  hands.done('d. A form, a table, a database', { clicks: 25, keys: 1 });
});

test('job e: a document answers questions with citations', async () => {
  const page = await stage.visit('/');
  const hands = handsOn(page);
  await hands.click(page.getByRole('link', { name: 'Knowledge', exact: true }));
  await hands.click(page.getByRole('button', { name: 'New space' }));
  await expect(page.getByRole('dialog', { name: 'New space' }).getByLabel('Name')).toBeFocused();
  await hands.text('Tea');
  await hands.key('Enter');
  await page.getByLabel('Files to upload').setInputFiles({
    name: 'paper.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.from(paper(['Green tea steeps two minutes', 'Black tea steeps four minutes'])),
  });
  await expect(page.locator('tbody').filter({ hasText: 'paper.pdf' }).getByRole('status')).toContainText(
    'Ready',
  );
  await hands.click(page.getByRole('button', { name: 'Ask the documents in a chat' }));
  await expect(page.getByRole('textbox', { name: 'Message', exact: true })).toBeVisible();
  await page.getByRole('textbox', { name: 'Message', exact: true }).focus();
  await hands.text('How long does black tea steep?');
  await hands.key('Enter');
  const answer = page.getByRole('article', { name: 'Answer' });
  await expect(answer).toContainText('Black tea steeps four minutes');
  const [document] = await Promise.all([
    page.waitForEvent('popup'),
    hands.click(answer.getByRole('link', { name: /paper\.pdf/ }).first()),
  ]);
  await expect(document.locator('mark').first()).toContainText('Black tea');
  hands.done('e. A document that answers', { clicks: 5, keys: 2 });
});

describe('Jobs of our own', () => {
  test('a counter that remembers, read by another node', async () => {
    const hands = await newcomer(stage);
    const { page, flow } = hands;
    await makeFlow(hands, 'Visits', 'mouse');
    await hands.click(flow.canvas.getByRole('button', { name: 'Manual start' }));
    await add(hands, 'state.add');
    await hands.click(flow.field('params.key').getByRole('combobox'));
    await expect(page.getByRole('combobox', { name: 'Search stored value' })).toBeFocused();
    await hands.text('visits');
    await hands.click(page.getByRole('option', { name: 'Use “visits”' }));
    await add(hands, 'state.get');
    await hands.click(flow.field('params.key').getByRole('combobox'));
    await hands.click(page.getByRole('option', { name: /^visits/ }));
    await expect(flow.field('params.key').getByRole('combobox')).toContainText('visits');
    await hands.click(page.getByRole('button', { name: 'Run', exact: true }));
    await expect(flow.dock.getByRole('region', { name: 'Result' })).toContainText('1');
    hands.done('A counter', { clicks: 12, keys: 0 });
  });

  test('a variable that is made where it lacks', async () => {
    const hands = await newcomer(stage);
    const { page, flow } = hands;
    await makeFlow(hands, 'Greeting', 'mouse');
    await hands.click(flow.canvas.getByRole('button', { name: 'Manual start' }));
    await add(hands, 'text.template');
    await hands.click(flow.field('params.template').locator('.cm-content'));
    await hands.text('Hello from {{ vars.shop_name }}');
    await hands.key('Mod+s');
    await hands.click(flow.field('params.template').getByRole('button', { name: 'Create it' }));
    const dialog = page.getByRole('dialog', { name: 'New variable' });
    await expect(dialog.getByLabel('Value')).toBeFocused();
    await hands.text('Lisbon');
    await hands.click(dialog.getByRole('button', { name: 'Save' }));
    await expect(dialog).toHaveCount(0);
    await hands.click(page.getByRole('button', { name: 'Run', exact: true }));
    await expect(flow.dock.getByRole('region', { name: 'Result' })).toContainText('Hello from Lisbon');
    hands.done('A variable', { clicks: 9, keys: 1 });
  });

  test('a question to people, answered where it waits', async () => {
    const hands = await newcomer(stage);
    const { page, flow } = hands;
    await makeFlow(hands, 'Leave', 'mouse');
    await hands.click(flow.canvas.getByRole('button', { name: 'Manual start' }));
    await add(hands, 'human.approval');
    await hands.click(flow.field('params.title').locator('.cm-content'));
    await hands.text('May Ada go home?');
    await hands.click(page.getByRole('button', { name: 'Run', exact: true }));
    await expect(flow.status('approval')).toHaveText(/^Waiting/);
    await hands.click(flow.dock.getByRole('button', { name: 'Decide…' }));
    await hands.click(page.getByRole('dialog').getByRole('button', { name: 'Approve' }));
    await expect(flow.status('approval')).toHaveText(/^OK/);
    hands.done('A question to people', { clicks: 9, keys: 0 });
  });

  test('an app with a space of knowledge that is made in place', async () => {
    const page = await stage.visit('/');
    const hands = handsOn(page);
    await hands.click(page.getByRole('link', { name: 'Apps', exact: true }));
    await hands.click(page.getByRole('button', { name: 'Create the first app' }));
    await hands.click(page.getByRole('region', { name: 'The app' }).getByLabel('Name'));
    await hands.text('Tea desk');
    const agent = page.getByRole('region', { name: 'Assistant' });
    await hands.click(agent.getByRole('button', { name: 'Add: Knowledge' }));
    await hands.click(agent.getByRole('combobox', { name: 'Knowledge of tool 1' }));
    await expect(page.getByPlaceholder(/^Search /)).toBeFocused();
    await hands.text('Oolong');
    await hands.click(page.getByRole('option', { name: 'New space…' }));
    await hands.click(
      page.getByRole('dialog', { name: 'New space' }).getByRole('button', { name: 'Create' }),
    );
    await expect(agent.getByRole('combobox', { name: 'Knowledge of tool 1' })).toContainText('Oolong');
    await hands.click(page.getByRole('button', { name: 'Save' }));
    await expect(page.getByRole('row').filter({ hasText: 'Tea desk' })).toBeVisible();
    hands.done('An app with knowledge', { clicks: 9, keys: 0 });
  });

  test('a failed run, understood, mended and gone on with where it failed', async () => {
    const id = freshId();
    await stage.putFlow({
      format: 1,
      id,
      nodes: {
        start: { operator: 'trigger.manual' },
        text: { operator: 'text.template', params: { template: 'city=Oslo' } },
        parse: { operator: 'text.parse-json' },
      },
      edges: [
        { from: 'start.out', to: 'text.in' },
        { from: 'text.out', to: 'parse.in' },
      ],
    });
    const page = await stage.visit(`/flows/${id}`);
    const hands = handsOn(page);
    const { flow } = hands;
    await flow.ready();
    await hands.click(page.getByRole('button', { name: 'Run', exact: true }));
    const result = flow.dock.getByRole('region', { name: 'Result' });
    await expect(result.getByRole('group', { name: 'Error', exact: true })).toBeVisible();
    await hands.click(result.getByRole('button', { name: 'Show the node' }));
    await expect.poll(flow.selectedIds).toEqual(['parse']);
    await hands.click(flow.node('text').getByText('Template', { exact: true }));
    await expect.poll(flow.selectedIds).toEqual(['text']);
    await hands.click(flow.tab('Settings'));
    await hands.click(flow.field('params.template').locator('.cm-content'));
    await hands.key('Mod+a');
    await hands.text('{ "city": "Oslo" }');
    await hands.key('Mod+Enter');
    await expect(result).toContainText('Oslo');
    hands.done('A failed run', { clicks: 5, keys: 2 });
  });
});

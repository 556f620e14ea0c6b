import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, onTestFinished, test } from 'vitest';
import { startImap } from '../../../server/integrations/connections/kinds/imap/testing/imap-server.ts';
import { freshId, openFlow } from '../../editor/support/fixtures.ts';
import { pickName } from '../../editor/support/pick-name.ts';
import { useStage } from '../../editor/support/stage.ts';
import { expect } from '../../support/expect.ts';
import { tempFolder } from '../../support/server.ts';

/** Whatever a setting names is chosen by its title, found by a search, and made in place. */
const stage = useStage();

async function openNode(node: object, more: Record<string, object> = {}) {
  const id = freshId();
  await stage.putFlow({ format: 1, id, nodes: { one: node, ...more }, edges: [] } as never, {
    format: 1,
    nodes: Object.fromEntries(['one', ...Object.keys(more)].map((key, i) => [key, { x: 300 * i, y: 0 }])),
  });
  const flow = await openFlow(stage, id);
  await flow.page.setViewportSize({ width: 1440, height: 900 });
  await flow.select('one');
  const params = (): Record<string, unknown> => JSON.parse(stage.fileText(id)).nodes.one.params ?? {};
  const pick = async (field: string, search: string, option: string | RegExp): Promise<void> => {
    await flow.field(field).getByRole('combobox').click();
    await flow.page.getByRole('combobox', { name: /^Search / }).fill(search);
    await flow.page.getByRole('option', { name: option }).click();
  };
  return { flow, id, params, pick };
}

describe('A picker', () => {
  test('Is a flow found by its name, also a draft, and is its trigger chosen beside it?', async () => {
    const called = freshId();
    await stage.putFlow({
      format: 1,
      id: called,
      name: `Count the stock ${called}`,
      nodes: { by_hand: { operator: 'trigger.manual' }, other: { operator: 'trigger.manual' } },
      edges: [],
    });
    const { flow, params, pick } = await openNode({ operator: 'flow.call', params: {} });
    await pick('params.flow', `stock ${called}`, /Count the stock/);
    await expect(flow.field('params.flow').getByRole('combobox')).toContainText('Count the stock');
    await pick('params.trigger', '', /by_hand/);
    await flow.saved();
    expect(params()).toMatchObject({ flow: called, trigger: 'by_hand' });
  });

  test('Is a flow made in place, and named by the node?', async () => {
    const name = `Made here ${freshId()}`;
    const { flow, params } = await openNode({ operator: 'flow.call', params: {} });
    await flow.field('params.flow').getByRole('combobox').click();
    await flow.page.getByPlaceholder(/^Search /).fill(name);
    await expect(flow.page.getByRole('status').getByText('Nothing has this name.')).toBeVisible();
    await flow.key('Enter');
    const dialog = flow.page.getByRole('dialog', { name: 'New flow' });
    await expect(dialog.getByLabel('Name')).toHaveValue(name);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await expect(flow.field('params.flow').getByRole('combobox')).toContainText(name);
    await flow.saved();
    expect(String(params()['flow'])).toMatch(/^made_here/);
  });

  test('Is a name that is not there shown as such, and can it be created?', async () => {
    const { flow } = await openNode({ operator: 'flow.call', params: { flow: 'nowhere_to_be' } });
    const field = flow.field('params.flow');
    await expect(field.getByText('There is no flow “nowhere_to_be” here.')).toBeVisible();
    await field.getByRole('button', { name: 'Create it' }).click();
    await expect(flow.page.getByRole('dialog', { name: 'New flow' }).getByLabel('Name')).toHaveValue(
      'nowhere_to_be',
    );
  });

  test('Are spaces, models, apps and nodes chosen, and made where they can be?', async () => {
    const space = freshId();
    const { flow, params, pick } = await openNode({ operator: 'knowledge.remove', params: {} });
    await pick('params.space', space, 'New space…');
    const dialog = flow.page.getByRole('dialog', { name: 'New space' });
    await expect(dialog.getByLabel('Name')).toHaveValue(space);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await expect(flow.field('params.space').getByRole('combobox')).toContainText(space);
    await flow.saved();
    expect(params()).toMatchObject({ space });
  });

  test('Is a model chosen, and any other one written?', async () => {
    const { flow, params, pick } = await openNode({ operator: 'model.chat', params: {} });
    await pick('params.model', 'echo', 'demo/echo');
    await flow.saved();
    expect(params()).toMatchObject({ model: 'demo/echo' });
    await pick('params.model', 'mine/own', 'Use “mine/own”');
    await flow.saved();
    expect(params()).toMatchObject({ model: 'mine/own' });
  });

  test('Is an app made in place, and does the agent beside it disappear?', async () => {
    const { flow, params, pick } = await openNode({ operator: 'agent.run', params: {} });
    await pick('params.app', `Helper ${freshId()}`, 'New app…');
    await flow.page.getByRole('dialog', { name: 'New app' }).getByRole('button', { name: 'Create' }).click();
    await expect(flow.field('params.app').getByRole('combobox')).toContainText('Helper');
    await expect(flow.field('params.agent')).toHaveCount(0);
    await flow.saved();
    expect(params()['app']).toBeTruthy();
  });

  test('Is a node of the flow chosen by its name?', async () => {
    const { flow, params, pick } = await openNode(
      { operator: 'human.link', params: {} },
      {
        ask: { operator: 'human.approval', name: 'Ask the boss', params: { title: 'Really?' } },
        text: { operator: 'text.template', params: { template: 'x' } },
      },
    );
    await pick('params.node', '', /Ask the boss/);
    await flow.saved();
    expect(params()).toMatchObject({ node: 'ask' });
  });

  test('Does it work by keys, and does Escape leave it as it was?', async () => {
    const { flow, params } = await openNode({ operator: 'model.chat', params: {} });
    await flow.field('params.model').getByRole('combobox').focus();
    await flow.key('Enter');
    await flow.page.keyboard.type('slow');
    await flow.key('Escape');
    await expect(flow.field('params.model').getByRole('combobox')).toBeFocused();
    await flow.key('Enter');
    await flow.page.keyboard.type('slow');
    await flow.key('Enter');
    await flow.saved();
    expect(params()).toMatchObject({ model: 'demo/slow' });
  });
});

describe('Names that belong to what is chosen beside them', () => {
  test('Are the mailboxes of the connection found, and is one made on its server?', async () => {
    const server = await startImap([
      { name: 'INBOX' },
      { name: 'Archive', flags: ['\\Archive'] },
      { name: '<img src=x onerror=alert(1)>' },
    ]);
    onTestFinished(() => server.close());
    const box = freshId();
    const { flow, id, params, pick } = await openNode({ operator: 'mail.search', name: 'Find', params: {} });
    const settings = { host: '127.0.0.1', port: server.port, user: 'ada', password: 'right', tls: 'off' };
    await stage.owner.data('PUT', `/connections/${box}`, { kind: 'imap', settings, grants: { flows: [id] } });
    await flow.page.reload();
    await flow.ready();
    await flow.select('one');
    await pick('params.connection', box, new RegExp(box));
    await flow.field('params.mailbox').getByRole('combobox').click();
    await expect(flow.page.getByRole('option')).toHaveText([
      /^INBOX/,
      /^Archive/,
      /^<img src=x onerror=alert\(1\)>/,
      'New mailbox…',
    ]);
    await flow.page.getByRole('combobox', { name: /^Search / }).fill('Orders');
    await flow.page.getByRole('option', { name: 'New mailbox…' }).click();
    const dialog = flow.page.getByRole('dialog', { name: 'New mailbox' });
    await expect(dialog.getByLabel('Name')).toHaveValue('Orders');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await expect(flow.field('params.mailbox').getByRole('combobox')).toContainText('Orders');
    expect(server.names()).toContain('Orders');
    await flow.saved();
    expect(params()).toMatchObject({ connection: box, mailbox: 'Orders' });
    await flow.field('params.mailbox').getByRole('button', { name: 'Mailbox: use an expression' }).click();
    await expect(flow.field('params.mailbox').locator('.cm-content')).toContainText('Orders');
  });

  test('Are the documents of all spaces of a search found?', async () => {
    const [first, second] = [freshId(), freshId()];
    for (const name of [first, second]) {
      const { id } = await stage.owner.data<{ id: string }>('POST', '/knowledge/spaces', { name });
      await stage.owner.data('POST', `/knowledge/spaces/${id}/documents`, {
        name: `about ${name}`,
        text: 'Tea is steeped for two minutes.',
      });
    }
    const { flow, params } = await openNode({
      operator: 'knowledge.retrieve',
      params: { spaces: [first, second], documents: [''] },
    });
    const field = flow.field('params.documents[0]');
    await field.getByRole('combobox').click();
    await expect(flow.page.getByRole('option')).toHaveText([
      new RegExp(`about ${first}`),
      new RegExp(`about ${second}`),
    ]);
    await flow.page.getByRole('option', { name: new RegExp(`about ${second}`) }).click();
    await flow.saved();
    expect(params()['documents']).toEqual([`about ${second}`]);
  });

  test('Are stored values found by the names that other nodes use, and is a new one written?', async () => {
    const { flow, params, pick } = await openNode(
      { operator: 'state.get', params: {} },
      {
        count: { operator: 'state.add', name: 'Count visits', params: { key: 'visits' } },
        other: { operator: 'state.set', params: { key: 'last_{{ input.id }}', value: 1 } },
      },
    );
    await pick('params.key', 'vis', /^visits/);
    await flow.saved();
    expect(params()).toMatchObject({ key: 'visits' });
    await pick('params.key', 'basket_{{ input.id }}', 'Use “basket_{{ input.id }}”');
    await expect(flow.field('params.key').locator('.cm-content')).toContainText('basket_');
    await flow.saved();
    expect(params()).toMatchObject({ key: 'basket_{{ input.id }}' });
  });

  test('Are the fields of the input found, also of the items of a list?', async () => {
    const id = freshId();
    const request = { type: 'object', properties: { city: { type: 'string' }, size: { type: 'number' } } };
    await stage.putFlow({
      format: 1,
      id,
      nodes: {
        start: { operator: 'trigger.manual', params: { input: request } },
        one: { operator: 'data.pick', params: { fields: [''] } },
      },
      edges: [{ from: 'start.out', to: 'one.in' }],
    } as never);
    const flow = await openFlow(stage, id);
    await flow.select('one');
    await flow.field('params.fields[0]').getByRole('combobox').click();
    await expect(flow.page.getByRole('option')).toHaveText([/^city/, /^size/]);
    await flow.page.getByRole('option', { name: /^size/ }).click();
    await flow.field('params.fields').getByRole('button', { name: 'Add field' }).click();
    await expect(flow.field('params.fields[1]').getByRole('combobox')).toBeFocused();
    await flow.saved();
    expect(JSON.parse(stage.fileText(id)).nodes.one.params.fields[0]).toBe('size');
  });
});

test('Is an address written, or taken from a secret that is made in place?', async () => {
  const secret = freshId();
  const { flow, params, pick } = await openNode({
    operator: 'human.approval',
    params: { title: 'Really?', notify: 'https://example.com/hook' },
  });
  const field = flow.field('params.notify');
  await expect(field.locator('.cm-content')).toContainText('https://example.com/hook');
  await field.getByRole('button', { name: 'Notify: use a secret' }).click();
  await pick('params.notify', secret, 'New secret…');
  const dialog = flow.page.getByRole('dialog', { name: 'New secret' });
  await dialog.getByLabel('Value').fill('https://example.com/hidden');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(field.getByRole('combobox')).toContainText(secret);
  await flow.saved();
  expect(params()['notify']).toEqual({ $secret: secret });
});

test('Is a variable that an expression reads made where it lacks?', async () => {
  const name = freshId();
  const { flow } = await openNode({ operator: 'text.template', params: { template: `{{ vars.${name} }}` } });
  const field = flow.field('params.template');
  await expect(field).toContainText('There is no variable');
  await field.getByRole('button', { name: 'Create it' }).click();
  const dialog = flow.page.getByRole('dialog', { name: 'New variable' });
  await expect(dialog.getByLabel('Name')).toHaveValue(name);
  await dialog.getByLabel('Value').fill('7');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(field.getByText('There is no variable')).toHaveCount(0);
});

describe('Outside of nodes', () => {
  test('Are the tools and models of an app chosen, and is a space made in place?', async () => {
    const space = freshId();
    const page = await stage.visit('/apps/new');
    await page.getByRole('region', { name: 'The app' }).getByLabel('Name').fill(`Desk ${space}`);
    const agent = page.getByRole('region', { name: 'Assistant' });
    await pickName(agent, 'Models', 'demo/echo');
    await pickName(agent, 'Models', 'demo/slow');
    await expect(agent.getByRole('list', { name: 'Chosen models' }).getByRole('listitem')).toHaveText([
      'demo/echo',
      'demo/slow',
    ]);
    await agent.getByRole('button', { name: 'Remove demo/echo' }).click();
    await agent.getByRole('button', { name: 'Add: Knowledge' }).click();
    await agent.getByRole('combobox', { name: 'Knowledge of tool 1' }).click();
    await page.getByPlaceholder(/^Search /).fill(space);
    await page.getByRole('option', { name: 'New space…' }).click();
    const dialog = page.getByRole('dialog', { name: 'New space' });
    await expect(dialog.getByLabel('Name')).toHaveValue(space);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await expect(agent.getByRole('combobox', { name: 'Knowledge of tool 1' })).toContainText(space);
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('row').filter({ hasText: `Desk ${space}` })).toBeVisible();
  });

  test('Are apps and keys of budgets chosen, with a row for all others?', async () => {
    const page = await stage.visit('/usage');
    const budgets = page.getByRole('region', { name: 'Budgets' });
    await budgets.getByRole('button', { name: 'API key' }).click();
    const key = budgets.getByRole('combobox', { name: 'Name of the key' });
    await expect(key).toContainText('All other keys');
    await key.click();
    await expect(page.getByRole('option').first()).toHaveText(/^All other keys/);
    await page.keyboard.press('Escape');
    await budgets.getByRole('button', { name: 'Discard' }).click();
  });
});

describe('A path in a folder', () => {
  const folder = tempFolder('picked');
  const withFolder = useStage({ WEFT_FOLDERS: `inbox=${folder}` });

  test('Is a file of the chosen folder found, and any other path written?', async () => {
    mkdirSync(join(folder, '2026'));
    for (const path of ['people.csv', '2026/report.csv']) writeFileSync(join(folder, path), 'a');
    const id = freshId();
    await withFolder.putFlow({
      format: 1,
      id,
      nodes: { one: { operator: 'file.read', params: { folder: 'inbox' } } },
      edges: [],
    });
    const flow = await openFlow(withFolder, id);
    await flow.select('one');
    const path = flow.field('params.path').getByRole('combobox');
    const params = (): unknown => JSON.parse(withFolder.fileText(id)).nodes.one.params;
    await path.click();
    await flow.page.getByPlaceholder(/^Search /).fill('rep');
    await flow.page.getByRole('option', { name: '2026/report.csv' }).click();
    await flow.saved();
    expect(params()).toEqual({ folder: 'inbox', path: '2026/report.csv' });
    await path.click();
    await expect(flow.page.getByRole('option')).toHaveText(['2026Folder', '2026/report.csv', 'people.csv']);
    await flow.page.getByPlaceholder(/^Search /).fill('new.csv');
    await flow.page.getByRole('option', { name: 'Use “new.csv”' }).click();
    await flow.saved();
    expect(params()).toEqual({ folder: 'inbox', path: 'new.csv' });
  });
});

describe('Settings that another choice needs', () => {
  test('Are they there with it, gone without it, and is nothing lost?', async () => {
    const { flow, params } = await openNode({
      operator: 'http.request',
      params: { url: 'https://example.com', method: 'POST', bodyType: 'json', body: { kept: 1 } },
    });
    await expect(flow.field('params.body')).toBeVisible();
    await flow.field('params.bodyType').getByRole('combobox').click();
    await flow.page.getByRole('option', { name: 'None' }).click();
    const unused = flow.inspector.getByRole('region', { name: 'Set, but not used' });
    await expect(unused).toContainText('Body');
    await flow.saved();
    expect(params()['body']).toEqual({ kept: 1 });
    await flow.field('params.bodyType').getByRole('combobox').click();
    await flow.page.getByRole('option', { name: 'JSON' }).click();
    await expect(unused).toHaveCount(0);
    await expect(flow.field('params.body')).toBeVisible();
  });
});

describe('The tools of an agent', () => {
  test('Are they chosen, described and tried in place, with a few clicks and without an id?', async () => {
    const called = freshId();
    await stage.putFlow({
      format: 1,
      id: called,
      name: `Order status ${called}`,
      nodes: {
        start: {
          operator: 'trigger.manual',
          params: {
            input: { type: 'object', required: ['order'], properties: { order: { type: 'string' } } },
          },
        },
        say: { operator: 'text.template', params: { template: 'Order {{ input.order }} is on its way.' } },
      },
      edges: [{ from: 'start.out', to: 'say.in' }],
    });
    const { flow, params } = await openNode({
      operator: 'agent.run',
      params: { agent: { name: 'Clerk', model: 'demo/chat' } },
    });
    let clicks = 0;
    const click = async (target: { click(): Promise<void> }): Promise<void> => {
      clicks++;
      await target.click();
    };
    const tools = flow.field('params.agent.tools');
    await click(tools.getByRole('button', { name: 'Add tool' }));
    await click(flow.page.getByRole('menuitem', { name: 'Flow' }));
    await click(tools.getByRole('combobox', { name: 'Flow' }));
    await flow.page.getByPlaceholder(/^Search /).fill(called);
    await flow.key('Enter');
    // 12 clicks and a typed id before.
    expect(clicks).toBeLessThanOrEqual(3);
    await tools.getByLabel('When to use it').fill('Tells where an order is.');
    await expect(tools.getByText(/is a demo: it calls a tool only if the message names it/)).toBeVisible();
    await flow.saved();
    expect(params()).toMatchObject({
      agent: {
        tools: [
          { type: 'flow', name: called, value: { flow: called, description: 'Tells where an order is.' } },
        ],
      },
    });
    await tools.getByRole('button', { name: 'Try this tool' }).click();
    await expect(tools.getByText('Tells where an order is.').last()).toBeVisible();
    await tools.getByLabel('Order').fill('7');
    await tools.getByRole('button', { name: 'Call it' }).click();
    await expect(tools.getByText('Order 7 is on its way.')).toBeVisible();
    await tools.getByRole('button', { name: `Remove ${called}` }).click();
    await flow.saved();
    expect(params()).toMatchObject({ agent: { tools: [] } });
  });

  test('Is a tool that cannot be used said to be so?', async () => {
    const { flow } = await openNode({
      operator: 'agent.run',
      params: { agent: { name: 'Clerk', tools: [{ type: 'flow', name: 'lost', value: 'no_such_flow' }] } },
    });
    const tools = flow.field('params.agent.tools');
    await tools.getByRole('button', { name: /lost/ }).first().click();
    await tools.getByRole('button', { name: 'Try this tool' }).click();
    await expect(tools.getByRole('alert')).toContainText('there is no live flow no_such_flow');
  });
});

test('Is what a node lacks allowed by a button, without another screen?', async () => {
  const name = freshId();
  await stage.owner.data('PUT', `/secrets/${name}`, {
    value: 'hush',
    grants: { hosts: ['other.example.com'] },
  });
  const { flow } = await openNode({
    operator: 'http.request',
    params: { url: 'https://models.example.com/x', auth: { type: 'bearer', secret: { $secret: name } } },
  });
  const secret = flow.field('params.auth.secret');
  await secret.getByRole('button', { name: 'Allow models.example.com' }).click();
  await expect(secret.getByText(/is not granted/)).toHaveCount(0);
});

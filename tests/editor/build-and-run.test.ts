import { expect } from '../support/expect.ts';
import { test } from 'vitest';
import { formatFlow, parse } from '#engine/check';
import { call } from '../support/client.ts';
import { choose, flowPage } from './support/flow-page.ts';
import { useOwnStage } from './support/stage.ts';

/** The first whole job: from nothing to a flow that answers, with nothing but the screen. */
const stage = useOwnStage();

test('Can somebody draw a flow from nothing, save it, call it and watch it run?', async () => {
  const page = await stage.visit('/');
  await page.getByRole('button', { name: 'Create the first flow' }).click();
  const dialog = page.getByRole('dialog', { name: 'New flow' });
  await dialog.getByLabel('Name').fill('Greeter');
  await expect(dialog.getByLabel('Id')).toHaveValue('greeter');
  await dialog.getByRole('button', { name: 'Create' }).click();

  const flow = flowPage(page);
  await flow.ready();
  await flow.canvas.getByRole('button', { name: 'HTTP request', exact: true }).click();
  await expect(flow.node('http')).toBeVisible();
  const trigger = await flow.node('http').boundingBox();
  await flow.addByDrag('text.template', { x: (trigger?.x ?? 0) + 400, y: (trigger?.y ?? 0) - 60 });
  await flow.connect(flow.output('http'), flow.input('template'));
  await expect(flow.edge('http.out', 'template.in')).toBeAttached();

  await flow.select('http');
  await flow.field('params.path').getByRole('textbox').fill('/greet');
  await choose(flow.field('params.auth'), 'Anyone');
  const request = flow.field('params.request');
  await request.getByRole('button', { name: 'Add field' }).click();
  await request.getByLabel('Name of the field').fill('name');
  await page.keyboard.press('Enter');
  await expect(request.getByRole('checkbox', { name: 'name is required' })).toBeChecked();

  await flow.select('template');
  await flow.write('params.template', 'Hello {{ input.name }}!');
  await expect(flow.dock.getByText('No problems')).toBeVisible();
  await flow.publish();

  const text = stage.fileText('greeter');
  const { flow: saved, problems } = parse(text, { id: 'greeter' });
  expect(problems).toEqual([]);
  expect(saved && formatFlow(saved)).toBe(text);
  expect(saved).toMatchObject({
    name: 'Greeter',
    nodes: {
      http: {
        operator: 'trigger.http',
        params: {
          path: '/greet',
          auth: 'none',
          request: { required: ['name'], properties: { name: { type: 'string' } } },
        },
      },
      template: { operator: 'text.template', params: { template: 'Hello {{ input.name }}!' } },
    },
    edges: [{ from: 'http.out', to: 'template.in' }],
  });
  await flow.node('template').focus();
  await flow.key('Space', 'ArrowDown');
  await flow.save();
  expect(stage.fileText('greeter'), 'moving a node leaves the file alone').toBe(text);

  await flow.dock.getByRole('tab', { name: 'Log' }).click();
  const answer = await call(stage.server, '/greet?name=Ada');
  expect([answer.status, answer.body ?? answer.text]).toEqual([200, 'Hello Ada!']);
  for (const id of ['http', 'template']) await expect(flow.status(id)).toHaveText(/^OK/);
  await flow.select('template');
  await flow.tab('Output').click();
  await expect(flow.inspector).toContainText('Hello Ada!');
  await flow.tab('Input').click();
  await expect(flow.inspector).toContainText('Ada');
  await expect(flow.dock.locator('[data-line]').filter({ hasText: 'Template' }).first()).toBeVisible();
  await flow.dock
    .locator('[data-line]')
    .filter({ hasText: /HTTP request.*Finished/ })
    .first()
    .click();
  await expect.poll(flow.selectedIds).toEqual(['http']);

  const refused = await call(stage.server, '/greet');
  expect(refused.status).toBe(400);
});

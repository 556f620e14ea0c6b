import { expect } from '../../support/expect.ts';
import { test } from 'vitest';
import { flowPage, liveChip } from '../../editor/support/flow-page.ts';
import { useOwnStage } from '../../editor/support/stage.ts';
import { call } from '../../support/client.ts';
import { fencesOf } from '../../support/markdown.ts';

/** Steps 1 to 5 of docs/tutorial.md, by the mouse, in an empty folder. */
const stage = useOwnStage();

/** The text that the page asks to write, and the flow that it says one has drawn. */
const THANKS =
  'Thank you, {{ input.customer }}. It is ready on {{ formatDate(plus(now(), 3, "days"), "yyyy-MM-dd") }}.';
const drawn = (): { nodes: Record<string, { params: unknown }>; edges: unknown } => {
  const fence = fencesOf('docs/tutorial.md').find(({ before }) => before.includes('`flows/orders.json`:'));
  return JSON.parse(fence?.text ?? '') as never;
};

test('Does the first half of the tutorial lead to the flow that it shows?', async () => {
  const page = await stage.visit('/');
  const flow = flowPage(page);
  const answer = async (query: string) =>
    call(stage.server, `/order?${query}`, { headers: { authorization: `Bearer ${stage.server.key}` } });

  // 1. The small shop.
  await page.goto('/templates');
  await page.getByRole('link', { name: 'Small shop' }).click();
  await page.getByRole('switch', { name: 'Small shop' }).click();
  await expect(page.getByRole('switch', { name: 'Small shop' })).toBeChecked();

  // 2. A first flow.
  await page.goto('/');
  await page
    .getByRole('button', { name: /^(New flow|Create the first flow)$/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog', { name: 'New flow' });
  await dialog.getByLabel('Name').fill('Orders');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await flow.ready();
  await flow.canvas.getByRole('button', { name: 'HTTP request' }).click();
  await flow.field('params.path').getByRole('textbox').fill('/order');
  await page.keyboard.press('Tab');
  await expect(flow.node('http')).toContainText('GET /order');
  const request = flow.field('params.request');
  for (const name of ['customer', 'quantity']) {
    await request.getByRole('button', { name: 'Add field' }).click();
    const added = request.getByRole('textbox', { name: 'Name of the field' }).last();
    await expect(added).toBeFocused();
    await added.fill(name);
    await page.keyboard.press('Enter');
    await expect(request.getByRole('checkbox', { name: `${name} is required` })).toBeChecked();
  }
  await expect(request.getByRole('combobox', { name: 'Type of quantity' })).toHaveText('number');
  await page.getByRole('button', { name: 'Add a node' }).click();
  await flow.picker.locator('[data-operator="text.template"]').last().click();
  await expect(flow.edge('http.out', 'template.in')).toBeAttached();
  await flow.write('params.template', THANKS);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  const form = page.getByRole('dialog', { name: 'Run with input' });
  await form.getByRole('textbox').first().fill('Ada');
  await form.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(flow.status('template')).toHaveText(/^OK/);
  const result = flow.dock.getByRole('region', { name: 'Result' });
  await expect(result).toContainText(/Thank you, Ada. It is ready on \d{4}-\d\d-\d\d\./);
  await flow.saved();
  const saved = JSON.parse(stage.fileText('orders')) as ReturnType<typeof drawn>;
  const wanted = drawn();
  expect(saved.edges).toEqual(wanted.edges);
  expect(saved.nodes['template']?.params).toEqual(wanted.nodes['template']?.params);
  expect(saved.nodes['http']?.params).toMatchObject(wanted.nodes['http']?.params as Record<string, unknown>);

  // 3. Mistakes are told before any run. A field that nobody declared is a warning, an unknown function keeps the flow from going live.
  const publish = page.getByRole('button', { name: 'Publish', exact: true });
  await flow.select('template');
  await flow.write('params.template', THANKS.replace('customer', 'custmer'));
  await expect(flow.node('template')).toContainText('1 warning');
  await expect(publish).toBeEnabled();
  await flow.inspector.getByRole('button', { name: 'Write customer' }).click();
  await expect(flow.dock.getByText('No problems')).toBeVisible();
  await flow.write('params.template', THANKS.replace('formatDate', 'formatdate'));
  await expect(flow.node('template')).toContainText('1 error');
  await expect(publish).toBeDisabled();
  await flow.write('params.template', THANKS);
  await expect(flow.dock.getByText('No problems')).toBeVisible();

  // 4. Publish, and take it back.
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(liveChip(page).getByText(/^Live( v1)?$/)).toBeVisible();
  await flow.write('params.template', 'Thanks, {{ input.customer }}.');
  const chip = (text: string) => page.getByRole('banner').getByText(text, { exact: true });
  await expect(chip('Live v1, 1 change')).toBeVisible();
  expect((await answer('customer=Ada&quantity=2')).text).toContain('Thank you, Ada.');
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  const changes = page.getByRole('dialog', { name: 'Publish these changes?' });
  await changes.getByRole('button', { name: 'Publish' }).click();
  await expect(chip('Live v2')).toBeVisible();
  expect((await answer('customer=Ada&quantity=2')).body).toBe('Thanks, Ada.');
  await page.getByRole('button', { name: 'Roll back' }).first().click();
  await expect(chip('Live v1, 1 change')).toBeVisible();

  // 5. A key, and a call.
  expect((await call(stage.server, '/order?customer=Ada&quantity=2')).status).toBe(401);
  expect((await answer('customer=Ada&quantity=2')).text).toContain('Thank you, Ada.');
  expect((await answer('customer=Ada')).text).toContain('query.quantity: Field required');
});

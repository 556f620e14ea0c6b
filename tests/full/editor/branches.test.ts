import { expect } from '../../support/expect.ts';
import { test } from 'vitest';
import { call } from '../../support/client.ts';
import { choose, type FlowPage, flowPage } from '../../editor/support/flow-page.ts';
import { useOwnStage } from '../../editor/support/stage.ts';

/** The second whole job: branches, a failure that is routed, and a restart. */
const stage = useOwnStage();

interface Order {
  readonly amount: number;
  readonly text?: string;
}

const order = (body: Order) =>
  call(stage.server, '/triage', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

test('Do two branches, a merge and a routed failure work when drawn, and after a restart?', async () => {
  await stage.putFlow({ format: 1, id: 'triage', nodes: {}, edges: [] });
  const page = await stage.visit('/flows/triage');
  const flow = flowPage(page);
  await flow.ready();

  /** By the keyboard: each node is put after the selected one and wired to it. */
  const add = async (words: string, id: string): Promise<void> => {
    await flow.key('Shift+n');
    await expect(flow.picker).toBeVisible();
    await page.keyboard.type(words);
    await flow.key('Enter');
    await expect(flow.node(id)).toBeVisible();
    await expect.poll(flow.selectedIds).toEqual([id]);
  };
  await flow.canvas.focus();
  await flow.key('n');
  await page.keyboard.type('http');
  await flow.key('Enter');
  await expect(flow.node('http')).toBeVisible();
  await flow.field('params.path').getByRole('textbox').fill('/triage');
  const methods = flow.field('params.methods');
  await methods.getByRole('button', { name: 'GET', exact: true }).click();
  await methods.getByRole('button', { name: 'POST', exact: true }).click();
  await choose(flow.field('params.auth'), 'Anyone');

  await flow.select('http');
  await add('switch', 'switch');
  const cases = flow.field('params.cases');
  await cases.getByRole('button', { name: /^Add/ }).click();
  await flow.field('params.cases[0].name').getByRole('textbox').fill('small');
  await page.keyboard.press('Tab');
  await flow.write('params.cases[0].when', '{{ input.amount < 100 }}');
  await expect(flow.output('switch', 'small')).toBeVisible();

  await flow.select('switch');
  await add('template', 'template');
  await flow.write('params.template', 'Large: {{ input.amount }}');
  await flow.select('switch');
  await add('map', 'map');
  await expect(flow.edge('switch.small', 'map.in')).toBeAttached();
  await flow.write('params.value', '{{ "Small: " + input.text }}');
  await flow.openBehaviour();
  await choose(flow.field('onError'), 'Continue at its error output');

  await flow.fit();
  const error = await flow.output('map', 'error').boundingBox();
  await flow.drag(flow.output('map', 'error'), { x: (error?.x ?? 0) + 40, y: (error?.y ?? 0) + 120 });
  await page.keyboard.type('template');
  await flow.key('Enter');
  await expect(flow.edge('map.error', 'template_2.in')).toBeAttached();
  await flow.write('params.template', 'Sorry: {{ input.message }}');

  await flow.fit();
  await flow.select('map');
  await add('merge', 'merge');
  await flow.fit();
  for (const from of ['template', 'template_2']) await wireByKeys(flow, from, 'Merge: in');
  await flow.select('merge');
  await add('respond', 'respond');
  await expect(flow.dock.getByText('No problems')).toBeVisible();
  await flow.publish();

  const answers = async (): Promise<string[]> => {
    const all = [
      await order({ amount: 500 }),
      await order({ amount: 5, text: 'pen' }),
      await order({ amount: 5 }),
    ];
    return all.map(({ status, body, text }) => `${status} ${typeof body === 'string' ? body : text}`);
  };
  const expected = ['200 Large: 500', '200 Small: pen', expect.stringMatching(/^200 Sorry: .*text/)];
  expect(await answers()).toEqual(expected);
  const words = { map: /^Failed/, template: /^Skipped/, template_2: /^OK/, merge: /^OK/, respond: /^OK/ };
  for (const [id, word] of Object.entries(words)) await expect(flow.status(id)).toHaveText(word);

  await stage.restart();
  expect(await answers()).toEqual(expected);
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  const dialog = page.getByRole('dialog', { name: 'Sign in again' });
  await expect(dialog).toBeVisible();
  await stage.admit(page);
  await dialog.getByRole('button', { name: 'I have opened it' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText('Connection lost')).toHaveCount(0);
  await order({ amount: 900 });
  await expect(flow.status('template')).toHaveText(/^OK/);
  await expect(flow.status('map')).toHaveText(/^Skipped/);
});

/** With the dialog that the key C opens. */
async function wireByKeys(flow: FlowPage, from: string, to: string): Promise<void> {
  await flow.select(from);
  await flow.key('c');
  const dialog = flow.page.getByRole('dialog', { name: /Connect/ });
  await dialog.getByRole('combobox', { name: 'Goes to' }).click();
  await flow.page.getByRole('option', { name: to }).click();
  await dialog.getByRole('button', { name: 'Connect' }).click();
  await expect(flow.edge(`${from}.out`, 'merge.in')).toBeAttached();
}

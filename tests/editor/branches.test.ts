import { expect } from '@playwright/test';
import { test } from 'vitest';
import { call } from '../support/client.ts';
import { choose, flowPage } from './support/flow-page.ts';
import { useStage } from './support/stage.ts';

/** The second whole job: branches, a failure that is routed, and a restart. */
const stage = useStage();

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
  await stage.putFlow({ format: 1, id: 'triage', nodes: {}, edges: [] } as { id: string });
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
  await choose(flow.field('params.auth'), 'none');

  await flow.select('http');
  await add('switch', 'switch');
  const cases = flow.field('params.cases');
  await cases.getByRole('button', { name: /^Add/ }).click();
  await flow.field('params.cases[0].name').getByRole('textbox').fill('small');
  await page.keyboard.press('Tab');
  await flow.write('params.cases[0].when', '{{ input.amount < 100 }}');
  await expect(flow.output('switch', 'small')).toBeVisible();

  await flow.palette.getByRole('button', { name: /^Parse JSON/ }).click();
  await expect(flow.node('parse_json')).toBeVisible();
  await page.screenshot({ path: '/tmp/a.png' });
});

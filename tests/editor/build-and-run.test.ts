import { expect } from '@playwright/test';
import { test } from 'vitest';
import { formatFlow, parse } from '#engine/check';
import { call } from '../support/client.ts';
import { flowPage, saveIndicator } from './support/flow-page.ts';
import { useStage } from './support/stage.ts';

const stage = useStage();

test('Can somebody draw a flow from nothing, save it, call it and watch it run?', async () => {
  const page = await stage.visit('/');
  await page.getByRole('button', { name: 'Make the first flow' }).click();
  const dialog = page.getByRole('dialog', { name: 'New flow' });
  await dialog.getByLabel('Name').fill('Greeter');
  await expect(dialog.getByLabel('Id')).toHaveValue('greeter');
  await dialog.getByRole('button', { name: 'Create' }).click();

  const flow = flowPage(page);
  await flow.ready();
  await page.getByRole('button', { name: 'HTTP request' }).first().click();
  await expect(flow.node('http')).toBeVisible();
  const spot = await flow.emptySpot(150, 120);
  await flow.addByDrag('text.template', spot);
  await expect(flow.node('template')).toBeVisible();
  await page.screenshot({ path: '/tmp/a.png' });
  await flow.connect(flow.output('http'), flow.input('template'));
  await expect(flow.edge('http.out', 'template.in')).toBeAttached();
  await flow.select('http');
  await page.screenshot({ path: '/tmp/b.png' });
  await flow.select('template');
  await page.screenshot({ path: '/tmp/c.png' });
  console.log(await flow.inspector.locator('[data-field]').evaluateAll(a=>a.map(e=>e.getAttribute('data-field'))));
}, 120_000);

import { test } from 'vitest';
import { call } from '../support/client.ts';
import { expect } from '../support/expect.ts';
import { freshId, lineFlow, openRow } from './support/fixtures.ts';
import type { FlowPage } from './support/flow-page.ts';
import { useStage } from './support/stage.ts';

/** Trying an edit never puts it live: that is what Publish does, and Roll back takes back. */
const stage = useStage();

const answer = async ({ id }: FlowPage): Promise<string> =>
  (await call(stage.server, `/${id()}?name=Bo`)).text;

const chip = (flow: FlowPage, text: string) => flow.page.getByRole('banner').getByText(text, { exact: true });

test('55. Does Publish show what changes, by one key, and does Roll back undo it?', async () => {
  const flow = await openRow(stage, freshId(), lineFlow);
  await flow.select('first');
  await flow.write('params.template', 'Welcome');
  await flow.select('start');
  await flow.field('params.path').getByRole('textbox').fill(`/${flow.id()}_moved`);
  await flow.key('Tab');
  await flow.clickEmpty();
  await flow.save();
  await flow.key('Mod+Shift+s');
  const dialog = flow.page.getByRole('dialog', { name: 'Publish these changes?' });
  await expect(dialog.getByRole('region', { name: 'Changes of triggers' })).toContainText('params.path');
  await expect(dialog.getByRole('region', { name: 'Changes', exact: true })).toContainText('Welcome');
  expect(await answer(flow)).toContain('Hello Bo!');
  await expect(dialog.getByRole('button', { name: 'Publish' })).toBeFocused();
  await flow.key('Enter');
  await expect(chip(flow, 'Live v2')).toBeVisible();
  expect((await call(stage.server, `/${flow.id()}_moved?name=Bo`)).text).toContain('Welcome!');
  expect((await call(stage.server, `/${flow.id()}`)).status).toBe(404);

  await flow.page.getByRole('button', { name: 'Roll back' }).click();
  await expect(chip(flow, 'Live v1, 2 changes')).toBeVisible();
  expect(await answer(flow)).toContain('Hello Bo!');
  await flow.select('first');
  await expect(flow.field('params.template')).toContainText('Welcome');
});

test('55. Is a new flow not published until its first run has worked and somebody publishes it?', async () => {
  const page = await stage.visit('/');
  await page.getByRole('button', { name: 'New flow' }).first().click();
  const made = page.getByRole('dialog', { name: 'New flow' });
  await made.getByRole('radio', { name: /^Hello/ }).click();
  const id = freshId();
  await made.getByLabel('Id').fill(id);
  await made.getByRole('button', { name: 'Create' }).click();
  const banner = page.getByRole('banner');
  await expect(banner.getByText('Not published')).toBeVisible();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('button', { name: 'Publish it' }).click();
  await expect(banner.getByText('Live v1', { exact: true })).toBeVisible();
  expect(JSON.parse(stage.liveText(id))).toMatchObject({ id });
});

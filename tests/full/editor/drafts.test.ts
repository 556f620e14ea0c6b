import { test } from 'vitest';
import { call } from '../../support/client.ts';
import { expect } from '../../support/expect.ts';
import { freshId, lineFlow, openRow } from '../../editor/support/fixtures.ts';
import type { FlowPage } from '../../editor/support/flow-page.ts';
import { useStage } from '../../editor/support/stage.ts';

/** A draft beside what is live: tried without being published, and changed from elsewhere. */
const stage = useStage();

const answer = async ({ id }: FlowPage): Promise<string> =>
  (await call(stage.server, `/${id()}?name=Bo`)).text;

const chip = (flow: FlowPage, text: string) => flow.page.getByRole('banner').getByText(text, { exact: true });

test('54. Does every way to try it leave alone what is live, until it is published?', async () => {
  const flow = await openRow(stage, freshId(), lineFlow);
  const before = stage.liveText(flow.id());
  await expect(chip(flow, 'Live v1')).toBeVisible();
  await flow.select('first');
  await flow.write('params.template', 'Half finished');
  // By itself, once somebody pauses.
  await expect(chip(flow, 'Live v1, 1 change')).toBeVisible();
  await flow.saved();

  await flow.page.getByRole('button', { name: 'Run', exact: true }).click();
  const form = flow.page.getByRole('dialog', { name: 'Run with input' });
  await expect(form.or(flow.status('second'))).toBeVisible();
  if (await form.isVisible()) await form.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(flow.status('second')).toHaveText(/^OK/);
  await flow.key('Escape');
  await flow.select('second');
  await flow.key('Shift+Enter');
  await flow.dock.getByRole('tab', { name: 'Trigger' }).click();
  await flow.dock.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(flow.dock.getByRole('region', { name: 'Answer', exact: true })).toContainText(
    'Half finished!',
  );
  expect([await answer(flow), stage.liveText(flow.id())]).toEqual([
    expect.stringContaining('Hello Bo!'),
    before,
  ]);
});

test('Is a change of the file taken into the draft that is open, so that Publish does not take it back?', async () => {
  const flow = await openRow(stage, freshId(), lineFlow);
  await flow.select('first');
  await flow.write('params.template', 'Mine');
  await flow.save();
  const { data } = (await stage.owner.api('GET', `/flows/${flow.id()}`)).body as {
    data: { revision: string };
  };
  const text = stage.liveText(flow.id()).replace('{{ nodes.first }}!', '{{ nodes.first }}?');
  await stage.owner.data('PUT', `/flows/${flow.id()}`, { text, revision: data.revision, mode: 'publish' });
  await flow.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  await flow.select('second');
  await expect(flow.field('params.template')).toContainText('{{ nodes.first }}?');
  await flow.clickEmpty();
  await flow.publish();
  expect(await answer(flow)).toContain('Mine?');
});

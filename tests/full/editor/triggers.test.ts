import { eventually } from '../../support/eventually.ts';
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { freshId, openFlow } from '../../editor/support/fixtures.ts';
import { choose, type FlowPage, saveIndicator } from '../../editor/support/flow-page.ts';
import { useStage } from '../../editor/support/stage.ts';

/** The panel Trigger: what those who start a flow meet, by the kind of its trigger. */
const stage = useStage();

const say = { operator: 'core.map', params: { value: 'Thanks' } };

async function open(start: object): Promise<{ id: string; flow: FlowPage }> {
  const id = freshId();
  await stage.putFlow(
    { format: 1, id, nodes: { start, say }, edges: [{ from: 'start.out', to: 'say.in' }] },
    { format: 1, nodes: { start: { x: 0, y: 0 }, say: { x: 320, y: 0 } } },
  );
  const flow = await openFlow(stage, id);
  await flow.dock.getByRole('tab', { name: 'Trigger' }).click();
  return { id, flow };
}

test('A form has an address, also for phones, which opens it', async () => {
  const path = `/${freshId()}`;
  const { flow } = await open({
    operator: 'trigger.form',
    params: { path, title: 'Orders', fields: [{ name: 'email', required: true }] },
  });
  const address = flow.dock.getByRole('region', { name: 'Address of the form' });
  await expect(address).toContainText(`/form${path}`);
  await expect(address.getByRole('img', { name: 'QR code of the form' })).toBeVisible();
  const page = flow.page.context().waitForEvent('page');
  await address.getByRole('link', { name: 'Open the form' }).click();
  await expect((await page).getByRole('heading', { name: 'Orders' })).toBeVisible();
});

test('A schedule has its next times, runs now, and can be paused', async () => {
  const { flow } = await open({ operator: 'trigger.schedule', params: { cron: '0 3 1 1 *' } });
  const state = flow.dock.getByRole('region', { name: 'State of the schedule' });
  await expect(state.getByRole('list', { name: 'Next times' }).getByRole('listitem')).toHaveCount(5);
  await expect(state).toContainText('Active');
  await state.getByRole('button', { name: 'Pause' }).click();
  await expect(state).toContainText('Paused');
  await state.getByRole('button', { name: 'Resume' }).click();
  await expect(state).toContainText('Active');
  await state.getByRole('button', { name: 'Run now' }).click();
  await state.getByRole('link', { name: 'Open the run' }).click();
  await expect(flow.page.getByRole('heading', { level: 1 })).toContainText('Run of');
  await expect(flow.page.getByRole('region', { name: 'Answer' })).toContainText('Thanks');
});

test('The input of a schedule is a value, and its pattern is chosen in words', async () => {
  const { id, flow } = await open({ operator: 'trigger.schedule', params: { cron: '0 9 * * 1-5' } });
  await flow.select('start');
  const cron = flow.field('params.cron');
  await expect(cron.getByRole('list', { name: 'Next times' }).getByRole('listitem')).toHaveCount(5);
  await choose(cron, 'Every few minutes');
  await cron.getByLabel('Minutes between two runs').fill('20');
  await choose(cron, 'On days of the week');
  await cron.getByRole('button', { name: 'Sunday' }).click();
  await cron.getByLabel('Time of day').fill('07:30');
  await expect(cron.getByRole('listitem').first()).toContainText('07:30');
  await flow.field('params.timezone').getByRole('combobox').fill('Europe/Nowhere');
  // What is wrong is told once the field is left.
  await flow.key('Escape', 'Tab');
  await expect(flow.field('params.timezone')).toContainText('There is no time zone Europe/Nowhere');
  await flow.field('params.timezone').getByRole('combobox').fill('Europe/Os');
  await flow.page.getByRole('option', { name: 'Europe/Oslo' }).click();
  await flow.field('params.input').locator('.cm-content').click();
  await flow.page.keyboard.insertText('{"region": "north"}');
  await flow.save();
  expect(JSON.parse(stage.fileText(id)).nodes.start.params).toEqual({
    cron: '30 7 * * 0,1,2,3,4,5',
    timezone: 'Europe/Oslo',
    input: { region: 'north' },
  });
  await cron.getByRole('textbox').last().fill('0 9 * * MON');
  await expect(cron.getByRole('combobox')).toHaveText('By a cron pattern');
  await expect(saveIndicator(flow.page)).toBeVisible();
});

test('A chat says how programs start it, and opens beside the canvas', async () => {
  const { id, flow } = await open({ operator: 'trigger.chat' });
  const how = flow.dock.getByRole('region', { name: 'How to chat with this flow' });
  await expect(how).toContainText(`flow:${id}`);
  await expect(how).toContainText('/v1/chat/completions');
  await how.getByRole('button', { name: 'Chat with this flow' }).click();
  await expect(flow.page.getByRole('complementary', { name: 'Chat' })).toBeVisible();
});

test('A start by hand says how programs start it, and a flow of several triggers shows each', async () => {
  const { id, flow } = await open({ operator: 'trigger.manual' });
  const how = flow.dock.getByRole('region', { name: 'How this flow is started' });
  await expect(how).toContainText(`/api/v1/flows/${id}/run`);
  await how.getByRole('button', { name: 'Run' }).click();
  await expect(flow.dock.getByRole('region', { name: 'Result' })).toContainText('Thanks');
});

describe('A webhook', () => {
  test('that nobody has called waits for its first call, whose content later runs use again', async () => {
    const { flow } = await open({
      operator: 'trigger.http',
      params: { path: `/${freshId()}`, methods: ['POST'], auth: 'none' },
    });
    await flow.key('Mod+Enter');
    const dialog = flow.page.getByRole('dialog', { name: 'Wait for the first call' });
    await expect(dialog.getByRole('status')).toContainText('Waiting for a call');
    const address = await dialog
      .getByRole('region', { name: 'Address of the draft' })
      .locator('code')
      .textContent();
    // A call is refused until the server knows that somebody waits for it.
    await eventually(async () => {
      const answer = await fetch(address ?? '', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"order": 7}',
      });
      expect(answer.status).toBe(200);
    });
    await expect(dialog).toHaveCount(0);
    await expect(flow.dock.getByRole('region', { name: 'Result' })).toContainText('Thanks');
    await flow.key('Mod+Shift+Enter');
    const form = flow.page.getByRole('dialog', { name: 'Run with input' });
    await form.getByRole('button', { name: 'Fill in' }).click();
    await flow.page.getByRole('menuitem', { name: /draft$/ }).click();
    await expect(form.locator('.cm-content')).toContainText('"order": 7');
  });
});

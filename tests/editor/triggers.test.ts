import { eventually } from '../support/eventually.ts';
import { expect } from '../support/expect.ts';
import { describe, test } from 'vitest';
import { freshId, openFlow } from './support/fixtures.ts';
import type { FlowPage } from './support/flow-page.ts';
import { useStage } from './support/stage.ts';

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

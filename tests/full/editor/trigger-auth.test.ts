import { expect } from '../../support/expect.ts';
import { test } from 'vitest';
import { flowPage } from '../../editor/support/flow-page.ts';
import { useStage } from '../../editor/support/stage.ts';

/** Who may call a trigger is chosen in its form, and the panel Trigger says what callers have to send. */
const stage = useStage();

test('Can somebody let only GitHub call a flow, and go back to an API key?', async () => {
  const say = { operator: 'text.template', params: { template: 'ok' } };
  const trigger = { operator: 'trigger.http', params: { path: '/hook', methods: ['POST'] } };
  await stage.owner.data('PUT', '/secrets/hook', {
    value: 'the shared secret',
    grants: { operators: ['trigger.http'] },
  });
  await stage.putFlow({
    format: 1,
    id: 'hook',
    nodes: { say, trigger },
    edges: [{ from: 'trigger.out', to: 'say.in' }],
  });
  const page = await stage.visit('/flows/hook');
  const flow = flowPage(page);
  await flow.ready();
  await flow.select('trigger');

  const auth = flow.field('params.auth');
  const choose = async (field: typeof auth, option: string) => {
    await field.getByRole('combobox').first().click();
    await page.getByRole('option', { name: option }).click();
  };
  await expect(auth).toContainText('Holders of an API key');
  await choose(auth, 'Signed requests');
  await expect(flow.field('params.auth.secret')).toContainText('Choose a secret.');
  await choose(flow.field('params.auth.secret'), 'hook');
  await choose(flow.field('params.auth.preset'), 'GitHub');
  await expect(flow.dock.getByText('No problems')).toBeVisible();
  await flow.publish();
  expect(JSON.parse(stage.liveText('hook'))).toMatchObject({
    nodes: { trigger: { params: { auth: { type: 'hmac', preset: 'github', secret: { $secret: 'hook' } } } } },
  });

  await flow.dock.getByRole('tab', { name: 'Trigger' }).click();
  await expect(flow.dock).toContainText('x-hub-signature-256: sha256=<hex of HMAC-SHA256(secret, body)>');

  await choose(auth, 'Holders of an API key');
  await expect(flow.field('params.auth.secret')).toBeHidden();
  await flow.save();
  await flow.saved();
  expect(JSON.parse(stage.fileText('hook'))).toMatchObject({
    nodes: { trigger: { params: { auth: 'api-key' } } },
  });
});

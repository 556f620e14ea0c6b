import { expect } from '../../support/expect.ts';
import { test } from 'vitest';
import { flowPage } from '../../editor/support/flow-page.ts';
import { useStage } from '../../editor/support/stage.ts';

/** API docs and browsers give requests as curl commands; nobody should have to take them apart by hand. */
const stage = useStage();

const asking = {
  format: 1,
  id: 'asking',
  nodes: {
    ask: { operator: 'http.request', params: { url: 'https://old.example/' } },
    trigger: { operator: 'trigger.http', params: { path: '/asking', auth: 'none' } },
  },
  edges: [{ from: 'trigger.out', to: 'ask.in' }],
};

const command = `curl -k 'https://api.example.com/items?tag=a' \\
  -H 'Authorization: Bearer t0ken-of-the-command' \\
  -H 'Content-Type: application/json' --data-raw '{"name":"Ada"}'`;

test('Can somebody paste a curl command, keep its token as a secret, and undo it all?', async () => {
  await stage.putFlow(asking);
  const page = await stage.visit('/flows/asking');
  const flow = flowPage(page);
  await flow.ready();
  await flow.select('ask');
  await flow.inspector.getByRole('button', { name: 'Paste curl…' }).click();

  const dialog = page.getByRole('dialog', { name: 'Paste curl' });
  const text = dialog.getByLabel('Command');
  await expect(dialog.getByRole('button', { name: 'Use it' })).toBeDisabled();
  await text.fill('wget https://api.example.com');
  await expect(dialog.getByText('it must start with curl')).toBeVisible();
  await text.fill(command);
  await expect(dialog.getByText('Certificates are always checked')).toBeVisible();
  await dialog.getByRole('button', { name: 'Save it as a secret for api.example.com' }).click();
  await expect(dialog.getByRole('status')).toContainText('It is saved');
  await dialog.getByRole('button', { name: 'Use it' }).click();
  await expect(dialog).toBeHidden();

  await expect(flow.field('params.url').getByRole('textbox')).toContainText('https://api.example.com/items');
  await expect(flow.field('params.auth.secret')).toContainText('api_example_com');
  await expect(flow.dock.getByText('No problems')).toBeVisible();
  await flow.save();
  expect(JSON.parse(stage.fileText('asking'))).toMatchObject({
    nodes: {
      ask: {
        params: {
          method: 'POST',
          url: 'https://api.example.com/items',
          query: { tag: 'a' },
          auth: { type: 'bearer', secret: { $secret: 'api_example_com' } },
          bodyType: 'json',
          body: { name: 'Ada' },
        },
      },
    },
  });
  expect(stage.fileText('asking')).not.toContain('t0ken');
  const secrets = await stage.owner.data<{ name: string }[]>('GET', '/secrets');
  expect(secrets.find(({ name }) => name === 'api_example_com')).toMatchObject({
    grants: { operators: ['http.request'], hosts: ['api.example.com'] },
  });

  await flow.clickEmpty();
  await flow.key('Mod+Z');
  await flow.select('ask');
  await expect(flow.field('params.url').getByRole('textbox')).toContainText('https://old.example/');
});

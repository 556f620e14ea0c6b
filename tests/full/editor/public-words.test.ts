import type { App } from '#shared/app.ts';
import { expect, test } from 'vitest';
import { SERVER_IN_PSEUDO } from '../../editor/support/pseudo-stage.ts';
import { useOwnStage } from '../../editor/support/stage.ts';
import { ask } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { lookerOf } from '../support/words-look.ts';

/**
 * Pages for people without a login, in a language that nobody speaks: what is in no catalogue, what is cut at 40 % more. What the author
 * of a flow writes is in Greek letters here, so that every Latin one is a text of ours.
 */
const stage = useOwnStage({ env: SERVER_IN_PSEUDO });

const fields = [
  { name: 'mail', label: 'Ταχυδρομείο', required: true, help: 'Βοήθεια' },
  { name: 'count', label: 'Αριθμός', type: 'integer', required: true },
  { name: 'size', label: 'Μέγεθος', type: 'choice', choices: ['μικρό', 'μεγάλο'] },
  { name: 'day', label: 'Ημέρα', type: 'date' },
  { name: 'agree', label: 'Συμφωνώ', type: 'boolean' },
  { name: 'photo', label: 'Φωτογραφία', type: 'file', accept: ['image/*'] },
];

async function visitor(path: string) {
  const page = await stage.visit('about:blank');
  await page.context().clearCookies();
  const looker = lookerOf(page);
  await page.goto(new URL(path, stage.server.url).href);
  return { page, ...looker };
}

async function putForm(id: string, params: object = {}): Promise<void> {
  await stage.putFlow({
    format: 1,
    id,
    nodes: {
      form: {
        operator: 'trigger.form',
        params: {
          path: `/${id}`,
          title: 'Φόρμα',
          button: 'Αποστολή',
          message: 'Ευχαριστώ',
          fields,
          ...params,
        },
      },
      same: { operator: 'core.map', params: { value: 'Ευχαριστώ' } },
    },
    edges: [{ from: 'form.out', to: 'same.in' }],
  });
}

test('Is every text of a form in the catalogue, and does each have room for 40 % more?', async () => {
  await putForm('form_a');
  const { page, found, look } = await visitor('/form/form_a');
  await look('form');
  const photo = page.locator('input[type=file]');
  await photo.setInputFiles({ name: 'α.txt', mimeType: 'text/plain', buffer: Buffer.from('α') });
  await look('a file of another type');
  await photo.setInputFiles([]);
  await page.locator('form').evaluate((form: HTMLFormElement) => {
    form.noValidate = true;
  });
  await page.locator('input[name="data.count"]').fill('1.5');
  await page.locator('button.main').click();
  await page.locator('.fault').first().waitFor();
  await look('faults');
  await page.locator('input[name="data.mail"]').fill('α');
  await page.locator('input[name="data.count"]').fill('1');
  await page.locator('button.main').click();
  await page.locator('[role=status]').waitFor();
  await look('sent');
  await page.goto(new URL('/form/nowhere', stage.server.url).href);
  await look('no form');
  expect(found).toEqual([]);
});

/** A flow that asks, and tells its link to whoever lists its question. */
const asking = (id: string, operator: string, params: object) => ({
  format: 1,
  id,
  name: 'Ροή',
  nodes: {
    start: {
      operator: 'trigger.http',
      params: { path: `/${id}`, methods: ['POST'], auth: 'none', answer: 'immediately' },
    },
    link: { operator: 'human.link', params: { node: 'ask' } },
    ask: {
      operator,
      params: { title: 'Ερώτηση', text: 'Κείμενο', who: 'Άννα', data: '{{ input.link }}', ...params },
    },
  },
  edges: [
    { from: 'start.out', to: 'link.in' },
    { from: 'link.out', to: 'ask.in' },
  ],
});

interface Wait {
  readonly flow: string;
  readonly ask: { readonly data?: unknown };
}

/** The link of the question of a flow that is started here. */
async function linkOf(id: string): Promise<string> {
  expect((await ask(`${stage.server.url}/api/v1/awel/trigger/${id}`, { method: 'POST' })).status).toBe(202);
  return eventually(async () => {
    const { waits } = await stage.owner.data<{ waits: Wait[] }>('GET', '/waits');
    const link = waits.find(({ flow }) => flow === id)?.ask.data;
    if (typeof link !== 'string') throw new Error('It does not ask yet.');
    return link;
  });
}

test('And of the pages of questions?', async () => {
  await stage.putFlow(asking('approve_a', 'human.approval', { expiresAfter: 3_600_000 }));
  await stage.putFlow(asking('form_b', 'human.form', { fields }));
  const { page, found, look } = await visitor(await linkOf('form_b'));
  await look('question with fields');
  const link = await linkOf('approve_a');
  await page.goto(link);
  await look('approval');
  await page.locator('textarea[name=comment]').fill('καλά');
  await page.locator('input[name=by]').fill('Άννα');
  await page.locator('button[value=rejected]').click();
  await page.locator('[role=status]').waitFor();
  await look('decided');
  await page.goto(link.replace(/token=.*/, 'token=wrong'));
  await look('wrong link');
  expect(found).toEqual([]);
});

test('And of the chat page of an app, and of a link that was used?', async () => {
  await stage.putFlow({
    format: 1,
    id: 'chats',
    nodes: {
      chat: { operator: 'trigger.chat' },
      say: { operator: 'core.map', params: { value: 'Γεια σου' } },
    },
    edges: [{ from: 'chat.out', to: 'say.in' }],
  });
  const made = await ask(`${stage.server.url}/api/v2/serve/apps`, {
    method: 'POST',
    headers: { ...stage.owner.headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      app_name: 'Βοηθός',
      app_describe: '',
      team_mode: 'awel_layout',
      team_context: 'chats',
      language: 'en',
    }),
  });
  const { app_code: code } = (made.body as { data: App }).data;
  await stage.owner.data('PUT', `/apps/${code}/page`, { open: true, perMinute: 1000, greeting: 'Γεια' });
  const { page, found, look } = await visitor(`/talk/${code}`);
  await look('chat');
  await page.locator('#text').fill('Γεια');
  await page.locator('#send').click();
  await page.locator('.said.app').getByText('Γεια σου').waitFor();
  await look('an answer');
  await page.goto(new URL('/talk/nobody', stage.server.url).href);
  await look('no chat');
  await page.goto(stage.server.entrance);
  await look('a used link');
  expect(found).toEqual([]);
});

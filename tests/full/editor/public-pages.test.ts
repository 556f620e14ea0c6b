import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished, test } from 'vitest';
import type { App } from '#shared/app.ts';
import { ask } from '../../support/client.ts';
import { expect } from '../../support/expect.ts';
import { auditOf } from '../../editor/support/audit.ts';
import { freshId } from '../../editor/support/fixtures.ts';
import { useStage } from '../../editor/support/stage.ts';

/** Pages for people without a login: forms, and the chat page of an app. */
const stage = useStage();
const PHONE = { viewport: { width: 360, height: 740 } };

const fields = [
  { name: 'email', label: 'Your e-mail', required: true },
  { name: 'count', label: 'How many', type: 'integer', required: true },
  { name: 'size', type: 'choice', choices: ['small', 'large'] },
];

async function putForm(params: object = {}): Promise<string> {
  const id = freshId();
  const all = { path: `/${id}`, title: `Form ${id}`, fields, message: 'Got **it**.', ...params };
  await stage.putFlow({
    format: 1,
    id,
    nodes: {
      form: { operator: 'trigger.form', params: all },
      same: { operator: 'core.map', params: { value: '{{ input }}' } },
    },
    edges: [{ from: 'form.out', to: 'same.in' }],
  });
  return id;
}

/** An app that says each of these texts; the last one never comes where it is asked to `Wait`. Gives its code. */
async function putApp(texts: readonly string[]): Promise<string> {
  const id = freshId();
  await stage.putFlow({
    format: 1,
    id,
    nodes: {
      chat: { operator: 'trigger.chat' },
      list: { operator: 'core.map', params: { value: texts } },
      items: { operator: 'core.streamify' },
      slow: {
        operator: 'logic.delay',
        params: { ms: `{{ nodes.chat.text === 'Wait' && input === '${texts.at(-1)}' ? 3600000 : 1 }}` },
      },
    },
    edges: [
      { from: 'chat.out', to: 'list.in' },
      { from: 'list.out', to: 'items.in' },
      { from: 'items.out', to: 'slow.in' },
    ],
  });
  const app = {
    app_name: `App ${id}`,
    app_describe: '',
    team_mode: 'awel_layout',
    team_context: id,
    language: 'en',
  };
  const made = await ask(`${stage.server.url}/api/v2/serve/apps`, {
    method: 'POST',
    headers: { ...stage.owner.headers, 'content-type': 'application/json' },
    body: JSON.stringify(app),
  });
  return (made.body as { data: App }).data.app_code;
}

const openPage = (code: string, more: object = {}): Promise<unknown> =>
  stage.owner.data('PUT', `/apps/${code}/page`, { open: true, perMinute: 1000, ...more });

test.each([true, false])(
  'Can somebody on a phone fill in a form? (scripts: %s)',
  async (javaScriptEnabled) => {
    const id = await putForm();
    const page = await stage.visit('about:blank', { ...PHONE, javaScriptEnabled });
    await page.context().clearCookies();
    await page.goto(`${stage.server.url}/form/${id}`);
    await expect(page.getByRole('heading', { name: `Form ${id}` })).toBeVisible();
    await expect(page.getByLabel('Leave this empty')).not.toBeInViewport();
    await page.getByLabel('Your e-mail').fill('ada@example.com');
    await page.getByLabel('How many').fill('99999999999999999999');
    await page.getByRole('button', { name: 'Send' }).click();
    await expect(page.getByRole('alert')).toHaveText('Check the marked fields.');
    await expect(page.getByLabel('Your e-mail')).toHaveValue('ada@example.com');
    await expect(page.getByLabel('How many')).toHaveAttribute('aria-invalid', 'true');
    await page.getByLabel('How many').fill('3');
    await page.getByLabel('size').selectOption('large');
    await page.getByRole('button', { name: 'Send' }).click();
    await expect(page.getByRole('status')).toHaveText('Got it.');
    await page.getByRole('link', { name: 'Fill in the form again' }).click();
    await expect(page.getByLabel('Your e-mail')).toHaveValue('');
  },
);

test.each([true, false])(
  'Can somebody fill in a form of several pages to its end? (scripts: %s)',
  async (javaScriptEnabled) => {
    const id = freshId();
    const more = {
      title: 'Hello {{ input.email }}',
      fields: [{ name: 'age', type: 'integer' }],
      sender: true,
    };
    await stage.putFlow({
      format: 1,
      id,
      nodes: {
        form: {
          operator: 'trigger.form',
          params: { path: `/${id}`, title: 'Who?', fields: fields.slice(0, 1), after: 'result' },
        },
        age: { operator: 'human.form', params: more },
        end: { operator: 'core.respond', params: { body: '**{{ input.data.age }}** years' } },
      },
      edges: [
        { from: 'form.out', to: 'age.in' },
        { from: 'age.submitted', to: 'end.in' },
      ],
    });
    const page = await stage.visit('about:blank', { ...PHONE, javaScriptEnabled });
    await page.context().clearCookies();
    await page.goto(`${stage.server.url}/form/${id}`);
    await page.getByLabel('Your e-mail').fill('Ada');
    await page.getByRole('button', { name: 'Send' }).click();
    await expect(page.getByRole('heading', { name: 'Hello Ada' })).toBeVisible();
    await expect(page.getByLabel('Your name')).toHaveCount(0);
    await page.getByLabel('age').fill('36');
    await page.getByRole('button', { name: 'Send' }).click();
    await expect(page.getByRole('status')).toHaveText('36 years');
  },
);

test('Does axe find nothing on the pages of forms and chats, and do they fit a phone?', async () => {
  const id = await putForm();
  const code = await putApp(['A **good** day. ', 'Indeed.']);
  await openPage(code, { greeting: 'Hello!' });
  const page = await stage.visit('about:blank', PHONE);
  const { look, found } = auditOf(page);
  const fits = async (): Promise<void> =>
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  await page.goto(`${stage.server.url}/form/${id}`);
  // Pages have the font of the editor, from this server.
  await expect
    .poll(() => page.evaluate(() => [...document.fonts].map(({ family, status }) => `${family} ${status}`)))
    .toEqual(['Inter Variable loaded']);
  await look('form');
  await fits();
  await page.getByLabel('Your e-mail').fill('x');
  await page.getByLabel('How many').fill('99999999999999999999');
  await page.getByRole('button', { name: 'Send' }).click();
  await look('form with faults');
  await page.goto(`${stage.server.url}/form/${id}?_sent=1`);
  await look('thanks');
  await page.goto(`${stage.server.url}/form/none-${id}`);
  await look('no form');
  await page.goto(`${stage.server.url}/talk/${code}`);
  await page.getByLabel('Your message').fill('Hello?');
  await page.keyboard.press('Enter');
  await expect(page.locator('.said.app strong')).toHaveText('good');
  await look('chat');
  await fits();
  expect(found).toEqual([]);
});

test('Does the inspector show the form as it is drawn, and its address?', async () => {
  const id = await putForm();
  const page = await stage.visit(`/flows/${id}`);
  await page.locator('[data-id="form"]').click();
  const preview = page.frameLocator('iframe[title="Preview of the form"]');
  await expect(preview.getByRole('heading', { name: `Form ${id}` })).toBeVisible();
  await expect(preview.getByLabel('How many')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Open' })).toHaveAttribute(
    'href',
    `${stage.server.url}/form/${id}`,
  );
  await page.getByRole('textbox', { name: 'Title' }).fill('Another heading');
  await page.keyboard.press('ControlOrMeta+s');
  await expect(preview.getByRole('heading', { name: 'Another heading' })).toBeVisible();
});

test('Does a new form wait for the flow to be saved, and does the page stay as high as the window?', async () => {
  const id = freshId();
  await stage.putFlow({ format: 1, id, nodes: {}, edges: [] });
  const page = await stage.visit(`/flows/${id}`);
  let letSave: (() => void) | undefined;
  const maySave = new Promise<void>((done) => (letSave = done));
  await page.route('**/api/v1/flows/*', async (route) => {
    if (route.request().method() !== 'GET') await maySave;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Form', exact: true }).click();
  await expect(page.getByText('The page is shown here once the flow is saved.')).toBeVisible();
  await expect(page.locator('iframe')).toHaveCount(0);
  letSave?.();
  const preview = page.frameLocator('iframe[title="Preview of the form"]');
  await expect(preview.getByRole('button', { name: 'Send' })).toBeVisible();
  for (const name of ['email', 'photo', 'reason']) {
    await page.getByRole('button', { name: 'Add field' }).click();
    await page.keyboard.type(name);
  }
  await expect(preview.getByLabel('reason')).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBe(0);
});

test('Does the inspector show a question to people as its page will be, and the HTML of a form in a frame?', async () => {
  const id = freshId();
  const form = { path: `/${id}`, title: 'Framed <form>', origins: ['https://shop.example.com'] };
  const ask = { title: 'Where to?', fields: [{ name: 'street', label: 'The street', required: true }] };
  await stage.putFlow({
    format: 1,
    id,
    nodes: {
      form: { operator: 'trigger.form', params: form },
      ask: { operator: 'human.form', params: ask },
    },
    edges: [{ from: 'form.out', to: 'ask.in' }],
  });
  const page = await stage.visit(`/flows/${id}`);
  const preview = page.frameLocator('iframe[title="Preview of the form"]');
  await page.locator('[data-id="ask"]').click();
  await expect(preview.getByRole('heading', { name: 'Where to?' })).toBeVisible();
  await expect(preview.getByLabel('The street')).toBeVisible();
  await expect(preview.getByLabel('Your name')).toBeVisible();
  await page.locator('[data-id="form"]').click();
  await expect(preview.getByRole('heading', { name: 'Framed <form>' })).toBeVisible();
  await expect(page.getByLabel('HTML of the frame')).toContainText(
    `<iframe src="${stage.server.url}/form/${id}" title="Framed &lt;form&gt;"`,
  );
});

test('Can somebody chat with an app by the keyboard, stop an answer, come back, and begin anew?', async () => {
  const code = await putApp(['One. ', 'Two. ', 'Three.']);
  await openPage(code);
  const page = await stage.visit('about:blank');
  await page.context().clearCookies();
  await page.goto(`${stage.server.url}/talk/${code}`);
  await page.getByLabel('Your message').focus();
  await page.keyboard.type('First line');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('second line');
  await page.keyboard.press('Enter');
  const answers = page.locator('.said.app .words');
  await expect(page.locator('.said.you .words')).toHaveText('First line\nsecond line');
  await expect(answers).toHaveText('One. Two. Three.');
  // Its words are there a moment before the answer has ended.
  await expect(page.getByRole('button', { name: 'Send' })).toBeVisible();
  await page.keyboard.type('Wait');
  await page.keyboard.press('Enter');
  await expect(answers.nth(1)).toContainText('One. Two.');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Send' })).toBeVisible();
  await expect(page.locator('.stopped .words')).not.toContainText('Three.');
  await page.reload();
  await expect(answers.first()).toHaveText('One. Two. Three.');
  await page.getByRole('link', { name: 'New conversation' }).click();
  await expect(page.locator('.said')).toHaveCount(0);
});

test('Does a message that could not be sent go back into its field, with its files?', async () => {
  const code = await putApp(['An answer.']);
  await openPage(code);
  const page = await stage.visit(`/talk/${code}`);
  await page.route('**/messages', (route) => route.abort());
  await page.getByLabel('Your message').fill('Not lost');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toContainText('The connection was lost.');
  await expect(page.getByLabel('Your message')).toHaveValue('Not lost');
  await expect(page.locator('.said')).toHaveCount(0);
  await page.unroute('**/messages');
  const written = Promise.withResolvers<void>();
  await page.route('**/messages', async (route) => {
    await written.promise;
    await route.abort();
  });
  await page.keyboard.press('Enter');
  await expect(page.locator('.said.you .words')).toHaveText('Not lost');
  await page.getByLabel('Your message').fill('nor this');
  written.resolve();
  await expect(page.getByLabel('Your message')).toHaveValue('Not lost\nnor this');
  await page.unroute('**/messages');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.locator('.said.app .words')).toHaveText('An answer.');
});

test('Are tables, quotes and lists of an answer drawn, and does a wide table scroll by itself on a phone?', async () => {
  const wide = `| Region | Remark |\n|---|---|\n| Northern | ${'long '.repeat(40)}${'x'.repeat(80)} |`;
  const code = await putApp([`${wide}\n\n> A quote\n\n- one\n  - two\n\n`, 'The end.']);
  await openPage(code);
  const page = await stage.visit(`/talk/${code}`, PHONE);
  await page.getByLabel('Your message').fill('Show');
  await page.keyboard.press('Enter');
  const words = page.locator('.said.app .words');
  await expect(words.getByRole('cell', { name: 'Northern' })).toBeVisible();
  await expect(words.getByRole('blockquote')).toHaveText('A quote');
  await expect(words.getByRole('list').getByRole('list')).toHaveText('two');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.viewport.width);
  expect(
    await words.getByRole('region', { name: 'Table' }).evaluate((box) => box.scrollWidth > box.clientWidth),
  ).toBe(true);
});

test('Does the chat page work without scripts?', async () => {
  const code = await putApp(['A **good** day.']);
  await openPage(code);
  const page = await stage.visit('about:blank', { ...PHONE, javaScriptEnabled: false });
  await page.goto(`${stage.server.url}/talk/${code}`);
  for (const n of [1, 2]) {
    await page.getByLabel('Your message').fill(`Message ${n}`);
    await page.getByRole('button', { name: 'Send' }).click();
    await expect(page.locator('.said.app strong')).toHaveCount(n);
  }
  await expect(page.locator('.said.you .words')).toHaveText(['Message 1', 'Message 2']);
});

test('Can the owner open the page of an app, and let one site show it and no other?', async () => {
  const code = await putApp(['Hello.']);
  const address = `${stage.server.url}/talk/${code}`;
  const site = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end(`<iframe src="${address}" title="chat"></iframe>`),
  );
  await new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void site.close());
  const { port } = site.address() as AddressInfo;
  const page = await stage.visit(`/apps/${code}`);
  const section = page.getByRole('region', { name: 'Public page' });
  await section.getByRole('switch').click();
  await section.getByLabel('Sites that may show it').fill('no origin');
  await expect(section.getByText('is not an origin')).toBeVisible();
  await section.getByLabel('Sites that may show it').fill(`http://127.0.0.1:${port}`);
  await expect(section.getByLabel('HTML of the frame')).toContainText(`<iframe src="${address}"`);
  await section.getByRole('button', { name: 'Save the public page' }).click();
  await expect(section.getByRole('link', { name: 'Open' })).toHaveAttribute('href', address);
  const { look, found } = auditOf(page);
  await look('public page', 'section[aria-label="Public page"]');
  expect(found).toEqual([]);

  const visitor = await stage.visit('about:blank');
  await visitor.goto(`http://127.0.0.1:${port}/`);
  const frame = visitor.frameLocator('iframe');
  await frame.getByLabel('Your message').fill('Hi');
  await frame.getByRole('button', { name: 'Send' }).click();
  await expect(frame.locator('.said.app .words')).toHaveText('Hello.');
  const policy = (await ask(address)).headers.get('content-security-policy');
  expect(policy?.split('; ').at(-1), 'no other origin').toBe(`frame-ancestors http://127.0.0.1:${port}`);
});

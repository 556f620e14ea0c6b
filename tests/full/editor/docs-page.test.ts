import type { Page } from '@playwright/test';
import { expect } from '../../support/expect.ts';
import { onTestFinished, test } from 'vitest';
import { startDev } from '../../../server/admin/cli/testing/dev-server.ts';
import { tempProject } from '../../../server/admin/cli/testing/temp-project.ts';
import { httpTrigger } from '../../support/flows.ts';
import { keyHeaders } from '../../support/client.ts';
import { auditOf } from '../../editor/support/audit.ts';
import { freshId } from '../../editor/support/fixtures.ts';
import { growTexts, lookerOf } from '../support/words-look.ts';
import { useOwnStage } from '../../editor/support/stage.ts';

/** `/docs`: the API with a form for each call, under the editor's content security policy (the stage fails where it is broken). */
const stage = useOwnStage();

const request = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', description: 'Who is `greeted`.' },
    age: { type: 'integer', default: 18 },
  },
};

async function putHello(more: object = {}): Promise<string> {
  const id = freshId();
  const trigger = httpTrigger(`/${id}`, { request, auth: 'none' });
  await stage.putFlow({
    format: 1,
    id,
    nodes: {
      start: trigger,
      greet: { operator: 'text.template', params: { template: 'Hello, {{ input.name }}, {{ input.age }}' } },
    },
    edges: [{ from: 'start.out', to: 'greet.in' }],
    ...more,
  });
  return id;
}

/** The folded calls of the page whose line holds this text. */
const callOf = (page: Page, text: string) =>
  page.locator('main > section > details').filter({ hasText: text });

test('Can a signed-in person find a trigger and call it?', async () => {
  const id = await putHello();
  const page = await stage.visit('/docs');
  await expect(page.getByRole('status')).toHaveText('Signed in');
  await page.getByLabel('Filter the calls').fill(`get ${id}`);
  const hello = callOf(page, `/api/v1/awel/trigger/${id}`);
  await expect(page.locator('main > section > details:visible')).toHaveCount(1);
  await hello.getByText(`/api/v1/awel/trigger/${id}`).click();
  await expect(hello).toContainText('Who is greeted.');
  await hello.getByLabel('name').fill('Ada & Bo');
  await hello.getByRole('button', { name: 'Send' }).click();
  await expect(hello.getByRole('status')).toContainText('200 application/json');
  await expect(hello.getByRole('status')).toContainText('"Hello, Ada & Bo, 18"');
});

test('Is it set in the font that comes with the product?', async () => {
  const page = await stage.visit('/docs');
  await expect(page.getByRole('status')).toHaveText('Signed in');
  await expect.poll(() => page.evaluate(() => document.fonts.check('14px "Inter Variable"'))).toBe(true);
  for (const part of ['h1', 'input', 'button', 'summary']) {
    const family = await page
      .locator(part)
      .first()
      .evaluate((element) => getComputedStyle(element).fontFamily);
    expect(family, part).toMatch(/^"Inter Variable"/);
  }
});

test('Does a call that changes something carry what the session needs, and its body?', async () => {
  const page = await stage.visit('/docs');
  await page.getByLabel('Filter the calls').fill('post /api/v1/flows/check');
  const check = callOf(page, '/api/v1/flows/check');
  await check.getByText('/api/v1/flows/check').click();
  await check.getByLabel('body').fill('{"text": "{"}');
  await check.getByRole('button', { name: 'Send' }).click();
  await expect(check.getByRole('status')).toContainText('200 application/json');
  await expect(check.getByRole('status')).toContainText('json-syntax');
});

test('Does a stranger see the platform alone, and with a key what the key may see?', async () => {
  const id = await putHello();
  const page = await stage.visit('/docs');
  await page.context().clearCookies();
  await page.reload();
  await expect(page.getByRole('status')).toHaveText('Not signed in');
  await expect(callOf(page, '/healthz')).toBeVisible();
  await expect(callOf(page, id)).toHaveCount(0);
  await page.getByLabel('API key').fill('of nothing');
  await page.getByRole('button', { name: 'Use' }).click();
  await expect(page.getByRole('status')).toContainText('is not valid');
  await page.getByLabel('API key').fill(keyHeaders(stage.server).authorization.replace('Bearer ', ''));
  await page.getByRole('button', { name: 'Use' }).click();
  await expect(page.getByRole('status')).toHaveText('Key in use');
  await expect(callOf(page, id)).toBeVisible();
});

test('Does it ask nobody else, whatever flows are called and say?', async () => {
  const bad = '<img src="https://example.com/x.png" onerror="window.hurt = 1"></script>';
  const id = await putHello({ name: bad, description: bad });
  const page = await stage.visit('/docs');
  const asked: string[] = [];
  page.on('request', (one) => asked.push(new URL(one.url()).origin));
  await page.reload();
  await callOf(page, id).getByText(`/api/v1/awel/trigger/${id}`).click();
  await expect(callOf(page, id)).toContainText(bad);
  expect(await page.evaluate(() => 'hurt' in window)).toBe(false);
  expect([...new Set(asked)]).toEqual([stage.server.url]);
});

test('Is there room for words that are 40 % longer, and for the hints in its fields?', async () => {
  const page = await stage.visit('/docs');
  await expect(callOf(page, '/api/v2/chat/completions').first()).toBeVisible();
  for (const name of ['Filter the calls', 'API key']) {
    const isCut = await page.getByLabel(name, { exact: true }).evaluate((field: HTMLInputElement) => {
      field.type = 'text';
      field.value = field.placeholder;
      return field.scrollWidth > field.clientWidth;
    });
    expect({ name, isCut }).toEqual({ name, isCut: false });
  }
  await growTexts(page);
  const { look, found } = lookerOf(page);
  await look('docs');
  expect(found.filter((fault) => /cut:|sideways/.test(fault))).toEqual([]);
});

test('Does axe find nothing on it?', async () => {
  const page = await stage.visit('/docs');
  await callOf(page, '/api/v2/chat/completions').first().getByText('/api/v2/chat/completions').click();
  const { look, found } = auditOf(page);
  await look('docs');
  expect(found).toEqual([]);
});

test('Does `weft dev` show the calls of what it serves, too?', async () => {
  const nodes = { start: httpTrigger('/dev-hello', { auth: 'none' }) };
  const project = tempProject({
    'dev_hello.json': JSON.stringify({ format: 1, id: 'dev_hello', nodes, edges: [] }),
  });
  onTestFinished(project.remove);
  const dev = await startDev(project, ['dev_hello.json']);
  onTestFinished(async () => void (await dev.stop()));
  const page = await stage.visit('about:blank');
  await page.goto(`${dev.url}/docs`);
  await expect(callOf(page, '/api/v1/awel/trigger/dev-hello').first()).toBeVisible();
});

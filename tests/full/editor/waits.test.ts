import type { Page } from '@playwright/test';
import { expect } from '../../support/expect.ts';
import { test } from 'vitest';
import type { WaitInfo } from '#shared/wait.ts';
import { call } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { httpTrigger } from '../../support/flows.ts';
import { auditOf } from '../../editor/support/audit.ts';
import { freshId, openFlow } from '../../editor/support/fixtures.ts';
import { useStage } from '../../editor/support/stage.ts';

const stage = useStage();

/** A flow that asks; gives its id. */
async function putAsking(operator: 'human.approval' | 'human.form', params: object): Promise<string> {
  const id = freshId();
  await stage.putFlow({
    format: 1,
    id,
    settings: { record: 'full' },
    nodes: {
      start: httpTrigger(`/${id}`, { methods: ['POST'], answer: 'immediately' }),
      ask: { operator, params },
    },
    edges: [{ from: 'start.out', to: 'ask.in' }],
  });
  return id;
}

/** Starts a run of it, which comes to its question; gives the run's id. */
async function ask(id: string): Promise<string> {
  const { headers } = await call(stage.server, `/${id}`, { method: 'POST' });
  const run = headers.get('x-weft-run') ?? '';
  await eventually(() => waitOf(run));
  return run;
}

const waitOf = (run: string): Promise<WaitInfo> => stage.owner.data('GET', `/waits/${run}.ask`);
const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

test('Can one see what waits, decide it with a comment, and is it then gone from the list?', async () => {
  const title = `Send the order ${freshId()}`;
  const id = await putAsking('human.approval', {
    title,
    text: 'Is it **paid**?',
    who: 'the desk',
    data: { sum: 7 },
  });
  const run = await ask(id);
  const page = await stage.visit('/');
  await page.getByRole('link', { name: /^Waiting/ }).click();
  await expect(rowOf(page, title)).toContainText('the desk');
  await page.getByRole('button', { name: `Decide: ${title}` }).click();
  const dialog = page.getByRole('dialog', { name: title });
  await expect(dialog.getByText('paid')).toBeVisible();
  await expect(dialog).toContainText('sum');
  await dialog.getByLabel('Comment').fill('Not yet');
  await dialog.getByRole('button', { name: 'Reject' }).click();
  await expect(dialog).toBeHidden();
  await expect(rowOf(page, title)).toHaveCount(0);
  const { decision } = await waitOf(run);
  expect(decision).toMatchObject({ decision: 'rejected', comment: 'Not yet', via: 'session' });
});

test('Does a form say by its fields what is wrong, and keep what was typed?', async () => {
  const title = `Deliver ${freshId()}`;
  const fields = [
    { name: 'count', label: 'How many', type: 'integer', required: true },
    { name: 'size', type: 'choice', choices: ['small', 'large'], required: true },
    { name: 'gift', label: 'Wrap it', type: 'boolean' },
    { name: 'day', type: 'date' },
  ];
  const run = await ask(await putAsking('human.form', { title, fields }));
  const page = await stage.visit(`/waiting?wait=${run}.ask`);
  const dialog = page.getByRole('dialog', { name: title });
  await dialog.getByLabel('How many').fill('many');
  await dialog.getByRole('checkbox', { name: 'Wrap it' }).click();
  await dialog.getByRole('button', { name: 'Send' }).click();
  await expect(dialog.getByRole('alert')).toHaveText('Check the marked fields.');
  await expect(dialog).toContainText('Write a whole number.');
  await expect(dialog.getByLabel('How many')).toHaveValue('many');
  await dialog.getByLabel('How many').fill('2');
  await dialog.getByLabel('size').click();
  await page.getByRole('option', { name: 'large' }).click();
  await dialog.getByLabel('day').fill('2026-12-24');
  await dialog.getByRole('button', { name: 'Send' }).click();
  await expect(dialog).toBeHidden();
  const data = { count: 2, size: 'large', gift: true, day: '2026-12-24' };
  expect((await waitOf(run)).decision).toMatchObject({ decision: 'submitted', data });
});

test('Does a node that waits say so on the canvas, and can one decide there?', async () => {
  const title = `Here ${freshId()}`;
  const id = await putAsking('human.approval', { title });
  const flow = await openFlow(stage, id);
  const run = await ask(id);
  await expect(flow.status('ask')).toHaveText(/^Waiting/);
  await flow.page.getByRole('button', { name: 'Decide: ask' }).click();
  const dialog = flow.page.getByRole('dialog', { name: title });
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await expect(dialog).toBeHidden();
  await expect(flow.status('ask')).toHaveText(/^OK/);
  await expect(flow.page.getByRole('button', { name: 'Decide: ask' })).toHaveCount(0);
  expect((await waitOf(run)).status).toBe('decided');
});

test('Are several questions decided at once, and is it told later who decided what?', async () => {
  const mark = freshId();
  const runs = [];
  for (const n of [1, 2]) runs.push(await ask(await putAsking('human.approval', { title: `${mark} ${n}` })));
  runs.push(
    await ask(await putAsking('human.form', { title: `${mark} 3`, fields: [{ name: 'day', type: 'date' }] })),
  );
  const page = await stage.visit('/waiting');
  await page.getByRole('searchbox', { name: 'Search questions' }).fill(mark);
  for (const n of [1, 2, 3]) await page.getByRole('checkbox', { name: `Select ${mark} ${n}` }).click();
  await page.getByRole('button', { name: 'Reject…' }).click();
  const dialog = page.getByRole('alertdialog').or(page.getByRole('dialog'));
  await expect(dialog).toContainText('Reject 2 questions?');
  await expect(dialog).toContainText('1 form among them');
  await dialog.getByRole('button', { name: 'Reject' }).click();
  await expect(rowOf(page, `${mark} 1`)).toHaveCount(0);
  await expect(rowOf(page, `${mark} 3`)).toHaveCount(1);
  await page.getByRole('button', { name: 'Decided', exact: true }).click();
  await page.getByRole('searchbox', { name: 'Search questions' }).fill(mark);
  await expect(rowOf(page, `${mark} 2`)).toContainText('rejected it');
  await page.getByRole('button', { name: `${mark} 2` }).click();
  const details = page.getByRole('complementary', { name: 'Details' });
  await expect(details).toContainText('Decision');
  await expect(details.getByRole('link')).toHaveText(runs[1] ?? '');
  expect((await waitOf(runs[2] ?? '')).status).toBe('open');
});

test('Can one decide in each round of a loop, on the canvas?', async () => {
  const id = freshId();
  await stage.putFlow({
    format: 2,
    id,
    settings: { record: 'full' },
    nodes: {
      start: httpTrigger(`/${id}`, { methods: ['POST'], answer: 'immediately' }),
      names: { operator: 'core.map', params: { value: ['Ada', 'Bo'] } },
      loop: {
        operator: 'data.for-each',
        body: {
          start: 'name',
          nodes: { ask: { operator: 'human.approval', params: { title: 'Invite {{ nodes.name }}?' } } },
          edges: [{ from: 'name.out', to: 'ask.in' }],
        },
      },
    },
    edges: [
      { from: 'start.out', to: 'names.in' },
      { from: 'names.out', to: 'loop.in' },
    ],
  });
  const flow = await openFlow(stage, id);
  await call(stage.server, `/${id}`, { method: 'POST' });
  for (const name of ['Ada', 'Bo']) {
    if (name === 'Bo') await flow.page.getByRole('button', { name: 'Next round' }).click();
    await flow.page.getByRole('button', { name: 'Decide: ask' }).click();
    const dialog = flow.page.getByRole('dialog', { name: `Invite ${name}?` });
    await dialog.getByRole('button', { name: 'Approve' }).click();
    await expect(dialog).toBeHidden();
  }
  await expect(flow.status('loop')).toHaveText(/^OK/);
});

test('Can somebody on a phone decide by the link, without a login, and see later what was decided?', async () => {
  const title = `By link ${freshId()}`;
  const id = freshId();
  await stage.putFlow({
    format: 1,
    id,
    settings: { record: 'full' },
    nodes: {
      start: httpTrigger(`/${id}`, { methods: ['POST'], answer: 'immediately' }),
      link: { operator: 'human.link', params: { node: 'ask' } },
      ask: { operator: 'human.approval', params: { title, data: '{{ input.link }}', text: 'Well?' } },
    },
    edges: [
      { from: 'start.out', to: 'link.in' },
      { from: 'link.out', to: 'ask.in' },
    ],
  });
  const run = await ask(id);
  const link = String((await waitOf(run)).ask.data);
  const page = await stage.visit('/', { viewport: { width: 360, height: 740 } });
  await page.context().clearCookies();
  await page.goto(link);
  const { look, found } = auditOf(page);
  await expect(page.getByRole('heading', { name: title })).toBeVisible();
  await look('page');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  await page.getByLabel('Your name').fill('Ada');
  await page.keyboard.press('Enter');
  expect((await waitOf(run)).status, 'the Enter key decides nothing').toBe('open');
  await page.getByLabel('Comment').fill('Fine');
  await page.getByRole('button', { name: 'Approve' }).click();
  await expect(page.getByRole('status')).toHaveText(/^Approved by Ada \(by link\), .* UTC\.“Fine”$/);
  await look('decided');
  await page.goto(link.replace(/token=.*/, 'token=other'));
  await expect(page.getByRole('heading', { name: 'This link does not work' })).toBeVisible();
  await look('wrong link');
  expect(found).toEqual([]);
});

/** A flow that an agent may use as a tool once somebody approves, and a script of the demo model that uses it. */
async function putTool(): Promise<{ readonly tool: string; readonly agent: object }> {
  const tool = freshId();
  await stage.putFlow({
    format: 1,
    id: tool,
    nodes: {
      start: {
        operator: 'trigger.manual',
        params: { input: { type: 'object', properties: { amount: { type: 'integer' } } } },
      },
      said: { operator: 'text.template', params: { template: 'refunded {{ input.amount }}' } },
    },
    edges: [{ from: 'start.out', to: 'said.in' }],
  });
  const prompt = `\`\`\`demo\ncall ${tool} {"amount": 900}\n---\nsay It is $tool\n\`\`\``;
  const tools = [{ type: 'flow', name: tool, value: tool, needsApproval: true }];
  return { tool, agent: { name: 'Clerk', model: 'demo/chat', prompt, tools } };
}

test('Does one see the tool that an agent wants to use, and change what it is called with?', async () => {
  const { tool, agent } = await putTool();
  const id = freshId();
  await stage.putFlow({
    format: 1,
    id,
    nodes: {
      start: httpTrigger(`/${id}`, { methods: ['POST'], answer: 'immediately' }),
      clerk: { operator: 'agent.run', params: { agent, input: 'Refund it' } },
    },
    edges: [{ from: 'start.out', to: 'clerk.in' }],
  });
  const { headers } = await call(stage.server, `/${id}`, { method: 'POST' });
  const run = headers.get('x-weft-run') ?? '';
  const wait = (): Promise<WaitInfo> => stage.owner.data('GET', `/waits/${run}.clerk.t1`);
  await eventually(wait);
  const page = await stage.visit(`/waiting?wait=${run}.clerk.t1`);
  const dialog = page.getByRole('dialog', { name: `Clerk wants to use ${tool}` });
  await expect(dialog.getByLabel('amount')).toHaveValue('900');
  await dialog.getByLabel('amount').fill('20');
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await expect(dialog).toBeHidden();
  expect((await wait()).decision).toMatchObject({ decision: 'approved', data: { amount: 20 } });
  await eventually(async () => {
    const { status, answer } = await stage.owner.data<{ status: string; answer?: unknown }>(
      'GET',
      `/runs/${run}`,
    );
    expect(status).toBe('ok');
    expect(JSON.stringify(answer ?? '')).not.toContain('refunded 900');
  });
});

test('Does a chat say that it waits for an approval, and go on once it is refused?', async () => {
  const { tool, agent } = await putTool();
  const id = freshId();
  await stage.putFlow({
    format: 1,
    id,
    nodes: { message: { operator: 'trigger.chat' }, clerk: { operator: 'agent.run', params: { agent } } },
    edges: [{ from: 'message.out', to: 'clerk.in' }],
  });
  const page = await stage.visit(`/chat?partner=flow:${id}`);
  await page.getByLabel('Message').fill('Refund it');
  await page.keyboard.press('Enter');
  const title = `Clerk wants to use ${tool}`;
  await page.getByRole('button', { name: `Decide: ${title}` }).click();
  const dialog = page.getByRole('dialog', { name: title });
  await dialog.getByLabel('Comment').fill('Too much');
  await dialog.getByRole('button', { name: 'Reject' }).click();
  const answer = page.getByRole('article', { name: 'Answer' });
  await expect(answer).toContainText('refused this call');
  await expect(answer).toContainText('Too much');
  await expect(page.getByRole('button', { name: `Decide: ${title}` })).toHaveCount(0);
});

test('Can a question be decided beside the result of the run that waits, and is its flow named there?', async () => {
  const id = freshId();
  await stage.putFlow({
    format: 1,
    id,
    name: 'Lamps for the office',
    nodes: {
      start: { operator: 'trigger.manual' },
      ask: { operator: 'human.approval', name: 'Buy it?', params: { title: 'Ada asks for a lamp' } },
    },
    edges: [{ from: 'start.out', to: 'ask.in' }],
  });
  const flow = await openFlow(stage, id);
  await flow.page.getByRole('button', { name: 'Run', exact: true }).first().click();
  const result = flow.dock.getByRole('region', { name: 'Result' });
  await expect(result).toContainText('Buy it? waits for: Ada asks for a lamp');
  await result.getByRole('button', { name: 'Decide…' }).click();
  const dialog = flow.page.getByRole('dialog', { name: 'Ada asks for a lamp' });
  await expect(dialog.getByRole('link', { name: 'Lamps for the office' })).toBeVisible();
  await dialog.getByRole('button', { name: 'Approve' }).click();
  await expect(result).toContainText('approved');
  await expect(result.getByRole('button', { name: 'Decide…' })).toHaveCount(0);
});

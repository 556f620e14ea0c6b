import type { Page } from '@playwright/test';
import { describe, test } from 'vitest';
import type { App } from '#shared/app.ts';
import { auditOf } from '../../editor/support/audit.ts';
import { answers, log } from '../../editor/support/chat-page.ts';
import { flowPage } from '../../editor/support/flow-page.ts';
import { freshId } from '../../editor/support/fixtures.ts';
import { useStage } from '../../editor/support/stage.ts';
import { ask } from '../../support/client.ts';
import { expect } from '../../support/expect.ts';

/** One chat on its screen, beside a canvas and beside an app: messages changed, answers asked for again, runs and tools behind them. */
const stage = useStage();

const say = async (page: Page, text: string): Promise<void> => {
  const message = page.getByRole('textbox', { name: 'Message', exact: true });
  await message.fill(text);
  await page.keyboard.press('Enter');
  await expect(message).toHaveValue('');
  await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeVisible();
};

/** Repeats the message, and says how many messages it remembers. */
async function putFlow(): Promise<string> {
  const id = freshId();
  const value = '{{ input.text + ", remembers " + input.history.length }}';
  await stage.putFlow({
    format: 1,
    id,
    nodes: {
      chat: { operator: 'trigger.chat', params: { title: id } },
      back: { operator: 'core.map', params: { value } },
    },
    edges: [{ from: 'chat.out', to: 'back.in' }],
  });
  return id;
}

test('Is the chat with a flow left with it, where nobody chats with the next one?', async () => {
  const page = await stage.visit(`/flows/${await putFlow()}`);
  await flowPage(page).ready();
  await page.getByRole('button', { name: 'Run', exact: true }).first().click();
  await expect(page.getByRole('complementary', { name: 'Chat' })).toBeVisible();
  const other = freshId();
  await stage.putFlow({ format: 1, id: other, nodes: { start: { operator: 'trigger.manual' } }, edges: [] });
  await page.goto(`/flows/${other}`);
  await flowPage(page).ready();
  await expect(page.getByRole('complementary', { name: 'Inspector' })).toBeVisible();
  await expect(page.getByText('Chat with this flow')).toHaveCount(0);
});

describe('A chat', () => {
  test('Is a message changed and sent again, with what followed it replaced on the server too?', async () => {
    const id = await putFlow();
    const page = await stage.visit(`/chat?partner=flow:${id}`);
    for (const text of ['One', 'Two', 'Three']) await say(page, text);
    await expect(answers(page).last()).toHaveText(/Three, remembers 4/);
    const question = log(page).getByRole('listitem').filter({ hasText: 'You: Two' });
    await question.hover();
    await question.getByRole('button', { name: 'Edit and ask again' }).click();
    await expect(page.getByText('What follows this message is replaced.')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(question.getByRole('button', { name: 'Edit and ask again' })).toBeFocused();
    await page.keyboard.press('Enter');
    await page.getByLabel('Changed text').fill('Zwei');
    const { look, found } = auditOf(page);
    await look('a message that is changed');
    await page.keyboard.press('Enter');
    await expect(answers(page)).toHaveCount(2);
    await expect(answers(page).last()).toHaveText(/Zwei, remembers 2/);
    await answers(page).last().getByRole('button', { name: 'Answer again' }).click();
    await expect(answers(page).last()).toHaveText(/Zwei, remembers 2/);
    await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeVisible();
    await page.reload();
    await expect(answers(page)).toHaveCount(2);
    await expect(log(page)).not.toContainText('Three');
    await look('a chat that was changed');
    expect(found).toEqual([]);

    await answers(page).first().getByRole('button', { name: 'Show the run' }).click();
    await expect(page).toHaveURL(/\/runs\//);
    await expect(page.getByRole('heading', { level: 1 })).toContainText('Run of');
  });

  test('Is the chat beside the canvas there again after a reload, and does its answer light the canvas?', async () => {
    const id = await putFlow();
    const page = await stage.visit(`/flows/${id}`);
    const opened = flowPage(page);
    await opened.ready();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await say(page, 'Ada');
    await expect(opened.status('back')).toHaveText(/^OK/);
    await page.reload();
    await opened.ready();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await expect(answers(page)).toHaveText(/Ada, remembers 0/);
    await answers(page).getByRole('button', { name: 'Show the run' }).click();
    await expect(opened.status('back')).toHaveText(/^OK/);
    await say(page, 'Bo');
    await expect(answers(page).last()).toHaveText(/Bo, remembers 2/);
    await page.getByRole('button', { name: 'Start a new chat' }).click();
    await say(page, 'Cy');
    await expect(answers(page)).toHaveText(/Cy, remembers 0/);
  });
});

describe('78. Chat beside the canvas', () => {
  test('changes a message, sends it again, asks for another answer, stops one and opens the run; the view re-fits', async () => {
    const id = freshId();
    await stage.putFlow(
      {
        format: 1,
        id,
        nodes: {
          chat: { operator: 'trigger.chat', params: { title: id } },
          wait: { operator: 'logic.delay', params: { ms: '{{ input.text == "Wait" ? 60000 : 1 }}' } },
          back: { operator: 'core.map', params: { value: '{{ input.text + ", " + input.history.length }}' } },
        },
        edges: [
          { from: 'chat.out', to: 'wait.in' },
          { from: 'wait.out', to: 'back.in' },
        ],
      },
      { format: 1, nodes: { chat: { x: 0, y: 0 }, wait: { x: 500, y: 0 }, back: { x: 1000, y: 0 } } },
    );
    const page = await stage.visit(`/flows/${id}`);
    await page.setViewportSize({ width: 1440, height: 900 });
    const opened = flowPage(page);
    await opened.ready();
    await opened.fit();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await expect(page.getByRole('complementary', { name: 'Chat' })).toBeVisible();
    await opened.rest();
    const canvas = await opened.canvas.boundingBox();
    for (const node of ['chat', 'back']) {
      const box = await opened.node(node).boundingBox();
      expect(box && canvas && box.x >= canvas.x && box.x + box.width <= canvas.x + canvas.width, node).toBe(
        true,
      );
    }

    await say(page, 'One');
    await say(page, 'Two');
    await expect(answers(page).last()).toHaveText(/Two, 2/);
    const first = log(page).getByRole('listitem').filter({ hasText: 'You: One' });
    await first.hover();
    await first.getByRole('button', { name: 'Edit and ask again' }).click();
    await page.getByLabel('Changed text').fill('Uno');
    await page.keyboard.press('Enter');
    await expect(answers(page)).toHaveCount(1);
    await expect(answers(page)).toHaveText(/Uno, 0/);
    await answers(page).getByRole('button', { name: 'Answer again' }).click();
    await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeVisible();
    await expect(answers(page)).toHaveText(/Uno, 0/);

    await page.getByRole('textbox', { name: 'Message', exact: true }).fill('Wait');
    await page.keyboard.press('Enter');
    await expect(opened.status('wait')).toHaveText(/^Running/);
    await page.getByRole('button', { name: 'Stop', exact: true }).last().click();
    await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeVisible();
    await expect(opened.status('wait')).not.toHaveText(/^Running/);

    await answers(page).first().getByRole('button', { name: 'Show the run' }).click();
    await expect(opened.status('back')).toHaveText(/^OK/);
  });

  test('keeps hostile answers inert: HTML, pictures from elsewhere, letters that turn a line round, a long text', async () => {
    const id = freshId();
    const hostile = [
      '<img src="https://evil.example/p.png" onerror="window.hurt = 1"><script>window.hurt = 1</script>',
      '![picture](https://evil.example/p.png) [link](javascript:window.hurt=1)',
      '\u202Eright to left\u202C',
      'long '.repeat(20_000),
    ].join('\n\n');
    await stage.putFlow({
      format: 1,
      id,
      nodes: {
        chat: { operator: 'trigger.chat', params: { title: '<b>x</b>\u202Eyx' } },
        back: { operator: 'core.map', params: { value: hostile } },
      },
      edges: [{ from: 'chat.out', to: 'back.in' }],
    });
    const page = await stage.visit(`/flows/${id}`);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await flowPage(page).ready();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await say(page, '<img src=x onerror="window.hurt=1">');
    await expect(answers(page)).toContainText('long long');
    expect(await page.evaluate(() => (window as { hurt?: number }).hurt)).toBeUndefined();
    expect(asked.filter((url) => url.includes('evil.example'))).toEqual([]);
    expect(await log(page).locator('img, script, a[href^="javascript"]').count()).toBe(0);
  });
});

describe('The tools of an answer', () => {
  test('Is it told which tools were offered, which was called with what, and why none was?', async () => {
    const tool = freshId();
    await stage.putFlow({
      format: 1,
      id: tool,
      nodes: {
        start: {
          operator: 'trigger.manual',
          params: {
            input: { type: 'object', required: ['order'], properties: { order: { type: 'string' } } },
          },
        },
        say: { operator: 'text.template', params: { template: 'It is on its way.' } },
      },
      edges: [{ from: 'start.out', to: 'say.in' }],
    });
    const id = freshId();
    const tools = [
      { type: 'flow', name: tool, value: { flow: tool, description: 'Tells where an order is.' } },
    ];
    await stage.putFlow({
      format: 1,
      id,
      nodes: {
        chat: { operator: 'trigger.chat', params: { title: id } },
        clerk: { operator: 'agent.run', params: { agent: { name: 'Clerk', model: 'demo/chat', tools } } },
      },
      edges: [{ from: 'chat.out', to: 'clerk.in' }],
    });
    const page = await stage.visit(`/chat?partner=flow:${id}`, { viewport: { width: 390, height: 844 } });
    await say(page, 'Hello');
    await answers(page).getByRole('button', { name: 'Tools' }).click();
    const told = answers(page).last().getByRole('region', { name: 'Tools' });
    await expect(told).toContainText(`Tools offered to it: ${tool}.`);
    await expect(told).toContainText('the demo calls a tool only if the message names it');
    await say(page, `Ask ${tool}`);
    await page.reload();
    await answers(page).last().getByRole('button', { name: 'Tools' }).click();
    await expect(told).toContainText(`called ${tool}`);
    await told.getByRole('group').first().click();
    await expect(told).toContainText('It is on its way.');
    await expect(told).toContainText('order');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    const { look, found } = auditOf(page);
    await look('the tools of an answer');
    expect(found).toEqual([]);
  });

  test('Is an app tried beside its form, and is it said that changes wait to be saved?', async () => {
    const flow = await putFlow();
    const app = {
      app_name: flow,
      app_describe: '',
      team_mode: 'awel_layout',
      team_context: flow,
      language: 'en',
    };
    const made = await ask(`${stage.server.url}/api/v2/serve/apps`, {
      method: 'POST',
      headers: { ...stage.owner.headers, 'content-type': 'application/json' },
      body: JSON.stringify(app),
    });
    const { app_code: code } = (made.body as { data: App }).data;
    const page = await stage.visit(`/apps/${code}`);
    await page.getByRole('button', { name: 'Try it' }).click();
    const panel = page.getByRole('complementary', { name: 'Chat' });
    await say(page, 'Ada');
    await expect(answers(page)).toHaveText(/Ada, remembers 0/);
    await page.getByRole('textbox', { name: /^Name/ }).fill(`${flow} changed`);
    await expect(panel.getByRole('status').first()).toContainText('Save your changes to try them.');
    const { look, found } = auditOf(page);
    await look('an app and its chat');
    expect(found).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    await expect(page.getByRole('dialog', { name: 'Chat' })).toBeVisible();
    await expect(answers(page)).toHaveText(/Ada, remembers 0/);
    await look('an app and its chat on a phone');
    expect(found).toEqual([]);
  });
});

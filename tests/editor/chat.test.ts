import type { Page } from '@playwright/test';
import { expect } from '../support/expect.ts';
import { describe, test } from 'vitest';
import {
  chunk,
  sendChunks,
  sendError,
  startOpenAi,
} from '../../server/integrations/models/testing/openai-server.ts';
import { ask } from '../support/client.ts';
import { useOwnStage } from './support/stage.ts';

/** Chatting in the browser, with the demo and with a provider over real HTTP. */
const stage = useOwnStage({ env: { WEFT_OUTBOUND_ALLOW: '127.0.0.1', WEFT_MODEL: 'demo/chat' } });

const log = (page: Page) => page.getByRole('log', { name: 'Conversation' });
const answers = (page: Page) => log(page).getByRole('article', { name: 'Answer' });
const aside = (page: Page) => page.getByRole('complementary', { name: 'Conversations' });

async function chooseWith(page: Page, name: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Chat with' }).click();
  await page.getByRole('option', { name }).click();
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message').fill(text);
  // Enter does nothing while an answer is still coming.
  await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeEnabled();
  await page.keyboard.press('Enter');
}

describe('Chat', () => {
  test('Does the demo answer out of the box, and is the conversation there again later?', async () => {
    const page = await stage.visit('/');
    await page.getByRole('link', { name: 'Chat', exact: true }).click();
    await page.getByRole('button', { name: 'Count to 5' }).click();
    await expect(answers(page)).toContainText('1 2 3 4 5');
    await say(page, 'count to 3');
    await expect(answers(page)).toHaveCount(2);
    await expect(answers(page).last()).toContainText('1 2 3');
    await expect(page.getByRole('button', { name: 'Send' })).toBeVisible();

    await page.reload();
    await expect(answers(page)).toHaveCount(2);
    await page.getByRole('button', { name: 'New chat' }).click();
    await expect(page.getByText('A new chat with demo/chat')).toBeVisible();
    await aside(page)
      .getByRole('link', { name: /Count to 5/ })
      .click();
    await expect(answers(page).first()).toContainText('1 2 3 4 5');

    await aside(page)
      .getByRole('link', { name: /Count to 5/ })
      .hover();
    await aside(page).getByRole('button', { name: 'Delete “Count to 5”' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByRole('dialog', { name: /^Delete/ })).toHaveCount(0);
    await expect(aside(page).getByRole('link')).toHaveCount(0);
    await expect(page.getByText('A new chat with demo/chat')).toBeVisible();
  });

  test('Does the stop button end the answer on the server, and is what was said kept?', async () => {
    const script = ['```demo', 'pace 30', `say ${'word '.repeat(2000)}`, '```'].join('\n');
    const page = await stage.visit('/chat');
    await say(page, script);
    await expect(answers(page)).toContainText('word word');
    await page.getByRole('button', { name: 'Stop' }).click();
    await expect(answers(page)).toContainText('stopped');
    const said = (await answers(page).getByRole('paragraph').textContent()) ?? '';
    const { runs } = await stage.owner.data<{ runs: { status: string }[] }>(
      'GET',
      '/runs?source=chat&limit=1',
    );
    expect(runs[0]?.status).not.toBe('running');
    await page.reload();
    await expect(answers(page).getByRole('paragraph')).toHaveText(said);
  });

  test('Does leaving hang up, so that the provider is not asked in vain?', async () => {
    const provider = await startOpenAi((response) => sendChunks(response, [{ content: 'Well' }]));
    await addProvider('leaving', provider.url);
    const page = await stage.visit('/chat?partner=leaving/m');
    await say(page, 'Hello');
    await expect(answers(page)).toContainText('Well');
    await page.getByRole('link', { name: 'Secrets', exact: true }).click();
    await provider.broken;
  });

  test('Does a failure say its code and what to do, and does trying again work?', async () => {
    let calls = 0;
    const provider = await startOpenAi((response) => {
      calls += 1;
      if (calls === 1) sendError(response, 429);
      else sendChunks(response, [{ content: 'Here ' }, { content: 'I am' }], 'stop');
    });
    await addProvider('busy', provider.url);
    const page = await stage.visit('/chat?partner=busy/m');
    await say(page, 'Hello');
    const alert = answers(page).getByRole('alert');
    await expect(alert).toContainText('model_rate_limited');
    await expect(alert).toContainText(/retry|again|wait/i);
    await alert.getByRole('button', { name: 'Try again' }).click();
    await expect(answers(page)).toContainText('Here I am');
    await expect(answers(page).getByRole('alert')).toHaveCount(0);
    await expect(log(page)).toContainText('Hello');
  });

  test('Is an answer shown as Markdown, and a picture in it not fetched?', async () => {
    const tracker = await startOpenAi(() => undefined);
    const text = `**Bold** and ![a pixel](${tracker.url}/pixel.png) <script>alert(1)</script>`;
    const provider = await startOpenAi((response) => sendChunks(response, [{ content: text }], 'stop'));
    await addProvider('drawing', provider.url);
    const page = await stage.visit('/chat?partner=drawing/m');
    await say(page, 'Draw');
    await expect(answers(page).locator('strong')).toHaveText('Bold');
    await expect(answers(page)).toContainText('[a pixel]');
    expect(tracker.asked).toEqual([]);
  });

  test('Are thoughts told apart from the answer?', async () => {
    const provider = await startOpenAi((response) => {
      sendChunks(response, [{ reasoning_content: 'Hmm, let me see' }, { content: 'Five' }], 'stop');
    });
    await addProvider('thinking', provider.url);
    const page = await stage.visit('/chat?partner=thinking/m');
    await say(page, 'How many?');
    await expect(answers(page)).toContainText('Five');
    await answers(page).getByText('Thoughts').click();
    await expect(answers(page)).toContainText('Hmm, let me see');
  });

  test('Is a conversation that breaks off told as such, with what came?', async () => {
    const seen = Promise.withResolvers<void>();
    const provider = await startOpenAi(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(chunk({ choices: [{ index: 0, delta: { content: 'Half' }, finish_reason: null }] }));
      await seen.promise;
      response.destroy();
    });
    await addProvider('breaking', provider.url);
    const page = await stage.visit('/chat?partner=breaking/m');
    await say(page, 'Hello');
    await expect(answers(page)).toContainText('Half');
    seen.resolve();
    await expect(answers(page).getByRole('alert')).toContainText('model_');
  });
});

describe('Apps', () => {
  test('Can an app be made, chatted with, changed and deleted?', async () => {
    const page = await stage.visit('/');
    await page.getByRole('link', { name: 'Apps', exact: true }).click();
    await page.getByRole('button', { name: 'Create the first app' }).click();
    await expect(page.getByRole('button', { name: 'Save' })).toBeDisabled();
    await page.getByRole('region', { name: 'The app' }).getByLabel('Name').fill('Support desk');
    const agent = page.getByRole('region', { name: 'Assistant' });
    await agent.getByLabel('Instructions').fill(script('say Welcome to the desk.'));
    await agent.getByLabel('Models').click();
    await page.getByRole('option', { name: 'demo/chat' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    const row = page.getByRole('row').filter({ hasText: 'Support desk' });
    await expect(row).toContainText('One agent');
    await row.getByRole('button', { name: 'Favourite: Support desk' }).click();
    await expect(row.getByRole('button', { name: 'Favourite: Support desk' })).toHaveAttribute(
      'aria-pressed',
      'true',
    );

    await row.getByRole('button', { name: 'Chat with Support desk' }).click();
    await expect(page.getByRole('combobox', { name: 'Chat with' })).toContainText('Support desk');
    await say(page, 'Hi');
    await expect(answers(page)).toContainText('Welcome to the desk.');
    await expect(answers(page).getByRole('region', { name: /^Assistant to/ })).toBeVisible();

    await page.getByRole('link', { name: 'Apps', exact: true }).click();
    await row.getByRole('link', { name: 'Support desk' }).click();
    const description = page.getByRole('region', { name: 'The app' }).getByLabel('Description');
    await description.fill('Half done');
    await page.getByRole('link', { name: 'Chat', exact: true }).click();
    await page
      .getByRole('dialog', { name: 'Leave without saving?' })
      .getByRole('button', { name: 'Stay' })
      .click();
    await description.fill('Answers customers.');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(row).toContainText('Answers customers.');
    await page.getByRole('button', { name: 'Actions for Support desk' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByRole('dialog', { name: /^Delete/ })).toHaveCount(0);
    await expect(page.getByText('No apps yet')).toBeVisible();
  });

  test('Is the plan of a team shown with the state of each step?', async () => {
    const seen = Promise.withResolvers<void>();
    const provider = await startOpenAi(async (response) => {
      await seen.promise;
      sendChunks(response, [{ content: 'Found it there and then.' }], 'stop');
    });
    await addProvider('looking', provider.url);
    const model = { llm_strategy: 'priority', llm_strategy_value: 'looking/m' };
    const code = await makeApp({
      app_name: 'A team',
      team_mode: 'auto_plan',
      details: [
        { agent_name: 'Planner', prompt_template: '' },
        { agent_name: 'Looker', prompt_template: 'Look.', ...model },
        { agent_name: 'Writer', prompt_template: script('say Written.') },
      ],
    });
    const page = await stage.visit(`/chat?partner=app:${code}`);
    await say(page, 'Do it');
    const plan = answers(page).getByRole('region', { name: 'Plan', exact: true });
    await expect(plan.getByRole('listitem').first()).toContainText('running');
    seen.resolve();
    await expect(plan).toContainText('2 of 2 steps done');
    await plan.locator('summary').first().click();
    await expect(plan).toContainText('Found it there and then');
  });

  test('Does a refusal say why, with what was filled in still there?', async () => {
    await makeApp({ app_name: 'Only one', team_mode: 'single_agent', details: [] });
    const page = await stage.visit('/apps/new');
    await page.getByRole('region', { name: 'The app' }).getByLabel('Name').fill('Only one');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('alert')).toContainText('app_name_taken');
    await expect(page.getByRole('region', { name: 'The app' }).getByLabel('Name')).toHaveValue('Only one');
  });
});

describe('Flows', () => {
  test('Can a flow be chatted with, and can an app be answered by it?', async () => {
    await stage.putFlow({
      format: 1,
      id: 'parrot',
      name: 'Parrot',
      nodes: {
        start: { operator: 'trigger.chat' },
        say: { operator: 'core.map', params: { value: '{{ "You said " + input.text }}' } },
      },
      edges: [{ from: 'start.out', to: 'say.in' }],
    });
    const page = await stage.visit('/chat');
    await chooseWith(page, 'Parrot');
    await say(page, 'hello');
    await expect(answers(page)).toContainText('You said hello');

    await page.goto('/apps/new');
    await page.getByRole('region', { name: 'The app' }).getByLabel('Name').fill('Bird');
    await page.getByRole('combobox', { name: 'Answered by' }).click();
    await page.getByRole('option', { name: 'A flow' }).click();
    await page.getByRole('combobox', { name: 'Flow' }).click();
    await page.getByRole('option', { name: 'Parrot' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Chat with Bird' }).click();
    await say(page, 'hi');
    await expect(answers(page)).toContainText('You said hi');
  });
});

const script = (...lines: readonly string[]): string => ['```demo', ...lines, '```'].join('\n');

const addProvider = (id: string, baseUrl: string): Promise<unknown> =>
  stage.owner.data('PUT', `/providers/${id}`, {
    type: 'openai-compatible',
    baseUrl,
    models: [{ name: 'm' }],
  });

async function makeApp(body: object): Promise<string> {
  const answer = await ask(`${stage.server.url}/api/v2/serve/apps`, {
    method: 'POST',
    headers: { ...stage.owner.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ app_describe: 'x', language: 'en', ...body }),
  });
  return (answer.body as { data: { app_code: string } }).data.app_code;
}

import type { Page } from '@playwright/test';
import { expect } from '../support/expect.ts';
import { describe, test } from 'vitest';
import {
  sendChunks,
  sendError,
  startOpenAi,
} from '../../server/integrations/models/testing/openai-server.ts';
import { addProvider, answers, chooseWith, log, say, script } from './support/chat-page.ts';
import { useOwnStage } from './support/stage.ts';

/** Chatting in the browser, with the demo and with a provider over real HTTP. */
const stage = useOwnStage({ env: { WEFT_OUTBOUND_ALLOW: '127.0.0.1', WEFT_MODEL: 'demo/chat' } });

const aside = (page: Page) => page.getByRole('complementary', { name: 'Conversations' });

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

  test('Does a failure say its code and what to do, and does trying again work?', async () => {
    let calls = 0;
    const provider = await startOpenAi((response) => {
      calls += 1;
      if (calls === 1) sendError(response, 429);
      else sendChunks(response, [{ content: 'Here ' }, { content: 'I am' }], 'stop');
    });
    await addProvider(stage, 'busy', provider.url);
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

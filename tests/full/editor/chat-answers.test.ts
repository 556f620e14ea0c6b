import { test } from 'vitest';
import { chunk, sendChunks, startOpenAi } from '../../../server/integrations/models/testing/openai-server.ts';
import { addProvider, answers, say, script } from '../../editor/support/chat-page.ts';
import { useOwnStage } from '../../editor/support/stage.ts';
import { ask } from '../../support/client.ts';
import { expect } from '../../support/expect.ts';

/** Answers in all their forms, and apps, with a provider over real HTTP. */
const stage = useOwnStage({ env: { WEFT_OUTBOUND_ALLOW: '127.0.0.1', WEFT_MODEL: 'demo/chat' } });

test('Does leaving hang up, so that the provider is not asked in vain?', async () => {
  const provider = await startOpenAi((response) => sendChunks(response, [{ content: 'Well' }]));
  await addProvider(stage, 'leaving', provider.url);
  const page = await stage.visit('/chat?partner=leaving/m');
  await say(page, 'Hello');
  await expect(answers(page)).toContainText('Well');
  await page.getByRole('link', { name: 'Secrets', exact: true }).click();
  await provider.broken;
});

test('Is an answer shown as Markdown, and a picture in it not fetched?', async () => {
  const tracker = await startOpenAi(() => undefined);
  const text = `**Bold** and ![a pixel](${tracker.url}/pixel.png) <script>alert(1)</script>`;
  const provider = await startOpenAi((response) => sendChunks(response, [{ content: text }], 'stop'));
  await addProvider(stage, 'drawing', provider.url);
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
  await addProvider(stage, 'thinking', provider.url);
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
  await addProvider(stage, 'breaking', provider.url);
  const page = await stage.visit('/chat?partner=breaking/m');
  await say(page, 'Hello');
  await expect(answers(page)).toContainText('Half');
  seen.resolve();
  await expect(answers(page).getByRole('alert')).toContainText('model_');
});

test('Is the plan of a team shown with the state of each step?', async () => {
  const seen = Promise.withResolvers<void>();
  const provider = await startOpenAi(async (response) => {
    await seen.promise;
    sendChunks(response, [{ content: 'Found it there and then.' }], 'stop');
  });
  await addProvider(stage, 'looking', provider.url);
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

async function makeApp(body: object): Promise<string> {
  const answer = await ask(`${stage.server.url}/api/v2/serve/apps`, {
    method: 'POST',
    headers: { ...stage.owner.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ app_describe: 'x', language: 'en', ...body }),
  });
  return (answer.body as { data: { app_code: string } }).data.app_code;
}

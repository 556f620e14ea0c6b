import { expect } from '../../support/expect.ts';
import { test } from 'vitest';
import { flowPage } from '../../editor/support/flow-page.ts';
import { freshId } from '../../editor/support/fixtures.ts';
import { useStage } from '../../editor/support/stage.ts';

const stage = useStage({ WEFT_DEPLOY: 'manual' });

test('Does the chat beside the canvas speak with the draft that is on it, before and after publishing?', async () => {
  const id = freshId();
  const flow = (greeting: string) => ({
    format: 1,
    id,
    nodes: {
      chat: { operator: 'trigger.chat' },
      greet: { operator: 'core.map', params: { value: `${greeting}, {{ input.text }}!` } },
    },
    edges: [{ from: 'chat.out', to: 'greet.in' }],
  });
  await stage.putFlow(flow('Hello'));
  const page = await stage.visit(`/flows/${id}`);
  const opened = flowPage(page);
  await opened.ready();
  const panel = page.getByRole('complementary', { name: 'Chat' });
  const answers = panel.getByRole('article', { name: 'Answer' });
  const say = async (text: string): Promise<void> => {
    await panel.getByLabel('Message').fill(text);
    // Enter does nothing while an answer is still coming.
    await expect(panel.getByRole('button', { name: 'Send', exact: true })).toBeEnabled();
    await page.keyboard.press('Enter');
  };
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(panel.getByText('The draft on the canvas answers here.')).toContainText('Publish it');
  await say('Ada');
  await expect(answers).toContainText('Hello, Ada!');
  await expect(opened.status('greet')).toHaveText(/^OK/);

  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await expect(panel.getByText('The draft on the canvas answers here.')).toHaveCount(0);
  await opened.select('greet');
  await panel.getByRole('tab', { name: 'Inspector' }).click();
  await opened.write('params.value', 'Good day, {{ input.text }}!');
  await opened.save();
  await opened.inspector.getByRole('tab', { name: 'Chat' }).click();
  await expect(panel.getByText('Everywhere else the live version does.')).toBeVisible();
  await say('Bo');
  await expect(answers.last()).toContainText('Good day, Bo!');
});

import type { Page } from '@playwright/test';
import { expect } from '../support/expect.ts';
import { describe, test } from 'vitest';
import { freshId, openFlow } from './support/fixtures.ts';
import { useStage } from './support/stage.ts';

/** What somebody meets who opens the editor for the first time. */
const stage = useStage();

const say = { operator: 'text.template', params: { template: 'Hello, {{ input.name }}!' } };
const manual = { operator: 'trigger.manual' };
const fileOf = (id: string): { nodes: Record<string, Record<string, unknown>> } =>
  JSON.parse(stage.fileText(id)) as never;

/** A flow of a trigger and, behind it, a node. */
async function open(start: object, node: object = say) {
  const id = freshId();
  await stage.putFlow(
    { format: 1, id, nodes: { start, say: node }, edges: [{ from: 'start.out', to: 'say.in' }] },
    { format: 1, nodes: { start: { x: 0, y: 0 }, say: { x: 320, y: 0 } } },
  );
  const flow = await openFlow(stage, id);
  await flow.fit();
  return { id, flow };
}

describe('A disabled node', () => {
  test('Can it be saved, and is every flow still there for everybody?', async () => {
    const { id, flow } = await open(manual, { operator: 'core.map', params: { value: 1 } });
    await flow.select('say');
    await flow.key('d');
    // The first key waits for the commands, and "Saved" is there before it.
    await expect(flow.node('say').locator('.line-through')).toBeVisible();
    await flow.save();
    expect(fileOf(id).nodes['say']?.['disabled']).toBe(true);
    await flow.page.reload();
    await flow.ready();
    await flow.dock.getByRole('tab', { name: /^Problems/ }).click();
    await flow.dock.getByRole('button', { name: 'Enable the node' }).click();
    await flow.save();
    expect(fileOf(id).nodes['say']).not.toHaveProperty('disabled');
    await flow.page.goto('/');
    await flow.page.getByRole('searchbox', { name: 'Search flows' }).fill(id);
    await expect(flow.page.getByText(`${id}.json`)).toBeVisible();
  });
});

test('Does the starter run as it is, and show its answer?', async () => {
  const page = await stage.visit('/');
  await page.getByRole('button', { name: 'New flow' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New flow' });
  await dialog.getByRole('radio', { name: /^Hello/ }).click();
  const id = freshId();
  await dialog.getByLabel('Id').fill(id);
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('dialog', { name: 'Run with input' }).waitFor();
  await page.keyboard.press('Enter');
  await expect(page.locator('.react-flow__node[data-id="greeting"] [data-status]')).toHaveText(/^OK/);
  await expect(page.getByRole('region', { name: 'Result' })).toContainText('Hello, world!');
});

test('Does a node run before any run, with what it needs, and is an input asked for where one is needed?', async () => {
  const params = { input: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } };
  const { flow } = await open({ ...manual, params });
  await flow.select('say');
  await flow.key('Shift+Enter');
  const dialog = flow.page.getByRole('dialog', { name: 'Run a part of the flow' });
  await dialog.getByRole('textbox').first().fill('Ada');
  await dialog.getByRole('button', { name: 'Run', exact: true }).click();
  await expect(flow.status('say')).toHaveText(/^OK/);
});

describe('A chat flow', () => {
  const echo = { operator: 'text.template', params: { template: 'You said {{ input.text }}.' } };
  const panel = (page: Page) => page.getByRole('complementary', { name: 'Chat' });
  const answers = (page: Page) => panel(page).getByRole('article', { name: 'Answer' });
  const turnTo = (page: Page, tab: 'Chat' | 'Inspector') =>
    page.getByRole('complementary').getByRole('tab', { name: tab }).click();

  test('Can it be tried where it is drawn, and does each answer lead to its run?', async () => {
    const { flow } = await open({ operator: 'trigger.chat' }, echo);
    const { page } = flow;
    await flow.key('Mod+Enter');
    await panel(page).getByLabel('Message').fill('first words');
    await flow.key('Enter');
    await expect(answers(page)).toContainText('You said first words.');
    await expect(flow.status('say')).toHaveText(/^OK/);

    // What is on the canvas answers.
    await flow.select('say');
    await turnTo(page, 'Inspector');
    await flow.write('params.template', 'Now {{ input.text }}.');
    await turnTo(page, 'Chat');
    await panel(page).getByLabel('Message').fill('second');
    await flow.key('Enter');
    await expect(answers(page).last()).toContainText('Now second.');
    await turnTo(page, 'Inspector');
    await flow.tab('Output').click();
    await expect(flow.inspector).toContainText('Now second.');
    await turnTo(page, 'Chat');
    await answers(page).first().getByRole('button', { name: 'Show the run' }).click();
    await expect(page.getByText('The flow as it was')).toBeVisible();
    await flow.select('say');
    await turnTo(page, 'Inspector');
    await flow.tab('Output').click();
    await expect(flow.inspector).toContainText('You said first words.');

    await turnTo(page, 'Chat');
    await panel(page).getByRole('button', { name: 'Close the panel' }).click();
    await flow.key('Mod+Enter');
    await expect(answers(page)).toHaveCount(2);
    await panel(page).getByRole('button', { name: 'Start a new chat' }).click();
    await expect(answers(page)).toHaveCount(0);
  });
});

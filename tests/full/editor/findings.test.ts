import { describe, test } from 'vitest';
import { expect } from '../../support/expect.ts';
import { freshId, openFlow } from '../../editor/support/fixtures.ts';
import { useStage } from '../../editor/support/stage.ts';

/** What was found on 0.2.0 in settings, by its number there; the other numbers are in the titles of the tests of their screens. */
const stage = useStage();

async function openNode(node: object) {
  const id = freshId();
  await stage.putFlow({ format: 1, id, nodes: { one: node }, edges: [] } as never);
  const flow = await openFlow(stage, id);
  await flow.page.setViewportSize({ width: 1440, height: 900 });
  await flow.select('one');
  const params = (): Record<string, unknown> => JSON.parse(stage.fileText(id)).nodes.one.params ?? {};
  return { flow, params };
}

/** Whether any error is told. */
const ERRORS = '[data-field] li:has([aria-label="Error"])';

describe('A new row of settings', () => {
  test('N11: has a proposed name and no error before a letter is typed, in forms and among tools', async () => {
    const form = await openNode({
      operator: 'trigger.form',
      params: { path: `/${freshId()}`, title: 'Orders' },
    });
    const fields = form.flow.field('params.fields');
    await fields.getByRole('button', { name: 'Add field' }).click();
    await expect(form.flow.field('params.fields[0].name').locator('input')).toBeFocused();
    await form.flow.saved();
    expect(form.params()['fields']).toMatchObject([{ name: 'field_1' }]);
    await expect(form.flow.inspector.locator(ERRORS)).toHaveCount(0);

    const agent = await openNode({ operator: 'agent.run', params: { agent: { name: 'Clerk' } } });
    await agent.flow.field('params.agent.tools').getByRole('button', { name: 'Add tool' }).click();
    await agent.flow.page.getByRole('menuitem', { name: 'Flow' }).click();
    await expect(agent.flow.field('params.agent.tools').getByText(/pattern|Invalid|Too small/)).toHaveCount(
      0,
    );
  });

  test('N12: shows what belongs to the type of a field, in the words of people', async () => {
    const { flow } = await openNode({
      operator: 'trigger.form',
      params: { path: `/${freshId()}`, fields: [{ name: 'orders', type: 'text' }] },
    });
    await expect(flow.inspector.getByRole('button', { name: 'Add field' })).toHaveCount(1);
    for (const other of ['accept', 'choices', 'maxBytes'])
      await expect(flow.field(`params.fields[0].${other}`), other).toHaveCount(0);
    await flow.field('params.fields[0].type').getByRole('combobox').click();
    await flow.page.getByRole('option', { name: 'File', exact: true }).click();
    const types = flow.field('params.fields[0].accept');
    await expect(types).toContainText('File types');
    await types.getByRole('button', { name: 'Add file type' }).click();
    await expect(flow.field('params.fields[0].choices')).toHaveCount(0);
  });
});

test('fault 9: a loop has its nodes inside, and a flow that it calls instead is chosen by its name or made in place', async () => {
  const { flow } = await openNode({ operator: 'trigger.manual' });
  await flow.clickEmpty();
  await flow.key('N');
  await flow.picker.getByRole('combobox').fill('for each');
  await flow.page.keyboard.press('Enter');
  await expect(flow.node('each_item')).toBeVisible();
  const call = await openNode({ operator: 'data.repeat-until', params: { flow: 'nowhere' } });
  await expect(call.flow.field('params.flow').getByRole('button', { name: 'Create it' })).toBeVisible();
});

test('fault 10: an agent is written in lines, its model is chosen, and its tools have no ids to type', async () => {
  const { flow, params } = await openNode({ operator: 'agent.run', params: { agent: { name: 'Clerk' } } });
  const prompt = flow.field('params.agent.prompt').locator('.cm-content');
  await prompt.click();
  await flow.page.keyboard.type('First line');
  await flow.key('Enter');
  await flow.page.keyboard.type('Second line');
  await flow.saved();
  expect(params()['agent']).toMatchObject({ prompt: 'First line\nSecond line' });
  await flow.field('params.agent.model').getByRole('combobox').click();
  await expect(flow.page.getByRole('option', { name: 'demo/chat' })).toBeVisible();
});

test('fault 22: a provider without a key that it needs does not take over from the demo', async () => {
  const before = await stage.owner.data<{ id: string; default: boolean }[]>('GET', '/models');
  const usual = before.find((model) => model.default)?.id;
  const id = freshId();
  await stage.owner.data('PUT', `/providers/${id}`, { type: 'anthropic', models: [{ name: 'm' }] });
  try {
    const after = await stage.owner.data<{ id: string; default: boolean }[]>('GET', '/models');
    expect(after.find((model) => model.default)?.id).toBe(usual);
  } finally {
    await stage.owner.data('DELETE', `/providers/${id}`);
  }
});

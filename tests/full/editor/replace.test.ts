import { describe, test } from 'vitest';
import { expect } from '../../support/expect.ts';
import { httpTrigger } from '../../support/flows.ts';
import { auditOf } from '../../editor/support/audit.ts';
import { freshId, openFlow } from '../../editor/support/fixtures.ts';
import { useStage } from '../../editor/support/stage.ts';

/** Texts are found and replaced in the open flow, and in all flows. */
const stage = useStage();

const HOSTILE = '<img src=x onerror=alert(1)>\u202Egnp.exe';

function flowOf(id: string, word: string) {
  return {
    format: 1,
    id,
    name: `Shop ${word}`,
    nodes: {
      start: httpTrigger(`/${id}`),
      say: {
        operator: 'text.template',
        name: `Say ${word} ${HOSTILE}`,
        params: { template: `Hello ${word}, {{ trigger.query.${word} }}` },
      },
      ask: {
        operator: 'http.request',
        params: { url: 'https://example.com', headers: { Authorization: `Bearer ${word}`, 'X-Word': word } },
      },
    },
    edges: [
      { from: 'say.out', to: 'ask.in' },
      { from: 'start.out', to: 'say.in' },
    ],
  };
}

const layoutOf = (word: string) => ({
  format: 1,
  nodes: { start: { x: 0, y: 0 }, say: { x: 320, y: 0 }, ask: { x: 640, y: 0 } },
  notes: [{ id: 'note_1', x: 0, y: 200, text: `About ${word}` }],
});

const saved = (id: string) => JSON.parse(stage.fileText(id));

describe('69. Find and replace', () => {
  test('in the open flow previews each text and is one step; secrets are passed over', async () => {
    const [id, word] = [freshId(), `w${freshId()}`];
    await stage.putFlow(flowOf(id, word), layoutOf(word));
    const flow = await openFlow(stage, id);
    await flow.key('Mod+H');
    const dialog = flow.page.getByRole('dialog', { name: 'Find and replace in this flow' });
    await dialog.getByRole('textbox', { name: 'Find' }).fill(word.toUpperCase());
    await dialog.getByRole('textbox', { name: 'Replace with' }).fill('pens');
    await expect(dialog.getByRole('status')).toHaveText('Found in 5 texts.');
    await expect(dialog).not.toContainText('Bearer');
    const found = dialog.getByRole('list', { name: 'Found' });
    await expect(found).toContainText('Hello pens, {{ trigger.query.pens }}');
    await dialog.getByRole('checkbox', { name: /X-Word/ }).uncheck();
    const audit = auditOf(flow.page);
    await audit.look('find and replace');
    expect(audit.found).toEqual([]);
    expect(await flow.page.locator('img[src="x"]').count()).toBe(0);
    await dialog.getByRole('button', { name: 'Replace in 4 texts' }).click();
    await expect(dialog).toHaveCount(0);
    await flow.saved();
    const { say, ask } = saved(id).nodes;
    expect(say.name).toBe(`Say pens ${HOSTILE}`);
    expect(say.params.template).toBe('Hello pens, {{ trigger.query.pens }}');
    expect(ask.params.headers).toEqual({ Authorization: `Bearer ${word}`, 'X-Word': word });
    await flow.clickEmpty();
    await flow.key('Mod+Z');
    await flow.saved();
    expect(saved(id)).toMatchObject(flowOf(id, word));
  });

  test('a pattern has groups, and one that would explode is refused', async () => {
    const [id, word] = [freshId(), `w${freshId()}`];
    await stage.putFlow(flowOf(id, word), layoutOf(word));
    const flow = await openFlow(stage, id);
    await flow.key('Mod+H');
    const dialog = flow.page.getByRole('dialog', { name: 'Find and replace in this flow' });
    await dialog.getByRole('button', { name: 'Regular expression' }).click();
    await dialog.getByRole('textbox', { name: 'Find' }).fill('(a{1000}){1000}');
    await expect(dialog.getByRole('alert')).toContainText('This pattern cannot be used');
    await dialog.getByRole('textbox', { name: 'Find' }).fill('(Hello) \\w+');
    await dialog.getByRole('textbox', { name: 'Replace with' }).fill('$1 you');
    await dialog.getByRole('button', { name: 'Replace in 1 text' }).click();
    await flow.saved();
    expect(saved(id).nodes.say.params.template).toBe(`Hello you, {{ trigger.query.${word} }}`);
  });

  test('in all flows writes drafts, and leaves a flow that has changed meanwhile', async () => {
    const word = `w${freshId()}`;
    const [one, two] = [freshId(), freshId()];
    for (const id of [one, two]) await stage.putFlow(flowOf(id, word), layoutOf(word));
    const page = await stage.visit('/');
    await page.getByRole('button', { name: 'Find and replace in all flows…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Find and replace in all flows' });
    await dialog.getByRole('textbox', { name: 'Find' }).fill(`Hello ${word}`);
    await dialog.getByRole('textbox', { name: 'Replace with' }).fill('Good day');
    await dialog.getByRole('button', { name: 'Search', exact: true }).click();
    await expect(dialog.getByRole('status')).toContainText('2 texts in 2 flows.');
    const found = dialog.getByRole('list', { name: 'Found' });
    await expect(found).toContainText(`Shop ${word}`);
    await expect(found).toContainText('› Template');
    await expect(found).not.toContainText('nodes.say');
    const audit = auditOf(page);
    await audit.look('find and replace in all flows');
    expect(audit.found).toEqual([]);

    const { revision } = await stage.owner.data<{ revision: string }>('GET', `/flows/${two}`);
    const changed = { ...flowOf(two, word), description: 'changed meanwhile' };
    await stage.owner.data('PUT', `/flows/${two}`, { flow: changed, revision });
    await dialog.getByRole('button', { name: 'Replace in 2 flows' }).click();
    await expect(dialog).toContainText('1 draft changed.');
    await expect(dialog).toContainText('It has changed since it was searched');
    expect(saved(one).nodes.say.params.template).toContain('Good day, ');
    expect(JSON.parse(stage.liveText(one)).nodes.say.params.template).toContain(`Hello ${word}`);
    expect(saved(two)).toMatchObject(changed);
  });
});

import { describe, test } from 'vitest';
import type { EvaluationSet } from '../../../shared/evaluation.ts';
import type { KnowledgeSpace } from '../../../shared/knowledge.ts';
import { expect } from '../../support/expect.ts';
import { httpTrigger } from '../../support/flows.ts';
import { auditOf } from '../../editor/support/audit.ts';
import { freshId, openFlow } from '../../editor/support/fixtures.ts';
import { useOwnStage } from '../../editor/support/stage.ts';

/** Evaluations are made, filled from searches and runs, run, and compared by version. */
const stage = useOwnStage();

const shouts = (id: string, value: string) => ({
  format: 1,
  id,
  nodes: {
    start: httpTrigger(`/${id}`, { request: { type: 'object' } }),
    out: { operator: 'core.map', params: { value } },
  },
  edges: [{ from: 'start.out', to: 'out.in' }],
});

const setOf = async (id: string): Promise<EvaluationSet> =>
  ((await stage.owner.data('GET', `/evaluations/${id}`)) as { set: EvaluationSet }).set;

describe('The screen of evaluations', () => {
  test('Is a flow evaluated version by version, and are its failing cases shown?', async () => {
    const id = freshId();
    await stage.putFlow(shouts(id, '{{ input.text.toUpperCase() }}'));
    const page = await stage.visit('/');
    const { look, found } = auditOf(page);
    await page.getByRole('link', { name: 'Evaluations', exact: true }).click();
    await expect(page.getByText('No evaluations yet')).toBeVisible();
    await look('no evaluations');
    await page.getByRole('button', { name: 'New evaluation' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'New evaluation' });
    await expect(dialog.getByLabel('Name')).toBeFocused();
    await dialog.getByLabel('Name').fill('Loud');
    await expect(dialog).toContainText('A lower-case letter');
    await dialog.getByLabel('Name').fill('loud');
    await dialog.getByRole('combobox', { name: 'Flow' }).click();
    await page.getByRole('option', { name: id }).click();
    await dialog.getByRole('checkbox', { name: 'Exact' }).click();
    await dialog.getByRole('checkbox', { name: 'Contains' }).click();
    await dialog.getByLabel('Threshold').fill('7');
    await expect(dialog).toContainText('A number from 0 to 1.');
    await dialog.getByLabel('Threshold').fill('0.6');
    await look('new evaluation');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await expect(page.getByText('Not evaluated yet')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Evaluate' })).toBeDisabled();
    for (const [name, answer] of [
      ['tea', 'TEA'],
      ['milk', 'Milk'],
    ]) {
      await page.getByRole('button', { name: 'Add a case…' }).click();
      const add = page.getByRole('dialog', { name: 'Add a case' });
      await add.getByLabel('Name').fill(name ?? '');
      await add.getByLabel('Input').fill(`{"text": "${name}"}`);
      await add.getByLabel('Expected answer').fill(answer ?? '');
      await look('a case');
      await add.getByRole('button', { name: 'Add' }).click();
      await expect(add).toHaveCount(0);
    }
    await page.getByRole('button', { name: 'Evaluate' }).click();
    const results = page.getByRole('region', { name: 'Results' });
    await expect(results).toContainText('0.50');
    await expect(results).toContainText('below the threshold');
    const failing = page.getByRole('region', { name: 'Failing cases' });
    await expect(failing).toContainText('1 failing case of 2');
    await expect(failing.getByRole('listitem')).toContainText('MILK');
    await look('a result');

    const { revision } = (await stage.owner.data('GET', `/flows/${id}`)) as { revision: string };
    const better = shouts(id, "{{ input.text === 'milk' ? 'Milk' : input.text.toUpperCase() }}");
    await stage.owner.data('PUT', `/flows/${id}`, { flow: better, revision });
    await page.getByRole('button', { name: 'Evaluate' }).click();
    await expect(results.getByRole('row')).toHaveCount(3);
    await expect(results.getByRole('row').nth(1)).toContainText('+0.50');
    await expect(failing).toContainText('None of 2 cases fails');
    await results.getByRole('row').nth(2).getByRole('button').click();
    await expect(failing).toContainText('1 failing case of 2');
    await failing.getByRole('link', { name: 'Show the run' }).click();
    await expect(page).toHaveURL(/\/runs\/\w+$/);
    await expect(page.getByRole('heading', { level: 1 })).toContainText(`Run of ${id}`);
    await expect(page.getByRole('region', { name: 'Answer' })).toContainText('MILK');
    await page.goto('/evaluations');
    await expect(page.getByRole('row').filter({ hasText: 'loud' })).toContainText('passed');
    await look('the list');
    await page.getByRole('button', { name: 'Delete loud…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByText('No evaluations yet')).toBeVisible();
    expect(found).toEqual([]);
  });

  test('Are a hit of a search and a run kept as cases?', async () => {
    const space = (await stage.owner.data('POST', '/knowledge/spaces', {
      name: 'Tea',
      model: null,
    })) as KnowledgeSpace;
    await stage.owner.data('POST', `/knowledge/spaces/${space.id}/documents`, {
      name: 'green',
      text: 'Green tea steeps two minutes.',
    });
    const page = await stage.visit(`/knowledge/${space.id}?tab=search`);
    await page.getByRole('searchbox').fill('green tea');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^Add to evaluation…/ }).click();
    const keep = page.getByRole('dialog', { name: 'Keep as an evaluation case' });
    await keep.getByLabel('Name of the evaluation').fill('finds_tea');
    const { look, found } = auditOf(page);
    await look('keeping a hit');
    await keep.getByRole('button', { name: 'Keep', exact: true }).click();
    await expect(page.getByText('“green tea” is a case of finds_tea now.')).toBeVisible();
    expect(await setOf('finds_tea')).toMatchObject({
      target: { space: 'Tea' },
      scorers: [{ kind: 'recall', k: 5 }],
      cases: [{ name: 'green tea', input: 'green tea', expect: { documents: ['green'] } }],
    });

    const id = freshId();
    await stage.putFlow(shouts(id, '{{ input.text }}'));
    await stage.owner.data('POST', `/flows/${id}/run`, { input: { text: 'hello' } });
    const flow = await openFlow(stage, id);
    await flow.dock.getByRole('tab', { name: 'Runs' }).click();
    await flow.dock.locator('tr[data-run]').getByRole('button').click();
    await flow.dock.getByRole('tab', { name: 'Tests' }).click();
    await flow.dock.getByRole('button', { name: 'Keep as an evaluation case…' }).click();
    const dialog = flow.page.getByRole('dialog', { name: 'Keep as an evaluation case' });
    await dialog.getByLabel('Name of the evaluation').fill('kept_runs');
    await dialog.getByLabel('Name of the case').fill('hello');
    await dialog.getByRole('button', { name: 'Keep', exact: true }).click();
    await expect(flow.page.getByText('“hello” is a case of kept_runs now.')).toBeVisible();
    expect(await setOf('kept_runs')).toMatchObject({
      target: { flow: id },
      cases: [{ name: 'hello', input: { text: 'hello' }, expect: { answer: 'hello' } }],
    });
    expect(found).toEqual([]);
  });

  test('Is an answer of a chat kept with its question and its documents?', async () => {
    const space = (await stage.owner.data('POST', '/knowledge/spaces', {
      name: 'Oolong',
      model: null,
    })) as KnowledgeSpace;
    await stage.owner.data('POST', `/knowledge/spaces/${space.id}/documents`, {
      name: 'oolong.md',
      text: 'Oolong tea steeps three minutes.',
    });
    const page = await stage.visit(`/knowledge/${space.id}`);
    await page.getByRole('button', { name: 'Ask the documents in a chat' }).click();
    await page.getByRole('textbox', { name: /message/i }).fill('How long does oolong tea steep?');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('region', { name: 'Sources' })).toContainText('oolong.md');
    await page.getByRole('button', { name: 'Add to evaluation…' }).click();
    const { look, found } = auditOf(page);
    const keep = page.getByRole('dialog', { name: 'Keep as an evaluation case' });
    await keep.getByLabel('Name of the evaluation').fill('asked');
    await look('keeping an answer');
    await keep.getByRole('button', { name: 'Keep', exact: true }).click();
    await expect(page.getByText('is a case of asked now.')).toBeVisible();
    expect(await setOf('asked')).toMatchObject({
      target: { space: 'Oolong' },
      scorers: [{ kind: 'recall', k: 5 }],
      cases: [
        {
          input: 'How long does oolong tea steep?',
          expect: { answer: expect.stringContaining('three minutes'), documents: ['oolong.md'] },
        },
      ],
    });
    expect(found).toEqual([]);
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '../../support/expect.ts';
import { test } from 'vitest';
import { httpTrigger } from '../../support/flows.ts';
import { auditOf } from '../../editor/support/audit.ts';
import { freshId, openFlow } from '../../editor/support/fixtures.ts';
import { useStage } from '../../editor/support/stage.ts';

/** Tests of a flow in the editor: kept from a run, run, failing after a change, corrected; and what they cover. */
const stage = useStage();

/** Large amounts go to `large`, small ones to `small`. */
const sorted = (id: string) => ({
  format: 1,
  id,
  nodes: {
    start: httpTrigger(`/${id}`, { request: { type: 'object' } }),
    sort: { operator: 'logic.if', params: { condition: '{{ input.n > 10 }}' } },
    large: { operator: 'text.template', params: { template: 'large' } },
    small: { operator: 'text.template', params: { template: 'small' } },
  },
  edges: [
    { from: 'start.out', to: 'sort.in' },
    { from: 'sort.then', to: 'large.in' },
    { from: 'sort.else', to: 'small.in' },
  ],
});

test('Does a run become a test that tells what changed and what no test goes through?', async () => {
  const id = freshId();
  await stage.putFlow(sorted(id));
  await stage.owner.data('POST', `/flows/${id}/run`, { input: { n: 3 } });
  const flow = await openFlow(stage, id);
  const { dock, page } = flow;
  await dock.getByRole('tab', { name: 'Runs' }).click();
  await dock.locator('tr[data-run]').getByRole('button').click();
  await dock.getByRole('tab', { name: 'Tests' }).click();
  await expect(dock).toContainText('No tests yet');
  await dock.getByRole('button', { name: 'Keep this run as a test' }).click();
  const dialog = page.getByRole('dialog', { name: 'Keep this run as a test' });
  await dialog.getByLabel('What it shows').fill('three is small');
  await page.keyboard.press('Enter');
  const line = dock.getByRole('listitem', { name: /^three is small/ });
  await expect(line).toContainText('not run');

  await dock.getByRole('button', { name: 'Run all tests' }).click();
  await expect(line).toContainText('passed');
  await expect(dock).toContainText('Tested: 3 of 4 nodes, 2 of 3 edges, 1 of 2 branches');
  await dock.getByRole('button', { name: 'Show on the canvas' }).click();
  await expect(flow.node('large').locator('[data-mark]')).toHaveText('not tested');
  await expect(flow.edge('sort.then', 'large.in').locator('.weft-edge')).toHaveAttribute(
    'data-mark',
    'untested',
  );
  await expect(flow.node('small').locator('[data-mark]')).toHaveCount(0);

  await flow.select('small');
  await flow.write('params.template', 'tiny');
  await dock.getByRole('button', { name: 'Run the test three is small' }).click();
  await expect(line).toContainText('failed');
  await expect(line).toContainText('"small"');
  await expect(line).toContainText('"tiny"');
  await line.getByRole('button', { name: 'Accept as expected' }).click();
  await expect(line).toContainText('passed');
  expect(readFileSync(join(stage.server.flows, `${id}.test.json`), 'utf8')).toContain('"tiny"');

  await line.getByRole('button', { name: 'Actions for the test three is small' }).click();
  await page.getByRole('menuitem', { name: 'Rename…' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('three is tiny');
  await page.keyboard.press('Enter');
  const renamed = dock.getByRole('listitem', { name: /^three is tiny/ });
  await renamed.getByRole('button', { name: 'Actions for the test three is tiny' }).click();
  await page.getByRole('menuitem', { name: 'Delete…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(dock).toContainText('No tests yet');
});

test('Are inputs generated until the flow fails, and is the smallest kept as a test?', async () => {
  const id = freshId();
  const request = {
    type: 'object',
    required: ['n'],
    properties: { n: { type: 'integer', minimum: 0 }, list: { type: 'array', items: { type: 'string' } } },
  };
  await stage.putFlow({
    format: 1,
    id,
    nodes: {
      start: httpTrigger(`/${id}`, { methods: ['POST'], request }),
      pick: { operator: 'core.map', params: { value: '{{ input.n > 9 ? input.list[0] : input.n }}' } },
    },
    edges: [{ from: 'start.out', to: 'pick.in' }],
  });
  const { dock, page } = await openFlow(stage, id);
  await dock.getByRole('tab', { name: 'Tests' }).click();
  await dock.getByRole('button', { name: 'Generate inputs…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Generate inputs' });
  const { look, found } = auditOf(page);
  await dialog.getByLabel('Must always hold').fill('answer >');
  await dialog.getByRole('button', { name: 'Search' }).click();
  await expect(dialog).toContainText('holds');
  await dialog.getByLabel('Must always hold').fill('');
  await dialog.getByRole('button', { name: 'Search' }).click();
  const result = dialog.getByRole('region', { name: 'Result' });
  await expect(result).toContainText('It fails in 1 way.');
  await expect(result.getByRole('listitem')).toContainText('10');
  await look('generated inputs');
  await result.getByRole('button', { name: 'Keep as a test' }).click();
  await expect(result.getByRole('button', { name: 'Kept' })).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dock.getByRole('button', { name: 'Run all tests' }).click();
  await expect(dock).toContainText('0 passed, 1 failed');
  expect(found).toEqual([]);
});

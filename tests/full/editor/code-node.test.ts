import { test } from 'vitest';
import { auditOf } from '../../editor/support/audit.ts';
import { freshId, openFlow } from '../../editor/support/fixtures.ts';
import { useStage } from '../../editor/support/stage.ts';
import { expect } from '../../support/expect.ts';

/** Code beside what it did: its lines, the line that failed, and the fields of its last input. */
const stage = useStage();

test('Does a code node run beside its code, tell its lines, mark the failing line, and suggest the fields of its input?', async () => {
  const id = freshId();
  const source = "console.log('looking at', input.customer.name);\nthrow new Error('no such customer');";
  await stage.putFlow({
    format: 1,
    id,
    nodes: {
      start: { operator: 'trigger.manual' },
      make: { operator: 'core.map', params: { value: { customer: { name: 'Ada', city: 'Oslo' } } } },
      code: { operator: 'code.run', params: { source } },
    },
    edges: [
      { from: 'start.out', to: 'make.in' },
      { from: 'make.out', to: 'code.in' },
    ],
  });
  const flow = await openFlow(stage, id);
  const { page } = flow;
  await page.setViewportSize({ width: 1440, height: 900 });
  await flow.select('code');
  const field = flow.field('params.source');
  const box = field.getByRole('region', { name: 'Console' });
  await expect(box).toContainText('console.log()');
  await box.getByRole('button', { name: 'Run this node' }).click();
  await expect(box.getByRole('log')).toContainText('looking at Ada');
  await expect(box.getByRole('log')).toContainText('no such customer');
  await expect(field.locator('.cm-failed-line')).toHaveText("throw new Error('no such customer');");
  const { look, found } = auditOf(page);
  await look('a code node that failed', 'aside[aria-label="Inspector"]');

  await flow.write('params.source', 'return input.customer.');
  await expect(field.locator('.cm-failed-line')).toHaveCount(0);
  await expect(box).toContainText('Its settings were changed after this run.');
  await page.getByRole('option', { name: /city "Oslo"/ }).click();
  await page.keyboard.type(';');
  await flow.save();
  await box.getByRole('button', { name: 'Run this node' }).click();
  await expect(flow.status('code')).toHaveText(/^OK/);
  await expect(box).toContainText('Lines that the code writes');
  await flow.tab('Output').click();
  await expect(flow.inspector).toContainText('Oslo');
  expect(found).toEqual([]);
});

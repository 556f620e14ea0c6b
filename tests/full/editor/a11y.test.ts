import { expect } from '../../support/expect.ts';
import { test } from 'vitest';
import { auditOf } from '../../editor/support/audit.ts';
import { openRow } from '../../editor/support/fixtures.ts';
import { useStage } from '../../editor/support/stage.ts';

/** Axe on each screen as it opens. Every panel, dialog and state in both themes: `tests/full/a11y.test.ts`. */
const stage = useStage();

test('Does axe find nothing on any screen as it opens?', async () => {
  const flow = await openRow(stage);
  const { look, found } = auditOf(flow.page);
  await look('editor');
  for (const path of [
    '/',
    '/runs',
    '/waiting',
    '/apps',
    '/chat',
    '/keys',
    '/providers',
    '/connections',
    '/knowledge',
    '/evaluations',
    '/secrets',
    '/variables',
    '/schedules',
    '/sources',
    '/webhooks',
    '/dead-letters',
    '/usage',
    '/audit',
    '/trash',
    '/settings',
  ]) {
    await flow.page.goto(path);
    await expect(flow.page.locator('nav a[aria-current="page"]')).toBeVisible();
    await look(path);
  }
  expect(found).toEqual([]);
});

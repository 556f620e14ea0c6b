import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { describe, onTestFinished, test } from 'vitest';
import { newDatabase } from '../../../server/storage/database/testing/postgres-server.ts';
import { call } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { expect } from '../../support/expect.ts';
import { httpTrigger, sayFlow } from '../../support/flows.ts';
import { discard, startServer } from '../../support/server.ts';
import { openFlow } from '../../editor/support/fixtures.ts';
import { useOwnStage } from '../../editor/support/stage.ts';

const env = { WEFT_DATABASE_URL: await newDatabase(), WEFT_SECRETS_KEY: '11'.repeat(32) };
const stage = useOwnStage({ env });

/** Answers at once; `ms` says how long it then waits. */
const flow = {
  format: 1,
  id: 'far',
  settings: { durable: false, record: 'full', timeoutMs: 900_000 },
  nodes: {
    trigger: httpTrigger('/far', {
      answer: 'immediately',
      request: { type: 'object', properties: { ms: { type: 'integer', default: 1 } } },
    }),
    pause: { operator: 'logic.delay', params: { ms: '{{ input.ms }}' } },
  },
  edges: [{ from: 'trigger.out', to: 'pause.in' }],
};

/** Pictures to look at, where somebody asks for them. */
async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['SHOTS'];
  if (folder === undefined) return;
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
  }
}

describe('Runs of another server', () => {
  test('Do they come live?', async () => {
    await eventually(() => stage.putFlow(flow));
    const other = await startServer({ env });
    onTestFinished(() => discard(other));
    const { page, dock, status } = await openFlow(stage, 'far');
    const rows = dock.locator('tr[data-run]');
    await dock.getByRole('tab', { name: 'Runs' }).click();
    // Whether it is followed already or not: the list is read again then.
    expect((await call(other, '/far')).status).toBe(202);
    await expect(rows).toHaveCount(1);
    await expect(rows).toContainText('ok');
    await expect(status('pause')).toHaveText(/^OK/);
    expect((await call(other, '/far?ms=600000')).status).toBe(202);
    await expect(rows).toHaveCount(2);
    await expect(rows.first()).toContainText('running');
    await shoot(page, 'far-runs');
  });

  test('Is it said, on both screens, when their server does not answer?', async () => {
    await eventually(() => stage.putFlow({ ...sayFlow('near', 'here') }));
    // It lives as far as the database knows, and nobody reaches it.
    const cutOff = await startServer({ env: { ...env, WEFT_INTERNAL_URL: 'http://127.0.0.1:9' } });
    onTestFinished(() => discard(cutOff));
    const said = `/${cutOff.process.pid} does not answer: its runs in progress are not shown.`;
    const all = await stage.visit('/runs');
    await expect(all.getByText(said)).toBeVisible();
    await shoot(all, 'all-missing');
    const { page, dock } = await openFlow(stage, 'near');
    await dock.getByRole('tab', { name: 'Runs' }).click();
    await expect(page.getByText(said)).toBeVisible();
    await shoot(page, 'far-missing');
    await cutOff.stop();
    for (const one of [all, page]) await expect(one.getByText(said)).toHaveCount(0);
  });
});

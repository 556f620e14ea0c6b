import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect } from '../../support/expect.ts';
import { test } from 'vitest';
import { tempFolder } from '../../support/server.ts';
import { freshId, lineFlow, openFlow } from '../../editor/support/fixtures.ts';
import { useOwnStage } from '../../editor/support/stage.ts';

/** A server whose data folder holds values of durable runs, and not the runs. */
const data = tempFolder('data');
mkdirSync(join(data, 'durable-values'));
writeFileSync(join(data, 'durable-values', 'value'), 'kept for a run');
const stage = useOwnStage({ data });

const banner = (page: Page) => page.getByText('This server has lost data.');

test('Is it told on every screen that data were lost, which, and what to do, until a start misses nothing?', async () => {
  const id = freshId();
  const { flow, layout } = lineFlow(id);
  await stage.putFlow(flow, layout);
  const { page } = await openFlow(stage, id);
  for (const path of [undefined, '/', '/runs', '/keys']) {
    if (path !== undefined) await page.goto(path);
    await expect(banner(page)).toContainText(
      'durable.db is gone, and with it durable runs that were accepted.',
    );
    await expect(banner(page)).toContainText('put it back from a backup, or go on without');
  }
  rmSync(join(data, 'durable-values'), { recursive: true });
  await stage.restart();
  const after = await stage.visit('/');
  await expect(after.getByText(`${id}.json`)).toBeVisible();
  await expect(banner(after)).toHaveCount(0);
});

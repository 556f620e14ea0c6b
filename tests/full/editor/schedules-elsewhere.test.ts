import { expect } from '../../support/expect.ts';
import { afterAll, beforeAll, test } from 'vitest';
import { discard, startServer, tempFolder, type TestServer } from '../../support/server.ts';
import { useOwnStage } from '../../editor/support/stage.ts';

/** The editor of a second server on one flows folder; the first one starts the schedules. */
const flows = tempFolder('flows');
let first: TestServer;
beforeAll(async () => {
  first = await startServer({ flows });
});
afterAll(() => discard(first));
const stage = useOwnStage({ flows });

test('Is it told that another server starts the schedules, which, and how to change that, until it has gone?', async () => {
  const page = await stage.visit('/');
  const banner = page.getByText(`Another server (process ${first.process.pid}, started `);
  await expect(banner).toContainText(`starts the schedules of ${flows}.`);
  await expect(banner).toContainText(
    'takes over when that one has gone. WEFT_SCHEDULES=on starts them here too',
  );
  await first.stop('SIGKILL');
  await stage.restart();
  const after = await stage.visit('/');
  await expect(after.getByRole('button', { name: 'Account' })).toBeVisible();
  await expect(after.getByText('Another server')).toHaveCount(0);
});

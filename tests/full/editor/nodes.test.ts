import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, onTestFinished, test } from 'vitest';
import { operatorTemplate } from '../../../server/admin/cli/local/operator-template.ts';
import { newDatabase } from '../../../server/storage/database/testing/postgres-server.ts';
import { signIn } from '../../support/client.ts';
import { expect } from '../../support/expect.ts';
import { sayFlow } from '../../support/flows.ts';
import { discard, startServer } from '../../support/server.ts';
import { auditOf } from '../../editor/support/audit.ts';
import { useOwnStage, useStage } from '../../editor/support/stage.ts';

const alone = useStage();

const env = async () => ({
  WEFT_DATABASE_URL: await newDatabase(),
  WEFT_SECRETS_KEY: '11'.repeat(32),
});
const shared = await env();
const operators = mkdtempSync(join(tmpdir(), 'weft-operators-'));
mkdirSync(join(operators, 'user'));
writeFileSync(join(operators, 'user/twice.ts'), operatorTemplate('user.twice'));
const stage = useOwnStage({ env: { ...shared, WEFT_OPERATORS: operators } });
const web = { ...(await env()), WEFT_ROLE: 'web' };
const webStage = useOwnStage({ env: web });

describe('The screen of the servers that share a database', () => {
  test('Does it list them, what each lacks, and notice who comes, leaves and dies?', async () => {
    const page = await stage.visit('/');
    await page.getByRole('link', { name: 'Nodes', exact: true }).click();
    const main = page.getByRole('main');
    await expect(page.getByRole('heading', { name: /^Nodes/ })).toContainText('1 server');
    const rows = main.locator('tbody tr');
    await expect(rows).toHaveCount(1);
    await expect(rows.first()).toContainText('answers');

    const two = await startServer({ env: { ...shared, WEFT_PROCESSES: '2' } });
    onTestFinished(() => discard(two));
    await expect(rows).toHaveCount(3);
    await expect(page.getByRole('heading', { name: /^Nodes/ })).toContainText('2 servers, 3 processes');
    await expect(main.getByText(/process 2 of 2/)).toBeVisible();

    const flow = sayFlow('hello', 'ha');
    const nodes = { ...flow.nodes, twice: { operator: 'user.twice' } };
    await stage.putFlow({ ...flow, nodes, edges: [...flow.edges, { from: 'say.out', to: 'twice.in' }] });
    await expect(main.getByText('Does not serve hello: it lacks user.twice')).toHaveCount(2);

    const owner = await signIn(two);
    const all = await owner.data<{ name: string; process?: unknown }[]>('GET', '/nodes');
    const [victim] = all.filter((one) => one.process !== undefined);
    process.kill(Number(victim?.name.split('/').at(-1)), 'SIGKILL');
    await expect(main.getByText('gone', { exact: true })).toBeVisible();
    await expect(rows.filter({ hasText: 'up to date' })).toHaveCount(3);

    const { look, found } = auditOf(page);
    await look('light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await look('dark');
    expect(found).toEqual([]);
    const shots = process.env['SHOTS'];
    if (shots !== undefined) {
      await page.screenshot({ path: join(shots, 'nodes-dark.png') });
      await page.emulateMedia({ colorScheme: 'light' });
      await page.screenshot({ path: join(shots, 'nodes-light.png') });
      await page.setViewportSize({ width: 390, height: 844 });
      await page.screenshot({ path: join(shots, 'nodes-phone.png') });
    }
    await page.setViewportSize({ width: 390, height: 844 });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(390);
    await expect(main.getByText('gone', { exact: true })).toBeInViewport();
    await page.getByRole('button', { name: 'More', exact: true }).focus();
    await page.keyboard.press('Enter');
    const here = page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Nodes' });
    await expect(here).toHaveAttribute('aria-current', 'page');
  });

  test('Does it say what servers do, and that no worker lives?', async () => {
    const page = await webStage.visit('/nodes');
    const main = page.getByRole('main');
    await expect(main.locator('tbody tr')).toContainText('web');
    await expect(main.getByRole('status')).toContainText('No worker is up');
    const worker = await startServer({ env: { ...web, WEFT_ROLE: 'worker' } });
    onTestFinished(() => discard(worker));
    await expect(main.getByText(worker.url)).toBeVisible();
    await expect(main.getByText('worker', { exact: true })).toBeVisible();
    await expect(main.getByRole('status')).toHaveCount(0);
    const { look, found } = auditOf(page);
    await look('light');
    expect(found).toEqual([]);
  });

  test('Is there none where a server has its data for itself, and does its address say why?', async () => {
    const page = await alone.visit('/keys');
    await expect(page.getByRole('link', { name: 'API keys', exact: true })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Nodes', exact: true })).toHaveCount(0);
    await page.goto('/nodes');
    await expect(page.getByText('This server is the only one')).toBeVisible();
  });
});

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from '@playwright/test';
import { beforeAll, describe, test } from 'vitest';
import { runCli } from '../../../server/admin/cli/program.ts';
import { testIo } from '../../../server/admin/cli/testing/test-io.ts';
import { expect } from '../../support/expect.ts';
import { root, tempFolder } from '../../support/server.ts';
import { auditOf } from '../../editor/support/audit.ts';
import { useOwnStage, useStage } from '../../editor/support/stage.ts';

/** The sample package as it is added, and beside it packages with every kind of problem. */
const cwd = tempFolder('with-packages');

function write(path: string, text: string): void {
  const file = join(cwd, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

beforeAll(async () => {
  const io = testIo(cwd, { env: { npm_config_offline: 'true' } });
  const added = await runCli(['add', join(root, 'docs/examples/weft-sample'), '--yes'], io);
  expect([added, io.stderr.text]).toEqual([0, '']);
  const wide = {
    name: '@acme/weft-wide',
    version: '2.0.0-beta.1',
    homepage: 'https://acme.example/weft',
    weft: { reach: { hosts: ['*'], connections: ['postgres', 's3'], files: true, services: ['models'] } },
  };
  write('node_modules/@acme/weft-wide/package.json', JSON.stringify(wide));
  const sample = join(root, 'docs/examples/weft-sample/operators/sample/initials.js');
  write('node_modules/@acme/weft-wide/operators/wide/works.js', readFileSync(sample, 'utf8'));
  write('node_modules/@acme/weft-wide/operators/wide/broken.js', 'export default 1;');
  write('node_modules/weft-typed/package.json', '{ "name": "weft-typed", "version": "0.1.0", "weft": {} }');
  write('node_modules/weft-typed/operators/a/b.ts', 'export default 1;');
  write('node_modules/weft-damaged/package.json', '{ "name": "weft-damaged", ');
  const packages = ['weft-sample', '@acme/weft-wide', 'weft-typed', 'weft-damaged', 'weft-gone'];
  write('weft.config.json', JSON.stringify({ packages }));
});

const stage = useOwnStage({ cwd });
const without = useStage();

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

/** What is beside the list once the package is chosen. */
async function detailsOf(page: Page, name: string) {
  await page.getByRole('button', { name, exact: true }).click();
  const details = page.getByRole('complementary', { name: 'Details' });
  await expect(details.getByRole('heading', { name, exact: true })).toBeVisible();
  return details;
}

/** Nothing is wider than the window. */
const overflow = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const main = document.querySelector('main');
    return main ? main.scrollWidth - main.clientWidth : -1;
  });

describe('The screen of packages', () => {
  test('Does it say what a package brings and what it may reach?', async () => {
    const page = await stage.visit('/');
    await page.getByRole('link', { name: 'Packages', exact: true }).press('Enter');
    await expect(page.getByRole('heading', { name: /^Packages/ })).toContainText('5 packages');
    await expect(rowOf(page, 'weft-sample')).toContainText('1.0.0');
    await expect(rowOf(page, 'weft-sample')).toContainText('Loaded');
    const sample = await detailsOf(page, 'weft-sample');
    const operators = sample.getByRole('region', { name: 'Operators' });
    await expect(operators.getByRole('listitem')).toHaveCount(3);
    await expect(operators.getByRole('listitem').filter({ hasText: 'sample.initials' })).toContainText(
      'Initials',
    );
    // The drawing of the operator, not the box of one that is not known.
    await expect(operators.locator('svg.lucide-box')).toHaveCount(0);
    await expect(operators.locator('svg')).toHaveCount(3);
    const reach = sample.getByRole('region', { name: 'May reach' });
    await expect(reach).toContainText('api.example.com');
    await expect(reach).toContainText('http://127.0.0.1:8094');
    await expect(reach.getByRole('listitem').filter({ hasText: 'Connections' })).toContainText('HTTP');
    await expect(reach).not.toContainText('Files');
    await expect(page.getByText('weft remove <name>')).toBeVisible();
  });

  test('Is a package found by its words, and by its state?', async () => {
    const page = await stage.visit('/packages');
    await page.getByRole('searchbox', { name: 'Search packages' }).fill('acme');
    await expect(page.getByRole('row')).toHaveCount(2);
    await page.getByRole('searchbox', { name: 'Search packages' }).fill('');
    await page.getByRole('group', { name: 'Filters' }).getByRole('button', { name: 'State' }).click();
    await page.getByText('Damaged (1)').click();
    await expect(page.getByRole('row')).toHaveCount(2);
    await expect(rowOf(page, 'weft-damaged')).toBeVisible();
  });

  test('Does it say what is wrong with a package, and what to do?', async () => {
    const page = await stage.visit('/packages');
    await expect(rowOf(page, '@acme/weft-wide')).toContainText('1 problem');
    const wide = await detailsOf(page, '@acme/weft-wide');
    await expect(wide.getByRole('list', { name: /^Problems/ })).toContainText('wide/broken.js');
    await expect(wide.getByRole('region', { name: 'Operators' })).toContainText('wide.works');
    for (const words of ['any host', 'PostgreSQL', 'S3', 'Files of its runs', 'models'])
      await expect(wide.getByRole('region', { name: 'May reach' })).toContainText(words);
    await expect(wide.getByRole('link', { name: 'Website of @acme/weft-wide' })).toHaveAttribute(
      'href',
      'https://acme.example/weft',
    );
    for (const [name, state, code, remedy] of [
      ['weft-typed', 'Not loaded', 'package_typescript', 'Publish the package with JavaScript files'],
      ['weft-damaged', 'Damaged', 'package_invalid', 'Correct its weft part'],
      ['weft-gone', 'Not installed', 'package_missing', 'Install it with weft add'],
    ] as const) {
      await expect(rowOf(page, name)).toContainText(state);
      const details = await detailsOf(page, name);
      for (const text of [code, remedy]) await expect(details).toContainText(text);
    }
    await expect((await detailsOf(page, 'weft-sample')).getByRole('region')).toHaveCount(2);
    await expect((await detailsOf(page, 'weft-gone')).getByRole('region')).toHaveCount(0);
  });

  test.each([1440, 1024, 390])(
    'Does it fit a window of %i pixels, and does axe find nothing?',
    async (width) => {
      const page = await stage.visit('/packages', { viewport: { width, height: 844 } });
      const { look, found } = auditOf(page);
      await expect(rowOf(page, 'weft-gone')).toContainText('Not installed');
      expect(await overflow(page)).toBe(0);
      await look(`packages at ${width}`);
      await expect(await detailsOf(page, 'weft-sample')).toContainText('Initials');
      expect(await overflow(page)).toBe(0);
      await look(`a package at ${width}`);
      expect(found).toEqual([]);
    },
  );

  test('Does it tell how to add a package when there is none?', async () => {
    const page = await without.visit('/packages');
    await expect(page.getByText('No packages yet')).toBeVisible();
    await expect(page.getByText('weft add <name>')).toBeVisible();
  });

  test('Is it in no menu of a session that may not read flows?', async () => {
    const page = await stage.visit('about:blank');
    await page.route('**/api/v1/session', async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { data: { scopes: string[] } };
      const scopes = body.data.scopes.filter((scope) => scope !== 'flows:read');
      await route.fulfill({ response: answer, json: { ...body, data: { ...body.data, scopes } } });
    });
    await page.goto('/secrets');
    const screens = page.getByRole('navigation', { name: 'Screens' });
    await expect(screens.getByRole('link', { name: 'Secrets' })).toBeVisible();
    await expect(screens.getByRole('link', { name: 'Packages' })).toHaveCount(0);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await expect(screens.getByRole('link', { name: 'Secrets' })).toBeVisible();
    await expect(screens.getByRole('link', { name: 'Packages' })).toHaveCount(0);
  });
});

import { expect } from '../../support/expect.ts';
import { test } from 'vitest';
import { budgets } from '../../../server/admin/editor-build/check-editor-size.ts';
import { codeWith } from '../../editor/support/build.ts';
import { freshId, rowFlow } from '../../editor/support/fixtures.ts';
import { useStage } from '../../editor/support/stage.ts';

/** What a browser loads before a page can be used, as it goes over the network. */
const stage = useStage();

/** In the code of each list of a menu. */
const MENU = '[role=menuitem]:not([aria-disabled=true])';

/** In the page: notes when what is waited for stands in it for the first time. */
function noteReady(selector: string): void {
  const seen = new MutationObserver(() => {
    const found = document.querySelector(selector);
    if (!found || getComputedStyle(found).visibility === 'hidden') return;
    Object.assign(globalThis, { readyAt: performance.now() });
    seen.disconnect();
  });
  seen.observe(document, { childList: true, subtree: true, attributes: true });
}

/** Scripts and styles that were asked for before. */
async function loadedBefore(path: string, selector: string): Promise<{ name: string; bytes: number }[]> {
  const page = await stage.visit('about:blank', { isFirst: true });
  await page.addInitScript(noteReady, selector);
  await page.goto(path);
  await page.waitForFunction(() => 'readyAt' in globalThis);
  return page.evaluate(() => {
    const { readyAt } = globalThis as unknown as { readyAt: number };
    const entries = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
    return entries
      .filter(({ name, startTime }) => /\.(?:js|css)$/.test(name) && startTime < readyAt)
      .map(({ name, encodedBodySize }) => ({ name, bytes: encodedBodySize }));
  });
}

const limitOf = (page: string): number => budgets.find((one) => one.page === page)?.limit ?? 0;

test('Does the font come with the product, and is it no larger than 60 KB?', async () => {
  const page = await stage.visit('/');
  await expect.poll(() => page.evaluate(() => document.fonts.check('13px "Inter Variable"'))).toBe(true);
  const fonts = await page.evaluate(() =>
    (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
      .filter(({ name }) => name.endsWith('.woff2'))
      .map(({ name, encodedBodySize }) => ({ isOurs: name.startsWith(location.origin), encodedBodySize })),
  );
  expect(fonts).toHaveLength(1);
  expect(fonts[0]?.isOurs).toBe(true);
  expect(fonts[0]?.encodedBodySize).toBeLessThan(60_000);
});

test.each([
  ['home', () => '/', 'a[href^="/flows/"]'],
  ['editor', (id: string) => `/flows/${id}`, '.react-flow__node'],
] as const)('Does %s load no more than its budget before it can be used?', async (name, pathOf, selector) => {
  const id = freshId();
  const { flow, layout } = rowFlow(id);
  await stage.putFlow(flow, layout);
  const files = await loadedBefore(pathOf(id), selector);
  const sum = files.reduce((total, { bytes }) => total + bytes, 0) / 1000;
  expect(files.length).toBeGreaterThan(3);
  expect(files.filter(({ bytes }) => bytes === 0)).toEqual([]);
  process.stdout.write(`${name}: ${sum.toFixed(1)} KB\n`);
  expect(sum, files.map(({ name: file, bytes }) => `${file} ${bytes}`).join('\n')).toBeLessThan(
    limitOf(name),
  );
  expect(files.some(({ name: file }) => codeWith(MENU, 'cm-content').test(file))).toBe(false);
});

test.each([
  ['the list of flows', 14, () => '/', 'a[href^="/flows/"]'],
  ['a list', 20, () => '/secrets', 'main'],
  ['a flow', 21, (id: string) => `/flows/${id}`, '.react-flow__node'],
] as const)(
  'Does %s need at most %i files of code, with all that follows?',
  async (_, most, pathOf, selector) => {
    const id = freshId();
    const { flow, layout } = rowFlow(id);
    await stage.putFlow(flow, layout);
    const page = await stage.visit('about:blank', { isFirst: true });
    const files = new Set<string>();
    page.on('request', (request) => {
      if (request.resourceType() === 'script') files.add(new URL(request.url()).pathname);
    });
    // The last part that every page loads by itself.
    const last = page.waitForResponse(/\/CommandPalette-/);
    await page.goto(pathOf(id));
    await page.locator(selector).first().waitFor();
    await last;
    await page.waitForLoadState('networkidle');
    expect(files.size, [...files].join('\n')).toBeLessThanOrEqual(most);
  },
);

test('Does a menu come when it is asked for, and does its button keep the focus?', async () => {
  const id = freshId();
  const { flow, layout } = rowFlow(id);
  await stage.putFlow(flow, layout);
  const page = await stage.visit('/');
  const button = page.getByRole('button', { name: 'Theme' });
  const menu = page.getByRole('menu', { name: 'Theme' });
  await button.focus();
  await page.keyboard.press('Enter');
  await expect(menu.getByRole('menuitem').first()).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(menu).toHaveCount(0);
  await expect(button).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(menu.getByRole('menuitem').last()).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(menu).toHaveCount(0);
  await button.click();
  await expect(button).toHaveAttribute('aria-expanded', 'true');
  await menu.getByRole('menuitem', { name: 'Dark' }).click();
  await expect(menu).toHaveCount(0);
  await expect(button).toBeFocused();
});

test('Does a menu whose code does not come say so once it can, and open?', async () => {
  const page = await stage.visit('about:blank');
  // What shows messages is in the same file, so the page stays without both.
  const code = codeWith(MENU);
  await page.route(code, (route) => route.abort());
  await page.goto('/');
  const button = page.getByRole('button', { name: 'Theme' });
  const refused = page.waitForEvent('requestfailed', (request) => code.test(request.url()));
  await button.click();
  await refused;
  await expect(button).toBeVisible();
  await page.unroute(code);
  await expect(page.getByText('The menu could not be loaded.').first()).toBeVisible();
  await button.click();
  await expect(page.getByRole('menu', { name: 'Theme' })).toBeVisible();
});

test('Does a tooltip come on hover and on focus, and go with the pointer, the focus, a press and Escape?', async () => {
  const page = await stage.visit('/');
  const button = page.getByRole('button', { name: 'Theme' });
  const tip = page.getByText('Theme', { exact: true }).and(page.locator('[data-open] *'));
  await button.hover();
  await expect(tip).toBeVisible();
  await tip.hover();
  await expect(tip).toBeVisible();
  await page.mouse.move(0, 0);
  await expect(tip).toHaveCount(0);
  await button.hover();
  await expect(tip).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(tip).toHaveCount(0);
  await page.mouse.move(0, 0);
  await page.locator('body').press('Tab');
  await button.focus();
  await expect(tip).toBeVisible();
  await button.blur();
  await expect(tip).toHaveCount(0);
  await button.hover();
  await expect(tip).toBeVisible();
  await page.mouse.down();
  await expect(tip).toHaveCount(0);
});

test('Does a flow have no verdict before it has been checked?', async () => {
  const id = freshId();
  await stage.putFlow({ format: 1, id, nodes: { start: { operator: 'trigger.manual' } }, edges: [] });
  const page = await stage.visit('/keys', { isFirst: true });
  let letCheck: (() => void) | undefined;
  const mayCheck = new Promise<void>((done) => (letCheck = done));
  await page.route(codeWith('No live flow has the id'), async (route) => {
    await mayCheck;
    await route.continue();
  });
  await page.goto(`/flows/${id}`);
  await expect(page.getByRole('tab', { name: 'Problems', exact: true })).toBeVisible();
  await page.getByRole('tab', { name: /^Problems/ }).click();
  await expect(page.getByText('The flow is being checked…')).toBeVisible();
  await expect(page.getByText('No problems')).toHaveCount(0);
  letCheck?.();
  await expect(page.getByText('No problems')).toBeVisible();
});

import { expect } from '@playwright/test';
import { test } from 'vitest';
import { budgets } from '../../server/check-editor-size.ts';
import { freshId, rowFlow } from './support/fixtures.ts';
import { useStage } from './support/stage.ts';

/** What a browser loads before a page can be used, as it goes over the network. */
const stage = useStage();

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
  const page = await stage.visit('about:blank');
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

test.each([['home', () => '/', 'a[href^="/flows/"]']] as const)(
  'Does %s load no more than its budget before it can be used?',
  async (name, pathOf, selector) => {
    const id = freshId();
    const { flow, layout } = rowFlow(id);
    await stage.putFlow(flow, layout);
    const files = await loadedBefore(pathOf(), selector);
    const sum = files.reduce((total, { bytes }) => total + bytes, 0) / 1000;
    expect(files.length).toBeGreaterThan(3);
    expect(files.filter(({ bytes }) => bytes === 0)).toEqual([]);
    expect(sum, files.map(({ name: file, bytes }) => `${file} ${bytes}`).join('\n')).toBeLessThan(
      limitOf(name),
    );
    expect(files.some(({ name: file }) => /CodeMirror|Inspector/.test(file))).toBe(false);
  },
);

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import type { Flow } from '#shared/flow.ts';
import type { Layout } from '#shared/layout.ts';
import type { Server } from './servers.ts';

/** What scenarios of the editor share: a page with a flow on a grid, and the pictures that it draws a second. */
const SIZE = { width: 1440, height: 900 };
export const COLUMN = 300;
export const ROW = 140;
const COLUMNS = 25;

/** Nodes on a grid, seen at 100 % or another zoom. */
export function writeLayout(folder: string, { id, nodes }: Flow, { zoom = 1, columns = COLUMNS } = {}): void {
  const places = Object.keys(nodes).map((node, i) => [
    node,
    { x: (i % columns) * COLUMN, y: Math.floor(i / columns) * ROW },
  ]);
  const layout: Layout = {
    format: 1,
    nodes: Object.fromEntries(places) as Layout['nodes'],
    viewport: { x: -COLUMN, y: -ROW, zoom },
  };
  writeFileSync(join(folder, `${id}.layout.json`), JSON.stringify(layout));
}

export type Cookie = Awaited<ReturnType<typeof cookieOf>>;

export async function cookieOf({ url, origin }: Server) {
  const response = await fetch(url, { redirect: 'manual' });
  const [name = '', value = ''] =
    (response.headers.getSetCookie()[0] ?? '').split(';', 1)[0]?.split('=') ?? [];
  return { name, value, url: origin };
}

/** A page without a cache; scripts that run before those of the page are added by the caller. */
export async function openPage(browser: Browser, origin: string, cookie: Cookie): Promise<Page> {
  const context = await browser.newContext({ viewport: SIZE, baseURL: origin });
  await context.addCookies([cookie]);
  return context.newPage();
}

/** Milliseconds from the start of the navigation until so many nodes are drawn and the page has time again. */
export async function readyMs(page: Page, flow: string, count: number): Promise<number> {
  await page.goto(`/flows/${flow}`);
  const ready = await page.waitForFunction((wanted) => {
    const nodes = document.querySelectorAll('.react-flow__node');
    const first = nodes[0];
    if (nodes.length < wanted || !first || getComputedStyle(first).visibility === 'hidden') return 0;
    return performance.now();
  }, count);
  return Number(await ready.jsonValue());
}

export function nextFrame(page: Page): Promise<void> {
  return page.evaluate(() => new Promise<void>((resolve) => requestAnimationFrame(() => resolve())));
}

/** Pictures drawn a second while `step` is done over and over. */
export async function framesPerSecond(
  page: Page,
  ms: number,
  step: (n: number) => Promise<void>,
): Promise<number> {
  const frames = await page.evaluateHandle(() => {
    const seen = { count: 0, since: performance.now() };
    const frame = (): void => {
      seen.count++;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    return seen;
  });
  const end = performance.now() + ms;
  for (let n = 0; performance.now() < end; n++) await step(n);
  return frames.evaluate(({ count, since }) => (count * 1_000) / (performance.now() - since));
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A press may meet a picture of a busy page that has just changed. */
const GRASPS = 3;
const DOUBLE_CLICK_MS = 1000;

/**
 * What is taken at the spot that is found is moved all the time; `selector` is what has to stand elsewhere while it is. Fails with
 * what lies at the spot if nothing moves however often it is taken.
 */
export async function whileMoving(
  page: Page,
  ms: number,
  selector: string,
  find: (page: Page) => Promise<Point>,
): Promise<number> {
  const met: string[] = [];
  for (let left = GRASPS; left > 0; left--) {
    const { x, y } = await find(page);
    await page.mouse.move(x, y);
    met.push(await outerHtmlAt(page, { x, y }));
    const before = await stylesOf(page, selector);
    await page.mouse.down();
    await page.mouse.move(x + 2, y + 2);
    const fps = await framesPerSecond(page, ms, (n) =>
      page.mouse.move(x + 50 + 100 * Math.sin(n / 20), y + 100 * Math.sin(n / 33)),
    );
    const hasMoved = (await stylesOf(page, selector)) !== before;
    await page.mouse.up();
    if (hasMoved) return fps;
    // Two presses at once would be a double click.
    await page.waitForTimeout(DOUBLE_CLICK_MS);
  }
  throw new Error(`Nothing was moved. Where it was taken lay ${met.join(' and ')}`);
}

function outerHtmlAt(page: Page, spot: Point): Promise<string> {
  return page.evaluate(({ x, y }) => String(document.elementFromPoint(x, y)?.outerHTML).slice(0, 300), spot);
}

function stylesOf(page: Page, selector: string): Promise<string> {
  return page.locator(selector).evaluateAll((all) => all.map((one) => one.getAttribute('style')).join());
}

/** On the header of a node near the middle of the canvas. */
export async function nodeSpot(page: Page): Promise<Point> {
  const canvas = await page.locator('[data-canvas]').boundingBox();
  for (const node of await page.locator('.react-flow__node').all()) {
    const box = await node.boundingBox();
    if (canvas && box && box.x > canvas.x + 300 && box.y > canvas.y + 150)
      return { x: box.x + 60, y: box.y + 12 };
  }
  throw new Error('No node is in the middle of the canvas.');
}

/** Between two rows of nodes. */
export async function freeSpot(page: Page): Promise<Point> {
  const spot = await page.evaluate(() => {
    const {
      x = 0,
      y = 0,
      width = 0,
      height = 0,
    } = document.querySelector('[data-canvas]')?.getBoundingClientRect() ?? {};
    for (let down = 0; down < height / 2; down += 5) {
      const at = { x: x + width / 2, y: y + height / 4 + down };
      if (document.elementFromPoint(at.x, at.y)?.classList.contains('react-flow__pane')) return at;
    }
    return undefined;
  });
  if (!spot) throw new Error('Nothing of the canvas is free.');
  return spot;
}

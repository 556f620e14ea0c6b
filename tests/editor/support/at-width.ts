import type { Page } from '@playwright/test';

/** Makes the page so wide, in CSS pixels, and waits until it has been drawn so. */
export async function atWidth(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 844 });
  // The first frame lays it out, after which code may still change it.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

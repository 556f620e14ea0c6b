import type { Page } from '@playwright/test';
import { PATIENCE_MS } from '../../support/eventually.ts';
import { expect } from '../../support/expect.ts';

/** The announcements of a page from the last one that a test asked for on; in its window. */
interface Announced {
  announced?: string[];
}

/**
 * From the next load of the page on, keeps what it tells screen readers: on a busy machine the next announcement (a flow is saved, say)
 * replaces one before a test looks.
 */
export async function keepAnnouncements(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const announced: string[] = [];
    Object.assign(window, { announced } satisfies Announced);
    const follow = (region: Element): void => {
      const note = (): void => {
        announced.push(region.textContent ?? '');
      };
      note();
      new MutationObserver(note).observe(region, { childList: true, characterData: true, subtree: true });
    };
    const find = (_: unknown, finder: MutationObserver): void => {
      const region = document.querySelector('div.sr-only[aria-live="polite"]');
      if (!region) return;
      finder.disconnect();
      follow(region);
    };
    new MutationObserver(find).observe(document, { childList: true, subtree: true });
  });
}

/** Resolves once the page has said this, after what was asked for before. */
export async function heard(page: Page, text: string | RegExp): Promise<void> {
  const pattern = typeof text === 'string' ? undefined : { source: text.source, flags: text.flags };
  await expect
    .poll(
      () =>
        page.evaluate(
          ({ words, pattern }) => {
            const announced = (window as Announced).announced ?? [];
            const at = announced.findIndex((said) =>
              pattern ? new RegExp(pattern.source, pattern.flags).test(said) : said.includes(words),
            );
            if (at === -1) return announced;
            announced.splice(0, at);
            return true;
          },
          { words: String(text), pattern },
        ),
      { message: `announced: ${String(text)}`, timeout: PATIENCE_MS },
    )
    .toBe(true);
}

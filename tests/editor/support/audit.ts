import axe from 'axe-core';
import type { Page } from '@playwright/test';

/** Checks screens with axe, in the light and the dark theme. */
export interface Audit {
  /** Checks the current screen, or one part of it. */
  look(what: string, part?: string): Promise<void>;
  /** The findings so far, as `where: rule: element`. */
  readonly found: string[];
}

const WCAG: axe.RunOptions = {
  runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] },
  // Axe calls this rule experimental, but it is a criterion of WCAG 2.1 A.
  rules: { 'label-content-name-mismatch': { enabled: true } },
  resultTypes: ['violations'],
};
/** The rules that depend on colours: the other theme can change only these results. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];
const COLOURS: axe.RunOptions = {
  runOnly: { type: 'rule', values: OF_COLOURS },
  resultTypes: ['violations'],
};
const WITHOUT_COLOURS: axe.RunOptions = {
  ...WCAG,
  rules: { ...WCAG.rules, ...Object.fromEntries(OF_COLOURS.map((rule) => [rule, { enabled: false }])) },
};

/**
 * Runs axe in the page itself: this takes a tenth of the time of its wrapper, which loads it again for every check. The
 * page must follow the system's theme. Without colours it looks once: a test that goes through widths needs them at one of each layout.
 */
export function auditOf(page: Page, { colours = true } = {}): Audit {
  const found: string[] = [];
  const note = async (what: string, options: axe.RunOptions, part?: string): Promise<void> => {
    for (const one of await violations(page, options, part)) found.push(`${what}: ${one}`);
  };
  return {
    found,
    look: async (what, part) => {
      await inTheme(page, 'light');
      await note(`${what}, light`, colours ? WCAG : WITHOUT_COLOURS, part);
      if (!colours) return;
      await inTheme(page, 'dark');
      await note(`${what}, dark`, COLOURS, part);
    },
  };
}

async function inTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  // A page without the mark follows by its style sheet alone.
  await page.waitForFunction((name) => (document.documentElement.dataset['theme'] ?? name) === name, theme);
}

async function violations(page: Page, options: axe.RunOptions, part: string | undefined): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const results = await page.evaluate(
    ([of, how]) => (window as unknown as { axe: typeof axe }).axe.run(of ?? document, how),
    [part, options] as const,
  );
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ target, failureSummary }) =>
        `${id}: ${target.join(' ')} (${failureSummary?.split('\n')[1]?.trim() ?? ''})`,
    ),
  );
}

import type { Page } from '@playwright/test';
import { atWidth } from '../../editor/support/at-width.ts';

/** What is wrong with the words of a screen; runs in the page. */
export interface Look {
  /** Text that is in no catalogue, and is not said to be data. */
  readonly bare: readonly string[];
  /** Text that its box cuts, with nothing that shows the rest. */
  readonly cut: readonly string[];
  /** Controls that lie over each other. */
  readonly over: readonly string[];
  /** How many pixels the page scrolls sideways. */
  readonly wide: number;
}

/** Needs nothing from outside itself, because the page evaluates it. */
export function lookAtWords(): Look {
  // Values, names and code: what no translator should touch, which `translate` says, and what is set as code.
  const DATA =
    '[translate=no], .react-flow__viewport, .react-flow__attribution, code, pre, kbd, samp, time, bdi, .font-mono, .cm-editor, textarea, svg';
  // A code, a path, a file, an address: something is between its letters.
  const IDENTIFIER = /\S*[\w)][_@./:\\=][\w(]\S*|\/\S*/g;
  const isSeen = (of: Element): boolean =>
    of.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && of.getClientRects().length > 0;
  const where = (of: Element): string => {
    const path: string[] = [];
    for (let at: Element | null = of; at && path.length < 4; at = at.parentElement)
      path.unshift(at.getAttribute('role') ?? at.tagName.toLowerCase());
    return path.join(' ');
  };
  const withoutValues = (text: string): string => {
    const next = text.replaceAll(/\u2063[^\u2063\u2064]*\u2064/g, ' ');
    return next === text ? next : withoutValues(next);
  };
  const isBare = (text: string): boolean =>
    /[A-Za-z]{2}/.test(withoutValues(text).replaceAll(IDENTIFIER, ' '));

  const bare: string[] = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let at = texts.nextNode(); at; at = texts.nextNode()) {
    const parent = at.parentElement;
    const text = at.textContent ?? '';
    if (parent && isBare(text) && !parent.closest(`script, style, ${DATA}`) && isSeen(parent))
      bare.push(`${where(parent)}: ${text}`);
  }
  const attributes = ['aria-label', 'title', 'placeholder', 'alt'];
  for (const of of document.querySelectorAll(attributes.map((name) => `[${name}]`).join())) {
    if (of.closest(DATA) || !isSeen(of)) continue;
    for (const name of attributes) {
      const text = of.getAttribute(name) ?? '';
      // It repeats what is in the element.
      if (isBare(text) && of.textContent?.includes(text) !== true) bare.push(`${where(of)} ${name}: ${text}`);
    }
  }

  const cut: string[] = [];
  for (const of of document.querySelectorAll<HTMLElement>('body *')) {
    const hasText = [...of.childNodes].some(
      (child) => child.nodeType === 3 && child.textContent?.trim() !== '',
    );
    if (
      !hasText ||
      of.scrollWidth <= of.clientWidth + 1 ||
      of.clientWidth <= 1 ||
      of.closest('.react-flow__viewport') ||
      !isSeen(of)
    )
      continue;
    const { clipPath, display, overflowX, textOverflow } = getComputedStyle(of);
    // What only readers of screens are told is clipped away.
    if (clipPath !== 'none' || display === 'inline' || /auto|scroll/.test(overflowX)) continue;
    const showsRest =
      textOverflow === 'ellipsis' && of.closest('[title], [data-tooltip], h1, [role=combobox]') !== null;
    if (!showsRest)
      cut.push(`${where(of)}, ${of.scrollWidth} in ${of.clientWidth} px: ${of.textContent ?? ''}`);
  }

  const over: string[] = [];
  const controls = [...document.querySelectorAll('button, a[href], input, select')]
    .filter((of) => !of.closest('.react-flow__viewport, .sr-only') && isSeen(of))
    .map((of) => ({ of, box: of.getBoundingClientRect() }))
    .filter(({ box }) => box.width > 4 && box.height > 4);
  for (const [i, one] of controls.entries())
    for (const other of controls.slice(i + 1)) {
      if (one.of.contains(other.of) || other.of.contains(one.of)) continue;
      const width = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const height = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      const isSameBar = one.of.parentElement === other.of.parentElement;
      if (isSameBar && width > 2 && height > 2)
        over.push(`${where(one.of)}: ${one.of.textContent ?? ''} and ${other.of.textContent ?? ''}`);
    }
  const wide = document.documentElement.scrollWidth - innerWidth;
  return { bare: [...new Set(bare)], cut: [...new Set(cut)], over: [...new Set(over)], wide };
}

/** Makes every text of the page 40 % longer, as another language may. Code stays. */
export async function growTexts(page: Page): Promise<void> {
  await page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const all: Node[] = [];
    for (let at = texts.nextNode(); at; at = texts.nextNode()) all.push(at);
    for (const one of all) {
      if (one.parentElement?.closest('script, style, code, pre')) continue;
      const grow = (word: string): string => word + 'x'.repeat(Math.ceil(word.length * 0.4));
      one.textContent = (one.textContent ?? '').replaceAll(/\p{L}+/gu, grow);
    }
  });
}

const WIDTHS = [1440, 390, 320];

/** Looks at the page at each width, and says what is wrong with its words. */
export function lookerOf(page: Page) {
  const found: string[] = [];
  const seen = new Set<string>();
  const add = (at: string, faults: readonly string[]): void => {
    for (const fault of faults) if (!seen.has(fault)) found.push(`${at}, ${fault}`);
    for (const fault of faults) seen.add(fault);
  };
  const look = async (what: string, widths: readonly number[] = WIDTHS): Promise<void> => {
    for (const width of widths) {
      await atWidth(page, width);
      const { bare, cut, over, wide } = await page.evaluate(lookAtWords);
      const at = `${what} at ${width}`;
      if (width === widths[0])
        add(
          at,
          bare.map((text) => `in no catalogue: ${text}`),
        );
      add(at, [...cut.map((text) => `cut: ${text}`), ...over.map((text) => `over each other: ${text}`)]);
      if (wide > 0) found.push(`${at}, ${wide} px to scroll sideways`);
    }
    await page.setViewportSize({ width: WIDTHS[0] ?? 0, height: 844 });
  };
  return { found, look };
}

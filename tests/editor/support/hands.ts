import type { Locator, Page } from '@playwright/test';
import { PATIENCE_MS } from '../../support/eventually.ts';
import { expect } from '../../support/expect.ts';
import { type FlowPage, flowPage, type Point } from './flow-page.ts';
import type { Stage } from './stage.ts';

/** Two hands that count: clicks and drags, presses of single keys, and texts, however long. */
export interface Hands {
  readonly page: Page;
  readonly flow: FlowPage;
  click(on: Locator): Promise<void>;
  drag(from: Locator, to: Locator | Point): Promise<void>;
  key(...keys: string[]): Promise<void>;
  text(words: string): Promise<void>;
  /** Presses Tab until this has the focus. */
  tabTo(to: Locator): Promise<void>;
  /** Opens the palette of commands and takes the first that fits. */
  command(words: string): Promise<void>;
  /** Prints what it took. More clicks or keys than `most` are a fault: of the screen, not of the computer. */
  done(job: string, most: { readonly clicks: number; readonly keys: number }): void;
}

const MOST_TABS = 60;

/** Hands of somebody who is new, at an empty list of flows. */
export async function newcomer(stage: Pick<Stage, 'visit'>): Promise<Hands> {
  const page = await stage.visit('/');
  await expect(async () => {
    await page.reload();
    await expect(page.getByRole('button', { name: 'Create the first flow' })).toBeVisible({ timeout: 2000 });
  }).toPass({ timeout: PATIENCE_MS });
  return handsOn(page);
}

/** Hands on a page. */
export function handsOn(page: Page): Hands {
  const flow = flowPage(page);
  const count = { clicks: 0, keys: 0, texts: 0 };
  const hands: Hands = {
    page,
    flow,
    click: async (on) => {
      count.clicks++;
      await on.click();
    },
    drag: async (from, to) => {
      count.clicks++;
      await flow.drag(from, to);
    },
    key: async (...keys) => {
      count.keys += keys.length;
      await flow.key(...keys);
    },
    text: async (words) => {
      count.texts++;
      await page.keyboard.insertText(words);
    },
    tabTo: async (to) => {
      // Tab passes over a field whose editor is still loading, as it does for whoever is that quick.
      await expect(flow.inspector.locator('[aria-busy]')).toHaveCount(0);
      for (let tabs = 0; tabs <= MOST_TABS; tabs++) {
        if (await to.evaluate((element) => element === document.activeElement)) return;
        await hands.key('Tab');
      }
      throw new Error(`${MOST_TABS} times Tab do not lead to ${to.toString()}.`);
    },
    command: async (words) => {
      const dialog = page.getByRole('dialog', { name: 'All commands' });
      await hands.key('Mod+k');
      await expect(dialog.getByRole('combobox')).toBeFocused();
      await hands.text(words);
      await expect(dialog.getByRole('option', { disabled: false }).first()).toContainText(words);
      await hands.key('Enter');
      await expect(dialog).toHaveCount(0);
    },
    done: (job, most) => {
      process.stdout.write(`${job}: ${count.clicks} clicks, ${count.keys} keys, ${count.texts} texts\n`);
      expect(count.clicks, 'clicks').toBeLessThanOrEqual(most.clicks);
      expect(count.keys, 'keys').toBeLessThanOrEqual(most.keys);
    },
  };
  return hands;
}

/** Adds a node beside the selected one. */
export async function add(hands: Hands, type: string): Promise<void> {
  await hands.click(hands.page.getByRole('button', { name: 'Add a node' }));
  await hands.click(hands.flow.picker.locator(`[data-operator="${type}"]`).last());
}

/** Adds a node into an edge, by the plus that the edge shows under the mouse. */
export async function addInto(
  hands: Hands,
  [from, to]: readonly [string, string],
  type: string,
): Promise<void> {
  const { page, flow } = hands;
  await flow.rest();
  const { x, y } = await flow.onEdge(from, to, 0.3);
  await page.mouse.move(x, y);
  await hands.click(
    page.locator(`[data-edge="${from}>${to}"]`).getByRole('button', { name: 'Insert a node' }),
  );
  await hands.click(flow.picker.locator(`[data-operator="${type}"]`).last());
}

/** Into the text of a new template, where the focus is already. */
export async function write(hands: Hands, text: string): Promise<void> {
  await expect(hands.flow.field('params.template').locator('.cm-content')).toBeFocused();
  await hands.text(text);
}

/** The name has the focus and is marked, so typing writes over it. */
export async function makeFlow(hands: Hands, name: string, by: 'mouse' | 'keys'): Promise<void> {
  const { page, flow } = hands;
  const dialog = page.getByRole('dialog', { name: 'New flow' });
  const first = page.getByRole('button', { name: 'Create the first flow' });
  if (by === 'mouse') await hands.click(first);
  else {
    await expect(first, 'an empty list offers it').toBeFocused();
    await hands.key('Enter');
  }
  await expect(dialog.getByLabel('Name')).toBeFocused();
  await hands.text(name);
  if (by === 'mouse') await hands.click(dialog.getByRole('button', { name: 'Create' }));
  else await hands.key('Enter');
  await flow.ready();
  await expect(flow.canvas, 'the keys go to the canvas at once').toBeFocused();
}

import type { Locator } from '@playwright/test';
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { openRow } from '../../editor/support/fixtures.ts';
import { useStage } from '../../editor/support/stage.ts';

/** The palette without a mouse. */
const stage = useStage();

describe('The palette by keys', () => {
  test('Is it one stop for Tab, behind the search field?', async () => {
    const { page, palette } = await openRow(stage);
    const search = palette.getByRole('searchbox');
    await search.focus();
    await page.keyboard.press('Tab');
    await expect(palette.locator('[data-operator]').first()).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(palette.getByRole('separator'), 'the edge by which the palette is made wider').toBeFocused();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    await expect(search).toBeFocused();
  });

  test('Do arrows, Home, End and letters go from operator to operator, and does Enter add the one?', async () => {
    const flow = await openRow(stage);
    const { palette } = flow;
    const focused = palette.locator('[data-operator]:focus');
    await palette.getByRole('searchbox').focus();
    await flow.key('ArrowDown', 'End');
    await expect(focused).toHaveAttribute(
      'data-operator',
      (await palette.locator('[data-operator]').last().getAttribute('data-operator')) ?? '',
    );
    await flow.key('Home', 'ArrowDown', 'ArrowUp');
    await expect(palette.locator('[data-operator]').first()).toBeFocused();
    await typeAtOnce(focused, 'merge st');
    await expect(focused).toHaveAttribute('data-operator', 'core.merge-streams');
    await flow.key('Enter');
    await expect(flow.node('merge_streams')).toBeVisible();
    await expect(focused, 'the palette keeps its place').toHaveAttribute(
      'data-operator',
      'core.merge-streams',
    );
  });
});

test('Does each operator of ours have its own icon, in the palette and on the canvas?', async () => {
  const { page, palette } = await openRow(stage);
  const boxes = 'svg.lucide-box';
  await expect(palette.locator('[data-operator="text.template"] path')).toHaveCount(1);
  await expect(palette.locator(boxes)).toHaveCount(0);
  await expect(page.locator('.react-flow__node svg').first()).toBeVisible();
  await expect(page.locator(`.react-flow__node ${boxes}`)).toHaveCount(0);
});

/** Letters of one word belong together by the time between them, which must not be that of the machine. */
async function typeAtOnce(focused: Locator, text: string): Promise<void> {
  await focused.evaluate((_, letters) => {
    for (const key of letters)
      document.activeElement?.dispatchEvent(
        new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
      );
  }, text);
}

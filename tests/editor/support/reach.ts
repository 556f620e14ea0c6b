import type { Locator } from '@playwright/test';

/** The height of the stripe in which a tap reaches the control, in pixels, both ends included. */
export const reach = (control: Locator): Promise<number> =>
  control.evaluate((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const isHit = (y: number) => {
      const hit = document.elementFromPoint((left + right) / 2, y);
      return hit !== null && element.contains(hit);
    };
    let [from, to] = [(top + bottom) / 2, (top + bottom) / 2];
    while (isHit(from - 1)) from--;
    while (isHit(to + 1)) to++;
    return to - from + 1;
  });

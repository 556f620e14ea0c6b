import type { CDPSession, Locator } from '@playwright/test';
import { expect } from '../../support/expect.ts';
import { describe, test } from 'vitest';
import { freshId, rowFlow } from '../../editor/support/fixtures.ts';
import { type FlowPage, flowPage, middleOf, type Point } from '../../editor/support/flow-page.ts';
import { useStage } from '../../editor/support/stage.ts';

/** A tablet: fingers only. */
const stage = useStage();

interface Finger {
  down(at: Point): Promise<void>;
  moveTo(at: Point): Promise<void>;
  up(): Promise<void>;
}

async function openByTouch(): Promise<{ flow: FlowPage; finger: Finger }> {
  const id = freshId();
  const { flow: row, layout } = rowFlow(id);
  await stage.putFlow(row, layout);
  const page = await stage.visit(`/flows/${id}`, { hasTouch: true });
  const flow = flowPage(page);
  await flow.ready();
  await flow.fit();
  return { flow, finger: fingerOf(await page.context().newCDPSession(page)) };
}

function fingerOf(session: CDPSession): Finger {
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: Point[]) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints });
  return {
    down: async (at) => void (await send('touchStart', [at])),
    moveTo: async (at) => void (await send('touchMove', [at])),
    up: async () => void (await send('touchEnd', [])),
  };
}

async function tap({ page }: FlowPage, what: Locator): Promise<void> {
  const { x, y } = await middleOf(what);
  await page.touchscreen.tap(x, y);
}

describe('51. With fingers', () => {
  test('Do two taps on ports connect them, and is what does not fit refused with the reason?', async () => {
    const { flow } = await openByTouch();
    await tap(flow, flow.output('first'));
    await tap(flow, flow.input('lone'));
    await expect(flow.edge('first.out', 'lone.in')).toBeAttached();
    await tap(flow, flow.output('second'));
    await tap(flow, flow.input('first'));
    await flow.heard(/Not connected/);
    await expect(flow.edge('second.out', 'first.in')).toHaveCount(0);
  });

  test('Does a long press open the menu of what is pressed on?', async () => {
    const { flow, finger } = await openByTouch();
    const press = async (at: Point) => {
      await finger.down(at);
      await expect(flow.page.getByRole('menu')).toBeVisible();
      await finger.up();
    };
    await press(await middleOf(flow.node('second')));
    await expect(flow.page.getByRole('menuitem', { name: /^Rename/ })).toBeVisible();
    await flow.page.getByRole('menuitem', { name: /^Disable or enable/ }).click();
    await expect(flow.node('second')).toContainText('Disabled');
    await press(await flow.emptySpot());
    await expect(flow.page.getByRole('menuitem', { name: /^Add a note/ })).toBeVisible();
  });

  test('Does one finger move the drawing, and does it move a node?', async () => {
    const { flow, finger } = await openByTouch();
    const drag = async (from: Point, to: Point) => {
      await finger.down(from);
      for (const part of [0.2, 0.5, 0.8, 1])
        await finger.moveTo({ x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part });
      await finger.up();
    };
    const before = await flow.viewport();
    const spot = await flow.emptySpot();
    await drag(spot, { x: spot.x + 60, y: spot.y + 40 });
    await expect.poll(async () => (await flow.viewport()).x).toBeCloseTo(before.x + 60, -1);
    const place = await flow.placeOf('lone');
    const middle = await middleOf(flow.node('lone'));
    await drag(middle, { x: middle.x, y: middle.y + 60 });
    await expect.poll(async () => (await flow.placeOf('lone')).y).toBeGreaterThan(place.y + 20);
  });
});

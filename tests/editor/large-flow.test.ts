import { expect, type Page } from '@playwright/test';
import { test } from 'vitest';
import { call } from '../support/client.ts';
import { httpTrigger } from '../support/flows.ts';
import { freshId, openFlow } from './support/fixtures.ts';
import { useStage } from './support/stage.ts';

/** Large flows and many runs stay workable. Limits are wide: machines that run tests are busy. */
const stage = useStage();

const NODES = 1_000;
const PER_ROW = 40;

/** A chain that is laid out in rows. */
function largeFlow(id: string) {
  const ids = Array.from({ length: NODES }, (_, n) => `n${n}`);
  const nodes = Object.fromEntries(
    ids.map((name) => [name, { operator: 'text.template', params: { template: 'Hello' } }]),
  );
  const edges = ids.map((name, n) => ({ from: n === 0 ? 'start.out' : `n${n - 1}.out`, to: `${name}.in` }));
  const places = ids.map((name, n) => [name, { x: (n % PER_ROW) * 300, y: Math.floor(n / PER_ROW) * 140 }]);
  return {
    flow: { format: 1, id, nodes: { start: httpTrigger(`/${id}`), ...nodes }, edges },
    layout: { format: 1, nodes: { start: { x: -300, y: 0 }, ...Object.fromEntries(places) } },
  };
}

/** From each key to the end of the frame that shows it, in milliseconds, in order of size. */
async function keyTimes(page: Page, text: string): Promise<number[]> {
  await page.evaluate(() => {
    const times: number[] = [];
    Object.assign(window, { keyTimes: times });
    addEventListener('keydown', ({ timeStamp }) =>
      requestAnimationFrame(() => setTimeout(() => times.push(performance.now() - timeStamp))),
    );
  });
  await page.keyboard.type(text, { delay: 60 });
  await expect
    .poll(() => page.evaluate(() => (window as unknown as { keyTimes: number[] }).keyTimes.length))
    .toBe(text.length);
  const times = await page.evaluate(() => (window as unknown as { keyTimes: number[] }).keyTimes);
  return times.toSorted((a, b) => a - b);
}

test('Does typing into a setting of one of 1,000 nodes stay quick?', async () => {
  const id = freshId();
  const { flow: large, layout } = largeFlow(id);
  await stage.putFlow(large, layout);
  const flow = await openFlow(stage, id);
  await flow.page.keyboard.press('ControlOrMeta+f');
  await flow.page.keyboard.type('n7');
  await flow.key('Enter');
  await expect.poll(flow.selectedIds).toHaveLength(1);
  await flow.field('params.template').locator('.cm-content').click();
  const times = await keyTimes(flow.page, 'The quick brown fox jumps over the lazy dog. ');
  console.log(times.map(Math.round).join(' '));
  expect(times[Math.floor(times.length / 2)]).toBeLessThan(80);
});

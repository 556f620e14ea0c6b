import { expect, type Page } from '@playwright/test';
import { test } from 'vitest';
import { call } from '../support/client.ts';
import { httpTrigger } from '../support/flows.ts';
import { freshId, lineFlow, openFlow, openRow } from './support/fixtures.ts';
import { useStage } from './support/stage.ts';

/** Large flows and many runs stay workable. Limits are wide: machines that run tests are busy. */
const stage = useStage();

const NODES = 1_000;
const PER_ROW = 40;
const RUNS = 2_000;
const CALLERS = 16;

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
  await flow.canvas.focus();
  await flow.key('Mod+f');
  await flow.page.getByRole('dialog').getByRole('combobox').fill('n7');
  await flow.page.getByRole('option').first().click();
  await expect.poll(flow.selectedIds).toHaveLength(1);
  await flow.field('params.template').locator('.cm-content').click();
  const times = await keyTimes(flow.page, 'The quick brown fox jumps over the lazy dog. ');
  expect(times[Math.floor(times.length / 2)]).toBeLessThan(80);
});

test('Does the editor stay responsive while very many runs arrive, and does it know the last of them?', async () => {
  const flow = await openRow(stage, freshId(), lineFlow);
  const { page } = flow;
  await flow.dock.getByRole('tab', { name: 'Log' }).click();
  await page.evaluate(() => {
    const tasks: number[] = [];
    Object.assign(window, { longTasks: tasks });
    new PerformanceObserver((list) =>
      tasks.push(...list.getEntries().map(({ duration }) => duration)),
    ).observe({ type: 'longtask' });
  });
  const calls = async (from: number, step: number) => {
    for (let n = from; n < RUNS; n += step) await call(stage.server, `/${flow.id()}?name=guest${n}`);
  };
  await Promise.all(Array.from({ length: CALLERS }, (_, n) => calls(n, CALLERS)));
  await call(stage.server, `/${flow.id()}?name=last`);
  await flow.select('first');
  await flow.tab('Output').click();
  await expect(flow.inspector).toContainText('Hello last', { timeout: 20_000 });
  const longest = await page.evaluate(() =>
    Math.max(0, ...(window as unknown as { longTasks: number[] }).longTasks),
  );
  expect(longest).toBeLessThan(1_000);
});

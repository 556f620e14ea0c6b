import type { Locator, Page } from '@playwright/test';
import { expect } from '../support/expect.ts';
import { describe, test } from 'vitest';
import { call } from '../support/client.ts';
import { httpTrigger } from '../support/flows.ts';
import { auditOf } from '../editor/support/audit.ts';
import { freshId } from '../editor/support/fixtures.ts';
import { useStage } from '../editor/support/stage.ts';

/** Where a run's time and money went, on the page of the run. */
const stage = useStage();

const TIMELINE = 'section[aria-label="Timeline"]';
const NODES = 1_000;

/** Two branches of which one is slow, a part that asks a model, and a node that fails and goes on. */
async function putBranches(id: string): Promise<void> {
  await stage.putFlow({
    format: 1,
    id: `${id}_part`,
    nodes: {
      start: { operator: 'trigger.manual' },
      ask: { operator: 'model.chat', name: 'Ask the model', params: { model: 'demo/echo' } },
      pause: { operator: 'logic.delay', params: { ms: 40 } },
    },
    edges: [
      { from: 'start.out', to: 'ask.in' },
      { from: 'ask.out', to: 'pause.in' },
    ],
  });
  const nodes = {
    start: httpTrigger(`/${id}`),
    slow: { operator: 'logic.delay', name: 'Slow branch', params: { ms: 120 } },
    quick: { operator: 'logic.delay', name: 'Quick branch', params: { ms: 10 } },
    part: {
      operator: 'flow.call',
      name: 'Call the part',
      params: { flow: `${id}_part`, input: 'Hello there' },
    },
    wrong: {
      operator: 'http.request',
      name: 'Wrong address',
      params: { url: 'http://127.0.0.1:1/' },
      onError: 'continue',
      fallback: { body: null },
    },
    answer: { operator: 'core.respond', params: { body: 'done' } },
  };
  const edges = [
    ['start.out', 'slow.in'],
    ['start.out', 'quick.in'],
    ['slow.out', 'part.in'],
    ['quick.out', 'wrong.in'],
    ['part.out', 'answer.in'],
  ].map(([from, to]) => ({ from, to }));
  const names = Object.keys(nodes);
  const places = names.map((name, i) => [name, { x: 300 * i, y: i === 2 || i === 4 ? 200 : 0 }]);
  await stage.putFlow(
    { format: 1, id, nodes, edges, settings: { record: 'full' } },
    { format: 1, nodes: Object.fromEntries(places) },
  );
}

/** A loop over so many orders, each with a pause. */
async function putLoop(id: string, count: number): Promise<void> {
  const orders = `{{ range(${count}).map(n => ({ id: 'A-' + (n + 1) })) }}`;
  const wait = { operator: 'logic.delay', name: 'Pause a while', params: { ms: 15 } };
  await stage.putFlow({
    format: 2,
    id,
    nodes: {
      start: httpTrigger(`/${id}`),
      loop: {
        operator: 'data.for-each',
        name: 'Each order',
        params: { items: orders, concurrency: 1 },
        body: { start: 'item', nodes: { wait }, edges: [{ from: 'item.out', to: 'wait.in' }] },
      },
      answer: { operator: 'core.respond', params: { body: 'done' } },
    },
    edges: [
      { from: 'start.out', to: 'loop.in' },
      { from: 'loop.out', to: 'answer.in' },
    ],
    settings: { record: 'full' },
  });
}

/** Within the flame view. The loop begins in the same millisecond as its trigger, beside or below it. */
async function goToLoop(page: Page, timeline: Locator): Promise<void> {
  const facts = timeline.locator('p[aria-live]');
  for (const key of ['Home', 'ArrowRight', 'ArrowLeft', 'ArrowDown']) {
    await page.keyboard.press(key);
    if ((await facts.textContent())?.startsWith('Each order')) return;
  }
  throw new Error('The loop is not where the keys lead.');
}

/** Opens the page of the last run of the flow. */
async function openTimeline(id: string): Promise<{ page: Page; timeline: Locator }> {
  await call(stage.server, `/${id}`);
  const page = await stage.visit(`/runs?flow=${id}`);
  await page.locator('tr[data-run]').filter({ hasText: 'ok' }).getByRole('link').click();
  const timeline = page.getByRole('region', { name: 'Timeline' });
  await expect(timeline.getByRole('treegrid')).toBeVisible();
  return { page, timeline };
}

describe('The timeline of a run', () => {
  test('Does it show what took how long, go by keyboard, and lead to the nodes?', async () => {
    const id = freshId();
    await putBranches(id);
    const { page, timeline } = await openTimeline(id);
    const row = (name: RegExp) => timeline.getByRole('treegrid').getByRole('button', { name });
    await expect(row(/^Slow branch .*on the critical path/)).toBeVisible();
    await expect(row(/^Quick branch/)).not.toHaveAccessibleName(/critical/);
    await expect(row(/^Wrong address/)).toHaveAccessibleName(/outbound_refused/);
    await expect(timeline).toContainText(/critical path \d/);
    await expect(timeline).toContainText(/2 tokens in/);

    await row(/^Slow branch/).click();
    const steps = page.getByRole('region', { name: 'Steps' });
    await expect(steps.locator('[data-step="slow"] > button')).toHaveAttribute('aria-expanded', 'true');
    await row(/^Slow branch/).focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('End');
    const focused = page.locator('[data-span]:focus');
    await expect(focused).toHaveCount(1);
    await page.keyboard.press('ArrowUp');
    await expect(focused).toHaveCount(1);

    const part = timeline
      .getByRole('row')
      .filter({ has: page.getByRole('button', { name: /^Call the part/ }) });
    await expect(part).toHaveAttribute('aria-expanded', 'true');
    await row(/^Call the part/).focus();
    const before = await timeline.getByRole('row').count();
    await page.keyboard.press('ArrowLeft');
    await expect(part).toHaveAttribute('aria-expanded', 'false');
    expect(await timeline.getByRole('row').count()).toBeLessThan(before);
    await page.keyboard.press('ArrowRight');

    await timeline.getByRole('button', { name: 'Zoom in' }).click();
    await expect(timeline).toContainText('2×');
    const { look, found } = auditOf(page);
    await look('timeline', TIMELINE);
    expect(found).toEqual([]);
  });

  test('Are of 1,000 nodes only those drawn that can be seen?', async () => {
    const id = freshId();
    const ids = Array.from({ length: NODES }, (_, n) => `n${n}`);
    const template = { operator: 'text.template', params: { template: 'Hello' } };
    const edges = ids.map((to, n) => ({ from: n === 0 ? 'start.out' : `n${n - 1}.out`, to: `${to}.in` }));
    const nodes = {
      start: httpTrigger(`/${id}`),
      ...Object.fromEntries(ids.map((name) => [name, template])),
    };
    await stage.putFlow({ format: 1, id, nodes, edges, settings: { record: 'full' } });
    const { page, timeline } = await openTimeline(id);
    expect(await timeline.getByRole('row').count()).toBeLessThan(80);
    await timeline.locator('[data-span]').first().focus();
    await page.keyboard.press('End');
    await expect(page.locator('[data-span]:focus')).toHaveAttribute(
      'data-span',
      new RegExp(`/n${NODES - 1}$`),
    );
    expect(await timeline.getByRole('row').count()).toBeLessThan(80);
  });

  test('Does the flame view show rounds and their nodes, go by keyboard, and lead to the steps?', async () => {
    const id = freshId();
    await putLoop(id, 3);
    const { page, timeline } = await openTimeline(id);
    await timeline.getByRole('button', { name: 'Flame' }).click();
    const flame = timeline.getByRole('group', { name: /^Flame view/ });
    await flame.focus();
    const facts = timeline.locator('p[aria-live]');
    await goToLoop(page, timeline);
    await page.keyboard.press('ArrowDown');
    await expect(facts).toContainText('Round 1, A-1');
    await page.keyboard.press('ArrowRight');
    await expect(facts).toContainText('Round 2, A-2');
    await page.keyboard.press('ArrowDown');
    await expect(facts).toContainText('Pause a while');
    await page.keyboard.press('+');
    await expect(timeline).toContainText('2×');
    await page.keyboard.press('Enter');
    const steps = page.getByRole('region', { name: 'Steps' });
    await expect(steps.locator('[data-step="loop"] > button')).toHaveAttribute('aria-expanded', 'true');
    const { look, found } = auditOf(page);
    await look('flame', TIMELINE);
    expect(found).toEqual([]);
  });

  test('Does a bar in the panel of the editor lead to its node on the canvas, in its round?', async () => {
    const id = freshId();
    await putLoop(id, 3);
    await call(stage.server, `/${id}`);
    const page = await stage.visit(`/runs?flow=${id}`);
    await page.locator('tr[data-run]').filter({ hasText: 'ok' }).getByRole('link').click();
    await page.getByRole('button', { name: 'Show on the canvas' }).click();
    await page.getByRole('tab', { name: 'Timeline' }).click();
    const timeline = page.getByRole('region', { name: 'Timeline' });
    await timeline.getByRole('button', { name: 'Flame' }).click();
    await timeline.getByRole('group', { name: /^Flame view/ }).focus();
    await goToLoop(page, timeline);
    for (const key of ['ArrowDown', 'ArrowRight', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    await expect(page.locator('.react-flow__node[data-id="wait"]')).toHaveClass(/selected/);
    const frame = page.locator('.react-flow__node[data-id="loop"]');
    await expect(frame).toContainText('A-2');
  });
});

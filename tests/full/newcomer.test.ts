import type { Locator, Page } from '@playwright/test';
import { expect } from '../support/expect.ts';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import type { FlowSummary } from '#shared/api.ts';
import { type FlowPage, flowPage, liveChip, middleOf, type Point } from '../editor/support/flow-page.ts';
import { useOwnStage } from '../editor/support/stage.ts';
import { type CountingServer, countingServer } from '../support/counting-server.ts';
import { PATIENCE_MS } from '../support/eventually.ts';

/** The first jobs of somebody who is new, from an empty folder: each by the mouse and by keys alone. What they take is printed. */
const stage = useOwnStage({ env: { WEFT_OUTBOUND_ALLOW: '127.0.0.1' } });
let outside: CountingServer;

beforeAll(async () => {
  outside = await countingServer();
});
afterAll(() => outside.close());
beforeEach(async () => {
  outside.forget();
  const flows = await stage.owner.data<FlowSummary[]>('GET', '/flows');
  for (const { id, revision } of flows) await stage.owner.data('DELETE', `/flows/${id}?revision=${revision}`);
});

/** Two hands that count: clicks and drags, presses of single keys, and texts, however long. */
interface Hands {
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
  /** Prints what it took. More clicks and keys than `most` are a fault: of the screen, not of the computer. */
  done(job: string, most: number): void;
}

const MOST_TABS = 60;

async function newcomer(): Promise<Hands> {
  const page = await stage.visit('/');
  await expect(async () => {
    await page.reload();
    await expect(page.getByRole('button', { name: 'Create the first flow' })).toBeVisible({ timeout: 2000 });
  }).toPass({ timeout: PATIENCE_MS });
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
      expect(count.clicks + count.keys).toBeLessThanOrEqual(most);
    },
  };
  return hands;
}

/** Adds a node beside the selected one. */
async function add(hands: Hands, type: string): Promise<void> {
  await hands.click(hands.page.getByRole('button', { name: 'Add a node' }));
  await hands.click(hands.flow.picker.locator(`[data-operator="${type}"]`).last());
}

/** The name has the focus and is marked, so typing writes over it. */
async function makeFlow(hands: Hands, name: string, by: 'mouse' | 'keys'): Promise<void> {
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

describe('A request, a switch, two answers', () => {
  const large = '{{ input.amount > 10 }}';

  async function runs(hands: Hands, by: 'mouse' | 'keys'): Promise<void> {
    const { page, flow } = hands;
    const form = page.getByRole('dialog', { name: 'Run with input' });
    await hands.key('Mod+s');
    await flow.saved();
    await expect(flow.dock.getByText('No problems')).toBeVisible();
    if (by === 'mouse') await hands.click(page.getByRole('button', { name: 'Run', exact: true }));
    else await hands.key('Mod+Enter');
    // The form is filled in with an example, and its first field is marked: typing replaces it.
    await expect(form.locator('input').first()).toBeFocused();
    await hands.text('20');
    if (by === 'mouse') await hands.click(form.getByRole('button', { name: 'Run', exact: true }));
    else await hands.key('Enter');
    await expect(flow.dock.getByRole('region', { name: 'Result' })).toContainText('A large one');
    const { runs } = await stage.owner.data<{ runs: unknown[] }>(
      'GET',
      `/runs?flow=${flow.id()}&status=failed`,
    );
    expect(runs, 'no run has failed on the way').toEqual([]);
  }

  test('by the mouse', async () => {
    const hands = await newcomer();
    const { page, flow } = hands;
    await makeFlow(hands, 'Sorter', 'mouse');
    await hands.click(flow.canvas.getByRole('button', { name: 'HTTP request' }));
    await hands.click(flow.field('params.path').getByRole('textbox'));
    await hands.key('Mod+a');
    await hands.text('/sort');
    const request = flow.field('params.request');
    await hands.click(request.getByRole('button', { name: 'Add field' }));
    await hands.text('amount');
    await hands.key('Enter');
    await hands.click(request.getByRole('combobox', { name: 'Type of amount' }));
    await hands.click(page.getByRole('option', { name: 'number', exact: true }));
    await hands.click(request.getByRole('checkbox', { name: 'amount is required' }));

    await add(hands, 'logic.switch');
    await hands.click(flow.field('params.cases').getByRole('button', { name: 'Add case' }));
    await hands.text('large');
    await hands.click(flow.field('params.cases[0].when').locator('.cm-content'));
    await hands.text(large);

    await add(hands, 'text.template');
    await hands.click(flow.field('params.template').locator('.cm-content'));
    await hands.text('A small one');
    await add(hands, 'core.merge');
    await add(hands, 'core.respond');
    await hands.click(page.getByRole('button', { name: 'Show the whole flow' }));
    await flow.rest();
    await hands.click(flow.node('switch').getByText('Switch', { exact: true }));
    await expect.poll(flow.selectedIds).toEqual(['switch']);
    await add(hands, 'text.template');
    await hands.click(flow.field('params.template').locator('.cm-content'));
    await hands.text('A large one');
    await hands.drag(flow.output('template_2'), flow.input('merge'));
    await runs(hands, 'mouse');
    hands.done('Request and switch, by the mouse', 30);
  });

  test('by keys alone', async () => {
    const hands = await newcomer();
    const { page, flow } = hands;
    await makeFlow(hands, 'Sorter', 'keys');
    await hands.command('HTTP request');
    await expect(flow.node('http')).toBeVisible();
    await hands.key('Enter');
    await expect(flow.field('params.path').getByRole('textbox')).toBeFocused();
    await hands.key('Mod+a');
    await hands.text('/sort');
    const request = flow.field('params.request');
    await hands.tabTo(request.getByRole('button', { name: 'Add field' }));
    await hands.key('Enter');
    await hands.text('amount');
    await hands.key('Tab');
    await hands.tabTo(request.getByRole('combobox', { name: 'Type of amount' }));
    await hands.key('Enter', 'n', 'Enter');
    await expect(request.getByRole('combobox', { name: 'Type of amount' })).toHaveText('number');
    await hands.tabTo(request.getByRole('checkbox', { name: 'amount is required' }));
    await hands.key('Space');

    await hands.command('Switch');
    await hands.key('Enter');
    // Whoever presses Tab before the focus is there goes past it, and around the whole page.
    await expect(flow.field('params.cases').getByRole('button', { name: 'Add case' })).toBeFocused();
    await hands.key('Enter');
    await hands.text('large');
    await hands.tabTo(flow.field('params.cases[0].when').locator('.cm-content'));
    await hands.text(large);

    await hands.command('Template');
    await hands.key('Enter');
    await expect(flow.field('params.template').locator('.cm-content')).toBeFocused();
    await hands.text('A small one');
    await hands.command('Merge');
    await expect(flow.edge('template.out', 'merge.in')).toBeAttached();
    await hands.command('Respond');
    await hands.key('Alt+ArrowLeft', 'Alt+ArrowLeft', 'Alt+ArrowLeft');
    await expect.poll(flow.selectedIds).toEqual(['switch']);
    await hands.command('Template');
    await hands.key('Enter');
    await expect(flow.field('params.template').locator('.cm-content')).toBeFocused();
    await hands.text('A large one');
    await hands.command('Connect…');
    await hands.tabTo(page.getByRole('dialog', { name: 'Connect' }).getByRole('button', { name: 'Connect' }));
    await hands.key('Enter');
    await expect(flow.edge('template_2.out', 'merge.in')).toBeAttached();
    await runs(hands, 'keys');
    hands.done('Request and switch, by keys', 48);
  });
});

describe('A chat with an agent', () => {
  const panel = (page: Page): Locator => page.getByRole('complementary', { name: 'Chat' });

  async function talks(hands: Hands, by: 'mouse' | 'keys'): Promise<void> {
    const { page, flow } = hands;
    await hands.key('Mod+s');
    await flow.saved();
    if (by === 'mouse') await hands.click(page.getByRole('button', { name: 'Run', exact: true }));
    else await hands.command('Run');
    await expect(panel(page).getByLabel('Message')).toBeFocused();
    await hands.text('Hello there');
    await hands.key('Enter');
    await expect(panel(page).getByRole('article', { name: 'Answer' })).toContainText('Hello there');
  }

  test('by the mouse', async () => {
    const hands = await newcomer();
    const { flow } = hands;
    await makeFlow(hands, 'Helper', 'mouse');
    await hands.click(flow.canvas.getByRole('button', { name: 'Chat message' }));
    await add(hands, 'agent.run');
    await hands.click(flow.field('params.agent.prompt').locator('.cm-content, textarea, input').first());
    await hands.text('Answer as shortly as you can.');
    await talks(hands, 'mouse');
    hands.done('Chat with an agent, by the mouse', 11);
  });

  test('by keys alone', async () => {
    const hands = await newcomer();
    await makeFlow(hands, 'Helper', 'keys');
    await hands.command('Chat message');
    await hands.command('Run agents');
    await hands.key('Enter');
    await expect(hands.flow.inspector.locator(':focus')).toHaveCount(1);
    await hands.tabTo(
      hands.flow.field('params.agent.prompt').locator('.cm-content, textarea, input').first(),
    );
    await hands.text('Answer as shortly as you can.');
    await talks(hands, 'keys');
    hands.done('Chat with an agent, by keys', 16);
  });
});

describe('A schedule that asks for each', () => {
  const address = (): string => `${outside.url}/{{ input }}`;
  const list = '{{ ["first", "second"] }}';

  async function runs(hands: Hands, by: 'mouse' | 'keys'): Promise<void> {
    const { page, flow } = hands;
    await hands.key('Mod+s');
    await flow.saved();
    await expect(flow.dock.getByText('No problems')).toBeVisible();
    if (by === 'mouse') await hands.click(page.getByRole('button', { name: 'Run', exact: true }));
    else await hands.command('Run');
    await expect(flow.status('for_each')).toHaveText(/^OK/);
    await expect.poll(outside.calls).toEqual({ first: 1, second: 1 });
  }

  test('by the mouse', async () => {
    const hands = await newcomer();
    const { page, flow } = hands;
    await makeFlow(hands, 'Nightly', 'mouse');
    await hands.click(flow.canvas.getByRole('button', { name: 'Schedule' }));
    await hands.click(flow.field('params.cron').getByRole('combobox', { name: 'How often' }));
    await hands.click(page.getByRole('option', { name: 'Every day' }));
    await add(hands, 'data.for-each');
    await hands.click(flow.field('params.items').locator('.cm-content'));
    await hands.key('Mod+a');
    await hands.text(list);
    // The frame says so: pull a wire from the start.
    await flow.rest();
    const start = await middleOf(flow.node('each_item'));
    await hands.drag(flow.output('each_item'), { x: start.x + 150, y: start.y });
    await hands.click(flow.picker.locator('[data-operator="http.request"]').last());
    await expect(flow.edge('each_item.out', 'request.in')).toBeAttached();
    await hands.click(flow.field('params.url').locator('.cm-content'));
    await hands.text(address());
    await runs(hands, 'mouse');
    await hands.click(page.getByRole('button', { name: 'Publish', exact: true }));
    await expect(liveChip(page).getByText(/^Live( v\d+)?$/)).toBeVisible();
    hands.done('Schedule with for each, by the mouse', 16);
  });

  test('by keys alone', async () => {
    const hands = await newcomer();
    const { page, flow } = hands;
    await makeFlow(hands, 'Nightly', 'keys');
    await hands.command('Schedule');
    await hands.key('Enter');
    await expect(flow.field('params.cron').locator('input').last()).toBeFocused();
    await hands.text('0 3 * * *');
    await hands.command('For each');
    await hands.key('Enter');
    await expect(flow.field('params.items').locator('.cm-content')).toBeFocused();
    await hands.key('Mod+a');
    await hands.text(list);
    // From the field to its node, and down to the start in the frame.
    await hands.key('Escape', 'Alt+ArrowDown');
    await expect.poll(flow.selectedIds).toEqual(['each_item']);
    await hands.command('Send HTTP request');
    await expect(flow.edge('each_item.out', 'request.in')).toBeAttached();
    await hands.key('Enter');
    await expect(flow.inspector.locator(':focus')).toHaveCount(1);
    await hands.tabTo(flow.field('params.url').locator('.cm-content'));
    await hands.text(address());
    await runs(hands, 'keys');
    await hands.key('Mod+Shift+s');
    await expect(liveChip(page).getByText(/^Live( v\d+)?$/)).toBeVisible();
    hands.done('Schedule with for each, by keys', 22);
  });
});

import type { Locator, Page } from '@playwright/test';
import { expect } from '../support/expect.ts';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import type { FlowSummary } from '#shared/api.ts';
import { liveChip, middleOf } from '../editor/support/flow-page.ts';
import { add, addInto, type Hands, makeFlow, newcomer, write } from '../editor/support/hands.ts';
import { useOwnStage } from '../editor/support/stage.ts';
import { type CountingServer, countingServer } from '../support/counting-server.ts';

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
    const hands = await newcomer(stage);
    const { page, flow } = hands;
    // What starts it and what answers are there, connected, and the settings of the first are open.
    await hands.click(page.getByRole('button', { name: 'A request', exact: true }));
    await flow.ready();
    const request = flow.field('params.request');
    await hands.click(request.getByRole('button', { name: 'Add field' }));
    await hands.text('amount');

    await add(hands, 'logic.switch');
    await expect(flow.edge('switch.default', 'respond.in'), 'it comes before the answer').toBeAttached();
    await expect(flow.field('params.cases[0].name').getByRole('textbox')).toBeFocused();
    await hands.text('large');
    await hands.click(flow.field('params.cases[0].when').locator('.cm-content'));
    await hands.text(large);

    await add(hands, 'text.template');
    await expect(flow.edge('switch.large', 'template.in')).toBeAttached();
    await write(hands, 'A large one');
    await addInto(hands, ['switch.default', 'respond.in'], 'text.template');
    await write(hands, 'A small one');
    await addInto(hands, ['template_2.out', 'respond.in'], 'core.merge');
    await hands.drag(flow.output('template'), flow.input('merge'));
    await expect(flow.edge('template.out', 'merge.in')).toBeAttached();
    await runs(hands, 'mouse');
    const { nodes } = JSON.parse(stage.fileText(flow.id())) as { nodes: Record<string, { params?: object }> };
    expect(nodes['http']?.params).toMatchObject({
      request: { required: ['amount'], properties: { amount: { type: 'number' } } },
    });
    hands.done('Request and switch, by the mouse', { clicks: 14, keys: 1 });
  });

  test('by keys alone', async () => {
    const hands = await newcomer(stage);
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
    await hands.key('Enter');
    await expect(request.getByRole('combobox', { name: 'Type of amount' })).toHaveText('number');
    await expect(request.getByRole('checkbox', { name: 'amount is required' })).toBeChecked();

    await hands.command('Switch');
    await hands.key('Enter');
    // Whoever presses Tab before the focus is there goes past it, and around the whole page.
    await expect(flow.field('params.cases[0].name').getByRole('textbox')).toBeFocused();
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
    hands.done('Request and switch, by keys', { clicks: 0, keys: 38 });
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
    const hands = await newcomer(stage);
    const { flow } = hands;
    await makeFlow(hands, 'Helper', 'mouse');
    await hands.click(flow.canvas.getByRole('button', { name: 'Chat message' }));
    await add(hands, 'agent.run');
    await hands.click(flow.field('params.agent.prompt').locator('.cm-content, textarea, input').first());
    await hands.text('Answer as shortly as you can.');
    await talks(hands, 'mouse');
    hands.done('Chat with an agent, by the mouse', { clicks: 7, keys: 2 });
  });

  test('by keys alone', async () => {
    const hands = await newcomer(stage);
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
    hands.done('Chat with an agent, by keys', { clicks: 0, keys: 14 });
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
    const hands = await newcomer(stage);
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
    hands.done('Schedule with for each, by the mouse', { clicks: 13, keys: 2 });
  });

  test('by keys alone', async () => {
    const hands = await newcomer(stage);
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
    hands.done('Schedule with for each, by keys', { clicks: 0, keys: 20 });
  });
});

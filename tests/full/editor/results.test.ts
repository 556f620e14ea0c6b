import { describe, test } from 'vitest';
import { expect } from '../../support/expect.ts';
import { httpTrigger } from '../../support/flows.ts';
import { auditOf } from '../../editor/support/audit.ts';
import { codeCame } from '../../editor/support/build.ts';
import { freshId, openFlow } from '../../editor/support/fixtures.ts';
import type { FlowPage } from '../../editor/support/flow-page.ts';
import { useStage } from '../../editor/support/stage.ts';

/** What a run gives is shown where it was started, and each run has a page. */
const stage = useStage();

const DOCK = 'section[aria-label="Bottom panel"]';

const request = {
  type: 'object',
  properties: { name: { type: 'string' }, amount: { type: 'number' } },
};

/** Greets with the name that the request declares, which it may leave out. */
async function open(say: object, start: object = httpTrigger(`/x${freshId()}`, { request })) {
  const id = freshId();
  await stage.putFlow(
    { format: 1, id, name: 'Greeter', nodes: { start, say }, edges: [{ from: 'start.out', to: 'say.in' }] },
    { format: 1, nodes: { start: { x: 0, y: 0 }, say: { x: 320, y: 0 } } },
  );
  const flow = await openFlow(stage, id);
  await flow.fit();
  return { id, flow };
}

const template = (text: string) => ({ operator: 'text.template', params: { template: text } });
const form = ({ page }: FlowPage) => page.getByRole('dialog', { name: 'Run with input' });
const result = ({ dock }: FlowPage) => dock.getByRole('region', { name: 'Result' });

describe('56. Run of a flow whose trigger has fields', () => {
  test('asks, prefilled; the result opens; Run again repeats without asking', async () => {
    const { flow } = await open(template('Hello {{ input.name ?? "nobody" }}!'));
    await expect(flow.dock.getByRole('tab', { selected: true })).toHaveCount(0);
    await flow.key('Mod+Enter');
    const name = form(flow).locator('input').first();
    await expect(name).toHaveValue('name');
    await name.fill('Ada');
    await flow.page.keyboard.press('Enter');
    await expect(form(flow)).toHaveCount(0);
    await expect(flow.dock.getByRole('tab', { name: /^Result/ })).toHaveAttribute('aria-selected', 'true');
    await expect(result(flow)).toContainText('Hello Ada!');
    await expect(flow.dock).toContainText('HTTP 200');
    await expect(flow.status('say')).toHaveText(/^OK/);

    await flow.select('say');
    await flow.write('params.template', 'Good day {{ input.name ?? "nobody" }}!');
    await flow.dock.getByRole('button', { name: 'Run again' }).click();
    await expect(result(flow)).toContainText('Good day Ada!');
    await expect(form(flow)).toHaveCount(0);

    // The next time it is filled in with the last input; Mod+Enter there runs it.
    await flow.key('Mod+Enter');
    await expect(name).toHaveValue('Ada');
    await name.focus();
    await flow.key('Mod+Enter');
    await expect(form(flow)).toHaveCount(0);
  });

  test('Run works from a field', async () => {
    const { flow } = await open(template('Hello'), { operator: 'trigger.manual' });
    await flow.select('say');
    await flow.write('params.template', 'From the field');
    await flow.key('Mod+Enter');
    await expect(result(flow)).toContainText('From the field');
    await expect(flow.field('params.template').locator('.cm-line')).toHaveCount(1);
  });

  test('a list of objects is a table, a stream comes as it is made, a status is told', async () => {
    const rows = { operator: 'core.map', params: { value: [{ a: 1, b: 'x' }] } };
    const { flow } = await open(rows, { operator: 'trigger.manual' });
    await flow.key('Mod+Enter');
    await expect(result(flow).getByRole('region', { name: 'Answer as a table' })).toContainText('x');

    const words = { operator: 'core.streamify', params: {} };
    const { flow: other } = await open(words, { operator: 'trigger.manual' });
    await other.key('Mod+Shift+Enter');
    await form(other).locator('.cm-content').click();
    await other.key('Mod+a');
    await other.page.keyboard.insertText('["one ", "two"]');
    await other.key('Mod+Enter');
    await expect(result(other)).toContainText('one two');
    await expect(result(other)).toContainText('A stream of 2 items');
  });

  test('offline it says so, and runs when the server is back', async () => {
    const { flow } = await open(template('Here again'), { operator: 'trigger.manual' });
    // What says so is loaded a moment after the rest.
    await codeCame(flow.page, 'You are offline');
    await flow.page.context().setOffline(true);
    await flow.key('Mod+Enter');
    await expect(flow.dock).toContainText('You are offline');
    await expect(flow.dock).toContainText('nothing was run');
    await flow.page.context().setOffline(false);
    await flow.dock.getByRole('button', { name: 'Try again' }).click();
    await expect(result(flow)).toContainText('Here again');
  });
});

test('57. A failed run: error, node, cause, fix, retry in one place', async () => {
  const { flow } = await open(template('{{ 1 / input.none }}'), { operator: 'trigger.manual' });
  await flow.key('Mod+Enter');
  const { look, found } = auditOf(flow.page);
  const failure = result(flow).getByRole('region', { name: 'Failure' });
  await expect(failure).toContainText('Failed at Template');
  await expect(failure).toContainText('missing_field');
  await look('a failed result', DOCK);
  await failure.getByRole('button', { name: 'Show the node' }).click();
  await expect.poll(flow.selectedIds).toEqual(['say']);
  await flow.tab('Settings').click();
  await flow.write('params.template', 'Mended');
  await failure.getByRole('button', { name: 'Retry from here' }).click();
  await expect(result(flow)).toContainText('Mended');
  await look('a result', DOCK);
  expect(found).toEqual([]);
});

describe('58. Every run in any list opens a page with its steps', () => {
  test('a run of a flow, from the list of runs and back to the canvas', async () => {
    const { id, flow } = await open(template('Hello {{ input.name ?? "you" }}'));
    await flow.key('Mod+Enter');
    await expect(form(flow)).toBeVisible();
    await flow.key('Mod+Enter');
    await expect(result(flow)).toContainText('Hello name');
    const { page } = flow;
    await page.goto(`/runs?flow=${id}`);
    const row = page.locator('tr[data-run]').first();
    await expect(row).not.toContainText((await row.getAttribute('data-run')) ?? '');
    await row.getByRole('link', { name: 'Greeter' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Run of Greeter');
    await expect(page.getByRole('region', { name: 'Answer' })).toContainText('Hello name');
    await expect(page.getByRole('region', { name: 'Input' })).toContainText('amount');
    const steps = page.getByRole('region', { name: 'Steps' });
    await steps.getByRole('button', { name: /^Template/ }).click();
    await expect(steps.getByRole('region', { name: 'Output out' })).toContainText('Hello name');
    await expect(page.getByRole('treegrid')).toContainText('Template');
    const { look, found } = auditOf(page);
    await look('the page of a run', 'main');
    expect(found).toEqual([]);
    await page.getByRole('button', { name: 'Show on the canvas' }).click();
    await expect(flow.status('say')).toHaveText(/^OK/);
  });

  test('a chat with a model', async () => {
    const answer = await fetch(`${stage.server.url}/api/v2/chat/completions`, {
      method: 'POST',
      headers: { ...stage.owner.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo/echo', messages: 'Hello', stream: false }),
    });
    expect(answer.status).toBe(200);
    const page = await stage.visit('/runs?source=chat');
    await page.getByRole('link', { name: 'Chat with a model' }).first().click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Run of Chat with a model');
    await expect(page.getByRole('region', { name: 'Steps' })).toContainText('Answer');
  });

  test('a flow that calls another one: parent and child link to each other', async () => {
    const inner = freshId();
    await stage.putFlow({
      format: 1,
      id: inner,
      name: 'Inner flow',
      nodes: { start: { operator: 'trigger.manual' }, bad: template('{{ 1 / input.none }}') },
      edges: [{ from: 'start.out', to: 'bad.in' }],
    });
    const { flow } = await open(
      { operator: 'flow.call', params: { flow: inner, input: {} } },
      { operator: 'trigger.manual' },
    );
    await flow.key('Mod+Enter');
    const { page } = flow;
    await result(flow).getByRole('link', { name: 'Open the run that failed' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Run of Inner flow');
    await expect(page.getByRole('region', { name: 'Failure' })).toContainText('Failed at Template');
    await page.getByRole('link', { name: 'Another run' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Run of Greeter');
    const steps = page.getByRole('region', { name: 'Steps' });
    await steps.getByRole('button', { name: /^Call/ }).click();
    await expect(steps.getByRole('link', { name: 'Inner flow' })).toBeVisible();
  });
});

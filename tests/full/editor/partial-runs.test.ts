import { expect } from '../../support/expect.ts';
import { afterAll, beforeAll, beforeEach, test } from 'vitest';
import { countingServer, type CountingServer } from '../../support/counting-server.ts';
import { auditOf } from '../../editor/support/audit.ts';
import { freshId, openFlow } from '../../editor/support/fixtures.ts';
import type { FlowPage } from '../../editor/support/flow-page.ts';
import { useStage } from '../../editor/support/stage.ts';

/** Runs that do not do again what was done, worked from the screen. An outside server counts what is carried out. */
const stage = useStage({ WEFT_OUTBOUND_ALLOW: '127.0.0.1' });
let outside: CountingServer;

beforeAll(async () => {
  outside = await countingServer();
});
afterAll(() => outside.close());
beforeEach(() => outside.forget());

/** start -> first -> second -> third; the first two ask outside. */
async function openSteps(method = 'GET', start: object = {}): Promise<FlowPage> {
  const id = freshId();
  const ask = (name: string) => ({
    operator: 'http.request',
    params: { url: `${outside.url}/${name}?saw={{ input }}`, method, response: 'text' },
  });
  const names = ['start', 'first', 'second', 'third'];
  await stage.putFlow(
    {
      format: 1,
      id,
      nodes: {
        start: { operator: 'trigger.manual', params: start },
        first: ask('first'),
        second: ask('second'),
        third: { operator: 'text.template', params: { template: '{{ input }}!' } },
      },
      edges: [
        { from: 'start.out', to: 'first.in' },
        { from: 'first.body', to: 'second.in' },
        { from: 'second.body', to: 'third.in' },
      ],
    },
    { format: 1, nodes: Object.fromEntries(names.map((name, i) => [name, { x: i * 300, y: 0 }])) },
  );
  const flow = await openFlow(stage, id);
  await flow.fit();
  return flow;
}

const says = (flow: FlowPage, words: Readonly<Record<string, RegExp | string>>) =>
  Promise.all(Object.entries(words).map(([id, word]) => expect(flow.status(id)).toHaveText(word)));

/** Which nodes were carried out since the last time. */
function asked(): Record<string, number> {
  const calls = outside.calls();
  outside.forget();
  return calls;
}

async function runWhole(flow: FlowPage): Promise<void> {
  await flow.key('Mod+Enter');
  await says(flow, { third: /^OK/ });
  expect(asked()).toEqual({ first: 1, second: 1 });
}

test('Does a node run alone, and the flow from a node on, without doing again what was done, and is it said why?', async () => {
  const flow = await openSteps();
  await flow.select('second');
  await flow.key('Shift+Enter');
  await says(flow, { first: /^OK/, second: /^OK/, third: 'Left out' });
  expect(asked()).toEqual({ first: 1, second: 1 });
  await runWhole(flow);

  await flow.page
    .getByRole('toolbar', { name: 'Node' })
    .getByRole('button', { name: 'Run this node' })
    .click();
  await says(flow, { start: 'Reused', first: 'Reused', second: /^OK/, third: 'Left out' });
  expect(asked()).toEqual({ second: 1 });
  await expect(flow.page.getByText('2 reused, 1 left out')).toBeVisible();

  await flow.node('third').click({ button: 'right', position: { x: 60, y: 12 } });
  await flow.page.getByRole('menuitem', { name: 'Run from here' }).click();
  await says(flow, { first: 'Reused', second: 'Reused', third: /^OK/ });
  expect(asked()).toEqual({});
  await flow.tab('Output').click();
  await expect(flow.inspector).toContainText('It was requested.');
  await flow.select('second');
  await expect(flow.inspector).toContainText('Its output of the earlier run is reused.');

  await flow.page.getByRole('button', { name: 'More ways to run' }).click();
  await expect(flow.page.getByText(/^Selected node, with outputs of \d/)).toBeVisible();
  await flow.key('Escape');
  await flow.page.getByRole('button', { name: /^From \d/ }).click();
  await says(flow, { first: 'Reused', second: /^OK/, third: 'Left out' });
  await flow.page.reload();
  await flow.ready();
  await says(flow, { first: 'Reused', second: /^OK/, third: 'Left out' });
});

test('Is somebody asked before nodes that change something outside run though nobody asked for them?', async () => {
  const flow = await openSteps('POST');
  const { look, found } = auditOf(flow.page);
  const pinned = flow.node('first').getByText('Pinned');
  const pin = async (): Promise<void> => {
    await flow.select('first');
    await flow.canvas.focus();
    await flow.key('p');
  };
  await runWhole(flow);
  await pin();
  await expect(pinned).toBeAttached();
  await flow.key('Mod+Enter');
  await says(flow, { first: 'Pinned', third: /^OK/ });
  // The pin, and what the run says of it.
  await expect(pinned).toHaveCount(2);
  await pin();
  await expect(pinned).toHaveCount(1);
  asked();

  // What the first two gave then is not what they would give now.
  await flow.select('third');
  await flow.key('Shift+Enter');
  const dialog = flow.page.getByRole('dialog', { name: 'Run nodes that change something outside?' });
  await expect(dialog.getByRole('listitem')).toHaveText([
    'Send HTTP request first',
    'Send HTTP request second',
  ]);
  await look('the question');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toHaveCount(0);
  expect(asked()).toEqual({});

  await flow.key('Shift+Enter');
  await dialog.getByRole('button', { name: 'Run them too' }).click();
  await says(flow, { first: /^OK/, second: /^OK/, third: /^OK/ });
  expect(asked()).toEqual({ first: 1, second: 1 });
  expect(found).toEqual([]);
});

test('Is the same asked where the input of a part is asked for, and is the input still there after a no?', async () => {
  const input = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
  const flow = await openSteps('POST', { input });
  const form = flow.page.getByRole('dialog', { name: 'Run a part of the flow' });
  const question = flow.page.getByRole('dialog', { name: 'Run nodes that change something outside?' });
  const run = form.getByRole('button', { name: 'Run', exact: true });
  await flow.select('third');
  await flow.key('Shift+Enter');
  await form.getByRole('textbox').first().fill('Ada');
  await run.click();
  await expect(question.getByRole('listitem')).toHaveText([
    'Send HTTP request first',
    'Send HTTP request second',
  ]);
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(asked()).toEqual({});
  await flow.select('third');
  await flow.key('Shift+Enter');
  await question.getByRole('button', { name: 'Run them too' }).click();
  await says(flow, { first: /^OK/, second: /^OK/, third: /^OK/ });
  expect(outside.saw('first')).toContain('Ada');
  expect(asked()).toEqual({ first: 1, second: 1 });
});

test('Is a pinned output used by runs by hand until it is unpinned, and left aside when one wants?', async () => {
  const flow = await openSteps();
  const { look, found } = auditOf(flow.page);
  await runWhole(flow);
  await flow.select('first');
  await flow.canvas.focus();
  await flow.key('p');
  await expect(flow.node('first').getByText('Pinned')).toBeAttached();
  await flow.key('Mod+Enter');
  await says(flow, { first: 'Pinned', third: /^OK/ });
  expect(asked()).toEqual({ second: 1 });
  await flow.tab('Output').click();
  await expect(flow.inspector).toContainText('Triggers, chats and schedules never do.');
  await look('a pinned node');

  await flow.inspector.getByRole('button', { name: 'Edit output…' }).click();
  const dialog = flow.page.getByRole('dialog', { name: /^Output of/ });
  const editor = dialog.getByLabel('Output body as JSON');
  await editor.click();
  await flow.key('Mod+a');
  await flow.page.keyboard.insertText('"by-hand');
  await expect(dialog.getByText(/not valid JSON/)).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Pin this output' })).toBeDisabled();
  await look('the output as JSON');
  await flow.page.keyboard.insertText('"');
  await dialog.getByRole('button', { name: 'Pin this output' }).click();
  await expect(dialog).toHaveCount(0);
  await flow.key('Mod+Enter');
  await expect.poll(() => outside.saw('second')).toBe('by-hand');

  // With another id it is pinned all the same, and when that is undone too.
  await flow.canvas.focus();
  await flow.key('F2');
  await flow.page.getByRole('dialog', { name: 'Rename the node' }).getByLabel('Id').fill('renamed');
  await flow.key('Enter');
  await expect(flow.node('renamed').getByText('Pinned')).toBeAttached();
  await flow.key('Mod+Enter');
  await says(flow, { renamed: 'Pinned', third: /^OK/ });
  await flow.key('Mod+z');
  await expect(flow.node('first').getByText('Pinned')).toBeAttached();

  await flow.page.getByRole('button', { name: 'More ways to run' }).click();
  await flow.page.getByRole('menuitem', { name: 'Run without pins' }).click();
  await says(flow, { first: /^OK/, third: /^OK/ });
  expect(outside.saw('second')).toBe('first-answer');
  await flow.page.getByRole('button', { name: 'More ways to run' }).click();
  await flow.page.getByRole('menuitem', { name: 'Pinned outputs…' }).click();
  await look('the pinned outputs');
  await flow.page.getByRole('button', { name: /^Unpin/ }).click();
  await expect(flow.page.getByText('Nothing is pinned any more.')).toBeVisible();
  await flow.key('Escape');
  await expect(flow.node('first').getByText('Pinned')).toHaveCount(0);
  expect(found).toEqual([]);
});

test('Does a run go on with a changed value, and a failed one where it failed?', async () => {
  const flow = await openSteps();
  await runWhole(flow);
  await flow.select('second');
  await flow.tab('Output').click();
  await flow.inspector.getByRole('button', { name: 'Edit output…' }).click();
  const dialog = flow.page.getByRole('dialog', { name: /^Output of/ });
  await dialog.getByLabel('Output body as JSON').click();
  await flow.key('Mod+a');
  await flow.page.keyboard.insertText('"changed"');
  await dialog.getByRole('button', { name: 'Continue from here with this value' }).click();
  await says(flow, { first: 'Reused', second: 'Changed', third: /^OK/ });
  expect(asked()).toEqual({});
  await flow.select('third');
  await expect(flow.inspector).toContainText('changed!');
  await expect(flow.page.getByRole('button', { name: /^From \d/ })).toBeVisible();

  outside.fail('second');
  await flow.key('Mod+Enter');
  await says(flow, { second: /^Failed/ });
  outside.forget();
  await flow.page.getByRole('button', { name: 'Retry from here' }).click();
  await says(flow, { first: 'Reused', second: /^OK/, third: /^OK/ });
  expect(asked()).toEqual({ second: 1 });
});

test('Does a run that waits say so, stop when one wants, and is a durable one tried again where it failed?', async () => {
  const id = freshId();
  await stage.putFlow({
    format: 1,
    id,
    settings: { durable: true },
    nodes: {
      start: { operator: 'trigger.manual' },
      wait: { operator: 'logic.wait-until', params: { for: '{{ input.for }}' } },
      ask: { operator: 'http.request', params: { url: `${outside.url}/ask`, response: 'text' } },
    },
    edges: [
      { from: 'start.out', to: 'wait.in' },
      { from: 'wait.out', to: 'ask.in' },
    ],
  });
  const flow = await openFlow(stage, id);
  const run = (length: string) =>
    stage.owner.data('POST', `/flows/${id}/run`, { input: { for: length }, wait: false });
  const bar = flow.page.getByRole('main');
  await run('1h');
  await expect(flow.status('wait')).toHaveText('Waiting');
  await expect(bar.getByText('waiting', { exact: true }).first()).toBeVisible();
  await flow.page.getByRole('banner').getByRole('button', { name: 'Stop the run' }).click();
  await expect(bar.getByText('cancelled', { exact: true }).first()).toBeVisible();

  outside.fail('ask');
  await run('1ms');
  await expect(flow.status('ask')).toHaveText(/^Failed/);
  outside.forget();
  await flow.dock.getByRole('tab', { name: /^Result/ }).click();
  await flow.dock.getByRole('button', { name: 'Retry from here' }).click();
  await expect(flow.status('ask')).toHaveText(/^OK/);
  expect(asked()).toEqual({ ask: 1 });
});
